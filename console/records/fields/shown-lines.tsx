import type { JsonObject } from '#registry/json.ts'
import { useMe } from '../../me/me.tsx'
import { useFormat } from '../../texts/format.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { amountOf } from './line-amount.ts'

/** The lines of a record as a table, or how many there are. */
export function ShownLines({ lines, isShort }: { lines: JsonObject[]; isShort?: boolean }) {
  const { form } = useTexts()
  const { label } = useRecordTexts()
  const format = useFormat()
  const { currency } = useMe().company
  if (lines.length === 0) return <>{form.noLines}</>
  if (isShort) return <>{lines.map((line) => `${line.quantity} ${line.unit ?? '×'} ${line.description}`).join('; ')}</>
  const money = (minor: unknown): string => format.money(minor as number, currency)
  return (
    <DataTable
      label={form.linesTable}
      items={lines}
      keyOf={(line) => lines.indexOf(line)}
      columns={[
        { title: label('lines', 'description'), cell: ({ description }) => String(description) },
        {
          title: label('lines', 'quantity'),
          align: 'right',
          cell: ({ quantity }) => format.number(quantity as number),
        },
        { title: label('lines', 'unit'), cell: ({ unit }) => String(unit ?? '') },
        { title: label('lines', 'unit_price_minor'), align: 'right', cell: (line) => money(line.unit_price_minor) },
        { title: form.lineTotal, align: 'right', cell: (line) => money(amountOf(line) ?? 0) },
      ]}
    />
  )
}
