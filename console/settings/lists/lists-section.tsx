import { mdiPlus } from '@mdi/js'
import Box from '@mui/material/Box'
import Button from '@mui/material/Button'
import { LinkBase, useGetList } from 'ra-core'
import { useState } from 'react'
import { columnsOf } from '#derive/form/table.ts'
import type { Definition } from '#registry/definition.ts'
import { useMe } from '../../me/me.tsx'
import { FormDialog } from '../../records/form/save-form.tsx'
import { Paging } from '../../records/list/paging.tsx'
import type { ListedRecord } from '../../records/list/records.tsx'
import { Records } from '../../records/list/records.tsx'
import { editPath, lists } from '../../shell/places.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Empty, Lead, Panel } from '../../ui/panel.tsx'
import { PendingContent } from '../../ui/pending.tsx'

/** Lists the categories with their ids, which programs use. */
export function ListsSection() {
  const { settings } = useTexts()
  const { may } = useMe()
  return (
    <>
      <Lead>{settings.lists.lead}</Lead>
      {lists
        .filter(({ name }) => may(name, 'VIEW'))
        .map((definition) => (
          <OneList key={definition.name} definition={definition} />
        ))}
    </>
  )
}

const perPage = 50

function OneList({ definition }: { definition: Definition }) {
  const { name, title } = definition
  const { common } = useTexts()
  const { many, add, none } = useRecordTexts()
  const { may } = useMe()
  const [page, setPage] = useState(1)
  const [isAdding, setAdding] = useState(false)
  const {
    data,
    total = 0,
    error,
  } = useGetList<ListedRecord>(name, { pagination: { page, perPage }, sort: { field: title, order: 'ASC' } })
  const columns = columnsOf(definition).filter(({ kind }) => kind !== 'instant')
  return (
    <Panel
      title={many(name)}
      aside={
        may(name, 'EDIT') && (
          <Button size="small" variant="outlined" startIcon={<Icon path={mdiPlus} />} onClick={() => setAdding(true)}>
            {add(name)}
          </Button>
        )
      }
    >
      <PendingContent error={error} isThere={!!data} />
      {data && total === 0 && <Empty title={none(name)} />}
      {data && total > 0 && (
        <Box sx={{ mx: -1 }}>
          <Records
            definition={definition}
            columns={columns}
            records={data}
            actionsOf={
              may(name, 'EDIT')
                ? (record) => (
                    <Button size="small" component={LinkBase} to={editPath(name, record.id)}>
                      {common.edit}
                    </Button>
                  )
                : undefined
            }
          />
          {total > perPage && <Paging listing={{ page, perPage, total, setPage }} />}
        </Box>
      )}
      {isAdding && <FormDialog definition={definition} onClose={() => setAdding(false)} />}
    </Panel>
  )
}
