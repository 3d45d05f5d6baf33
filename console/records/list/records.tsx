import Box from '@mui/material/Box'
import Checkbox from '@mui/material/Checkbox'
import Table from '@mui/material/Table'
import TableBody from '@mui/material/TableBody'
import TableCell from '@mui/material/TableCell'
import TableContainer from '@mui/material/TableContainer'
import TableHead from '@mui/material/TableHead'
import TableRow from '@mui/material/TableRow'
import TableSortLabel from '@mui/material/TableSortLabel'
import useMediaQuery from '@mui/material/useMediaQuery'
import type { SortPayload } from 'ra-core'
import type { ReactNode } from 'react'
import type { Column } from '#derive/form/table.ts'
import type { Definition } from '#registry/definition.ts'
import { pathOf } from '../../shell/places.ts'
import { quote } from '../../texts/foreign.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { Foreign } from '../../ui/foreign.tsx'
import { BetweenRow, Grow, PlainList } from '../../ui/layout.tsx'
import { Term } from '../../ui/panel.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { FieldValue } from '../fields/field-value.tsx'
import { useTitleText } from '../title.ts'
import { TotalsCard, TotalsRow } from './totals.tsx'

/** Shows records as a table, or on a phone as cards. */
export function Records(props: RecordsProps) {
  const isNarrow = useMediaQuery('(max-width: 700px)')
  return isNarrow ? <RecordCards {...props} /> : <RecordTable {...props} />
}

/** Shows records as cards with title, state and the values of the columns. */
function RecordCards({ definition, columns, records, filter, selection, actionsOf }: RecordsProps) {
  const { list } = useTexts()
  const { label, many } = useRecordTexts()
  const titleText = useTitleText(definition)
  const { name, title } = definition
  const told = columns.filter((column) => column.name !== title && column.name !== 'status')
  const status = columns.find((column) => column.name === 'status')
  return (
    <PlainList aria-label={many(name)}>
      {records.map((record) => (
        <Box
          component="li"
          key={record.id}
          sx={{ display: 'flex', gap: 1, p: 1.5, borderBottom: 1, borderColor: 'divider' }}
        >
          {selection && (
            <Checkbox
              size="small"
              sx={{ alignSelf: 'flex-start', p: 0.5 }}
              checked={selection.ids.includes(record.id)}
              onChange={() => selection.toggle(record.id as never)}
              slotProps={{ input: { 'aria-label': list.select(quote(titleText(record))) } }}
            />
          )}
          <Grow>
            <BetweenRow sx={{ alignItems: 'flex-start' }}>
              <TextLink
                to={pathOf(name, record.id)}
                color="textPrimary"
                sx={{ fontWeight: 600, overflowWrap: 'anywhere' }}
              >
                <Foreign text={titleText(record)} />
              </TextLink>
              {status && <FieldValue isShort field={status} resource={name} value={record.status as never} />}
            </BetweenRow>
            <Box
              component="dl"
              sx={{
                m: 0,
                mt: 0.5,
                fontSize: '0.875rem',
                display: 'grid',
                gridTemplateColumns: 'auto 1fr',
                columnGap: 1.5,
              }}
            >
              {told
                .filter((column) => record[column.name] !== null && record[column.name] !== undefined)
                .map((column) => (
                  <Term key={column.name} name={label(name, column.name)}>
                    <FieldValue isShort field={column} resource={name} value={record[column.name] as never} />
                  </Term>
                ))}
            </Box>
            {actionsOf && <Box sx={{ mt: 0.5 }}>{actionsOf(record)}</Box>}
          </Grow>
        </Box>
      ))}
      {filter && definition.list?.totals && <TotalsCard {...{ definition, columns, filter }} />}
    </PlainList>
  )
}

export type ListedRecord = { id: number | string; [field: string]: unknown }

