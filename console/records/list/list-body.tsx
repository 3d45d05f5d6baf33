import Button from '@mui/material/Button'
import { LinkBase, type ListControllerResult } from 'react-admin'
import type { Column } from '#derive/form/table.ts'
import type { Definition } from '#registry/definition.ts'
import { useMe } from '../../me/me.tsx'
import { createPath } from '../../shell/places.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { Empty } from '../../ui/panel.tsx'
import { WaitingNotice } from '../../ui/pending.tsx'
import { Records } from './record-cards.tsx'

type ListBodyProps = { definition: Definition; columns: readonly Column[]; listing: ListControllerResult }

/** Shows the records of a page as a table or, on a phone, as cards. If there are none, shows the next step. */
export function ListBody({ definition, columns, listing }: ListBodyProps) {
  const { name } = definition
  const { list } = useTexts()
  const { many, none, add } = useRecordTexts()
  const { may } = useMe()
  const { data, isPending, total, filterValues, setFilters } = listing
  if (isPending) return <WaitingNotice />
  if (total === 0 && Object.keys(filterValues).length > 0) {
    return (
      <Empty title={list.noMatch} lead={list.noMatchLead}>
        <Button variant="outlined" onClick={() => setFilters({}, {})}>
          {list.clear}
        </Button>
      </Empty>
    )
  }
  if (total === 0) {
    return (
      <Empty title={list.nothing(many(name))} lead={none(name)}>
        {may(name, 'EDIT') && (
          <Button variant="contained" component={LinkBase} to={createPath(name)}>
            {add(name)}
          </Button>
        )}
      </Empty>
    )
  }
  return (
    <Records
      definition={definition}
      columns={columns}
      records={data ?? []}
      sort={listing.sort}
      onSort={listing.setSort}
      selection={{ ids: listing.selectedIds, choose: listing.onSelect, toggle: listing.onToggleItem }}
    />
  )
}
