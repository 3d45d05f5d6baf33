import Button from '@mui/material/Button'
import { lazy, type ReactNode } from 'react'
import { LinkBase } from 'react-admin'
import type { Definition } from '#registry/definition.ts'
import type { Action } from '#registry/permissions.ts'
import { useMe } from '../me/me.tsx'
import { useTexts } from '../texts/texts.tsx'
import { Page } from '../ui/page.tsx'

const ListPage = lazy(() => import('./list/list-page.tsx').then(({ ListPage }) => ({ default: ListPage })))
const ShowPage = lazy(() => import('./show/show-page.tsx').then(({ ShowPage }) => ({ default: ShowPage })))
const CreatePage = lazy(() => import('./form/create-page.tsx').then(({ CreatePage }) => ({ default: CreatePage })))
const EditPage = lazy(() => import('./form/edit-page.tsx').then(({ EditPage }) => ({ default: EditPage })))

const ImportPage = lazy(() => import('./import/import-page.tsx').then(({ ImportPage }) => ({ default: ImportPage })))

/** The four pages of a resource, each loaded when it is first opened. */
export const pagesOf = (definition: Definition) => ({
  list: (
    <Permitted records={definition.name} action="VIEW">
      <ListPage key={definition.name} definition={definition} />
    </Permitted>
  ),
  show: (
    <Permitted records={definition.name} action="VIEW">
      <ShowPage key={definition.name} definition={definition} />
    </Permitted>
  ),
  create: (
    <Permitted records={definition.name} action="EDIT">
      <CreatePage key={definition.name} definition={definition} />
    </Permitted>
  ),
  edit: (
    <Permitted records={definition.name} action="EDIT">
      <EditPage key={definition.name} definition={definition} />
    </Permitted>
  ),
})

/** Records out of a file. */
export const importPageOf = (definition: Definition) => (
  <Permitted records={definition.name} action="EDIT">
    <ImportPage key={definition.name} definition={definition} />
  </Permitted>
)

/** The service refuses it anyway; this says it before anything is asked. */
function Permitted({ records, action, children }: { records: string; action: Action; children: ReactNode }) {
  return useMe().may(records, action) ? children : <Forbidden />
}

/** A page that the account may not see, and whom to ask. */
function Forbidden() {
  const { trouble } = useTexts()
  return (
    <Page title={trouble.forbidden} lead={trouble.forbiddenLead}>
      <Button component={LinkBase} to="/" variant="outlined">
        {trouble.home}
      </Button>
    </Page>
  )
}
