import Box from '@mui/material/Box'
import TableCell from '@mui/material/TableCell'
import TableFooter from '@mui/material/TableFooter'
import TableRow from '@mui/material/TableRow'
import type { Column } from '#derive/form/table.ts'
import type { Definition } from '#registry/definition.ts'
import { useFigures } from '../../client/use-loaded.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { Term } from '../../ui/panel.tsx'
import { Trouble } from '../../ui/pending.tsx'
import { FieldValue } from '../fields/field-value.tsx'

/** The last row of a list: what all of its records add up to, whichever page is shown. */

type TotalsProps = { definition: Definition; columns: readonly Column[]; filter: object }

/** The totals below the columns of a table. */
export function TotalsRow({ definition, columns, filter, hasBoxes, hasActions }: TotalsRowProps) {
  const { list } = useTexts()
  const { data, error, reload } = useFigures('records.totals', { records: definition.name, query: filter })
  const [title, ...others] = columns
  return (
    <TableFooter sx={{ '& td, & th': { color: 'text.primary', fontSize: '0.875rem', fontWeight: 600 } }}>
      <TableRow>
        {hasBoxes && <TableCell />}
        <TableCell component="th" scope="row" colSpan={error ? columns.length : 1}>
          {error ? <Trouble error={error} retry={reload} /> : data && list.total(data.count)}
        </TableCell>
        {!error &&
          title &&
          others.map((column) => (
            <TableCell key={column.name} align="right">
              {data && column.name in data.sums && (
                <FieldValue isShort field={column} resource={definition.name} value={data.sums[column.name]} />
              )}
            </TableCell>
          ))}
        {hasActions && <TableCell />}
      </TableRow>
    </TableFooter>
  )
}

type TotalsRowProps = TotalsProps & { hasBoxes: boolean; hasActions: boolean }

/** The totals below the cards of a phone. */
export function TotalsCard({ definition, columns, filter }: TotalsProps) {
  const { list } = useTexts()
  const { label } = useRecordTexts()
  const { name } = definition
  const { data, error, reload } = useFigures('records.totals', { records: name, query: filter })
  if (error) return <Trouble error={error} retry={reload} />
  return (
    <Box component="li" sx={{ p: 1.5, fontWeight: 600 }}>
      {data && list.total(data.count)}
      <Box component="dl" sx={{ m: 0, display: 'grid', gridTemplateColumns: 'auto 1fr', columnGap: 1.5 }}>
        {columns
          .filter((column) => data && column.name in data.sums)
          .map((column) => (
            <Term key={column.name} name={label(name, column.name)}>
              <FieldValue isShort field={column} resource={name} value={data?.sums[column.name]} />
            </Term>
          ))}
      </Box>
    </Box>
  )
}