type RecordsProps = {
  definition: Definition
  columns: readonly Column[]
  records: readonly ListedRecord[]
  /** The filter of the list, whose totals are its last row. */
  filter?: object
  sort?: SortPayload
  onSort?: (sort: SortPayload) => void
  selection?: { ids: readonly unknown[]; choose(ids: never[]): void; toggle(id: never): void }
  /** Returns the buttons of a record. */
  actionsOf?: (record: ListedRecord) => ReactNode
}

/** Shows records as rows. The title of a row is its label and its link. */
function RecordTable({ definition, columns, records, filter, sort, onSort, selection, actionsOf }: RecordsProps) {
  const { list, common } = useTexts()
  const { label, many } = useRecordTexts()
  const titleText = useTitleText(definition)
  const { name, title } = definition
  const isRising = (column: Column) => sort?.field === column.name && sort.order === 'ASC'
  const chosen = records.filter(({ id }) => selection?.ids.includes(id)).length
  return (
    <TableContainer>
      <Table aria-label={many(name)} sx={{ '& td, & th': { py: 1 } }}>
        <TableHead>
          <TableRow>
            {selection && (
              <TableCell padding="checkbox">
                <Checkbox
                  size="small"
                  checked={chosen === records.length}
                  indeterminate={chosen > 0 && chosen < records.length}
                  onChange={() =>
                    selection.choose((chosen === records.length ? [] : records.map(({ id }) => id)) as never[])
                  }
                  slotProps={{ input: { 'aria-label': list.selectAll } }}
                />
              </TableCell>
            )}
            {columns.map((column) => (
              <TableCell
                key={column.name}
                align={isFigure(column) ? 'right' : 'left'}
                sortDirection={sort?.field === column.name && (sort.order === 'DESC' ? 'desc' : 'asc')}
                sx={{ fontWeight: 600, color: 'text.secondary', whiteSpace: 'nowrap' }}
              >
                {onSort && column.sortable ? (
                  <TableSortLabel
                    active={sort?.field === column.name}
                    direction={sort?.order === 'DESC' ? 'desc' : 'asc'}
                    onClick={() => onSort({ field: column.name, order: isRising(column) ? 'DESC' : 'ASC' })}
                  >
                    {label(name, column.name)}
                  </TableSortLabel>
                ) : (
                  label(name, column.name)
                )}
              </TableCell>
            ))}
            {actionsOf && <TableCell align="right">{common.actions}</TableCell>}
          </TableRow>
        </TableHead>
        <TableBody>
          {records.map((record) => (
            <TableRow key={record.id} hover selected={selection?.ids.includes(record.id)}>
              {selection && (
                <TableCell padding="checkbox">
                  <Checkbox
                    size="small"
                    checked={selection.ids.includes(record.id)}
                    onChange={() => selection.toggle(record.id as never)}
                    slotProps={{ input: { 'aria-label': list.select(quote(titleText(record))) } }}
                  />
                </TableCell>
              )}
              {columns.map((column) => (
                <TableCell
                  key={column.name}
                  align={isFigure(column) ? 'right' : 'left'}
                  sx={column.name === title ? { minWidth: 160, fontWeight: 550 } : {}}
                >
                  {column.name === title ? (
                    <TextLink to={pathOf(name, record.id)} color="textPrimary">
                      <Foreign text={titleText(record)} />
                    </TextLink>
                  ) : (
                    <FieldValue isShort field={column} resource={name} value={record[column.name] as never} />
                  )}
                </TableCell>
              ))}
              {actionsOf && (
                <TableCell align="right" sx={{ whiteSpace: 'nowrap' }}>
                  {actionsOf(record)}
                </TableCell>
              )}
            </TableRow>
          ))}
        </TableBody>
        {filter && definition.list?.totals && (
          <TotalsRow {...{ definition, columns, filter }} hasBoxes={!!selection} hasActions={!!actionsOf} />
        )}
      </Table>
    </TableContainer>
  )
}

const isFigure = ({ kind }: Column): boolean => ['money', 'decimal', 'integer', 'id'].includes(kind)
