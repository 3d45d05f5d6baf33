import type { ComponentType } from 'react'
import type { Definition } from '#registry/definition.ts'
import type { Action } from '#registry/permissions.ts'
import { useMe } from '../me/me.tsx'
import { Forbidden } from '../shell/crash.tsx'
import { lazily } from '../ui/pending.tsx'

const ListPage = lazily('ListPage', () => import('./list/list-page.tsx'))
const ShowPage = lazily('ShowPage', () => import('./show/show-page.tsx'))
const CreatePage = lazily('CreatePage', () => import('./form/create-page.tsx'))
const EditPage = lazily('EditPage', () => import('./form/edit-page.tsx'))
const ImportPage = lazily('ImportPage', () => import('./import/import-page.tsx'))

/** The four pages of a resource, each loaded when it is first opened. */
export const pagesOf = (definition: Definition) => ({
  list: <PermissionGuard definition={definition} action="VIEW" Page={ListPage} />,
  show: <PermissionGuard definition={definition} action="VIEW" Page={ShowPage} />,
  create: <PermissionGuard definition={definition} action="EDIT" Page={CreatePage} />,
  edit: <PermissionGuard definition={definition} action="EDIT" Page={EditPage} />,
})

/** Records out of a file. */
export const importPageOf = (definition: Definition) => (
  <PermissionGuard definition={definition} action="EDIT" Page={ImportPage} />
)

type PermittedProps = { definition: Definition; action: Action; Page: ComponentType<{ definition: Definition }> }

/** The service refuses it anyway; this says it before anything is asked. A page knows the fields alone that the account may see. */
function PermissionGuard({ definition, action, Page }: PermittedProps) {
  const { name } = definition
  const { may, visible } = useMe()
  return may(name, action) ? <Page key={name} definition={visible(definition)} /> : <Forbidden />
}
