import Box from '@mui/material/Box'
import Link, { type LinkProps } from '@mui/material/Link'
import { useReference } from 'ra-core'
import { linesInCountry } from '#derive/address-lines.ts'
import type { FormField } from '#derive/form.ts'
import { formatValue } from '#derive/parse-value.ts'
import type { Line } from '#registry/fields/lines.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { lineTotal } from '#registry/resources/totals.ts'
import { type LinkedKind, linkAddress } from '../../client/link-address.ts'
import { useMe } from '../../me/me.tsx'
import { pathOf } from '../../shell/places.ts'
import { useFormat } from '../../texts/format.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Foreign } from '../../ui/foreign.tsx'
import { Unbroken } from '../../ui/layout.tsx'
import { StatusChip } from '../../ui/status-chip.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { titleOf } from '../title.ts'
import { useHabits } from './input.ts'

/** Most characters of a text of several lines, and of all lines of a record in one: more than a field stores. */
const paragraphMax = 100_000

type ShownProps = {
  field: FormField
  resource: string
  value: Json | undefined
  /** Whether to show one line and no table, as in a cell or a history. */
  isShort?: boolean
}

/** Shows a value in the reader's language. */
export function FieldValue({ field, resource, value, isShort }: ShownProps) {
  const { common } = useTexts()
  const { value: word } = useRecordTexts()
  const format = useFormat()
  const habits = useHabits()
  const { currency } = habits
  if (value === null || value === undefined || value === '') return <>–</>
  switch (field.kind) {
    case 'choice':
      return field.name === 'status' ? (
        <StatusChip resource={resource} value={String(value)} />
      ) : (
        word(resource, String(value))
      )
    case 'flag':
      return <>{value ? common.yes : common.no}</>
    case 'money':
      return <Unbroken>{format.money(value as number, currency)}</Unbroken>
    case 'integer':
      // No separator below ten thousand, because the number may be a year.
      return <Unbroken>{(value as number) < 10_000 ? String(value) : format.number(value as number)}</Unbroken>
    case 'decimal':
      return <Unbroken>{format.number(value as number)}</Unbroken>
    case 'date':
      return <Unbroken>{format.day(String(value))}</Unbroken>
    case 'instant':
      return <Unbroken>{format.moment(String(value))}</Unbroken>
    case 'reference':
      return <ReferenceName to={field.to as string} id={value as number} />
    case 'email':
      return <ValueLink kind="email" value={String(value)} />
    case 'phone':
      return (
        <Unbroken>
          <ValueLink kind="phone" value={String(value)} />
        </Unbroken>
      )
    case 'url':
      return <ValueLink kind="url" value={String(value)} />
    case 'country':
      return <Foreign text={format.country(String(value))} />
    case 'currency':
      return format.currency(String(value))
    case 'iban':
      return <Unbroken>{formatValue(value, field.field, habits)}</Unbroken>
    case 'address':
      return <Address address={value as JsonObject} isShort={isShort} />
    case 'lines':
      return <ShownLines lines={value as JsonObject[]} isShort={isShort} />
    case 'paragraph':
      return (
        <Box component="span" sx={isShort ? {} : { whiteSpace: 'pre-wrap', maxWidth: '75ch', display: 'block' }}>
          <Foreign text={String(value)} max={isShort ? undefined : paragraphMax} />
        </Box>
      )
    default:
      return <Foreign text={String(value)} />
  }
}

/** Shows a value as a link, or as text if it makes none. */
function ValueLink({ kind, value }: { kind: LinkedKind; value: string }) {
  const address = linkAddress(kind, value)
  if (address === undefined) return <Foreign text={value} />
  if (kind !== 'url')
    return (
      <Link href={address}>
        <Foreign text={value} />
      </Link>
    )
  return (
    <Link href={address} target="_blank" rel="noopener noreferrer">
      <Foreign text={value.replace(/^https?:\/\//i, '')} />
    </Link>
  )
}

function Address({ address, isShort }: { address: JsonObject; isShort?: boolean }) {
  const format = useFormat()
  const { company } = useMe()
  const { country } = address as { country?: string | null }
  const parts = [...linesInCountry(address, company.country), ...(country ? [format.country(country)] : [])]
  return isShort ? (
    <Foreign text={parts.join(', ')} />
  ) : (
    parts.map((part) => (
      <div key={part}>
        <Foreign text={part} />
      </div>
    ))
  )
}

type ReferenceNameProps = { to: string; id: number } & Pick<LinkProps, 'underline'>

/** Shows the name of a referenced record as a link. All names of a page are loaded with one request. */
function ReferenceName({ to, id, underline = 'hover' }: ReferenceNameProps) {
  const { may } = useMe()
  const isVisible = may(to, 'VIEW')
  const { referenceRecord, isPending } = useReference({ reference: to, id, options: { enabled: isVisible } })
  if (!isVisible) return <>#{id}</>
  if (isPending) return <>…</>
  if (!referenceRecord) return <>#{id}</>
  return (
    <TextLink underline={underline} to={pathOf(to, id)}>
      <Foreign text={titleOf(to, referenceRecord)} />
    </TextLink>
  )
}

/** Shows the lines of a record as a table, or their number. */
function ShownLines({ lines, isShort }: { lines: JsonObject[]; isShort?: boolean }) {
  const { form } = useTexts()
  const { label } = useRecordTexts()
  const format = useFormat()
  const { currency } = useMe().company
  if (lines.length === 0) return <>{form.noLines}</>
  if (isShort) {
    const short = lines.map((line) => `${line.quantity} ${line.unit ?? '×'} ${line.description}`).join('; ')
    return <Foreign text={short} max={paragraphMax} />
  }
  const money = (minor: unknown): string => format.money(minor as number, currency)
  return (
    <DataTable
      label={form.linesTable}
      items={lines}
      keyOf={(line) => lines.indexOf(line)}
      columns={[
        { title: label('lines', 'description'), cell: ({ description }) => <Foreign text={String(description)} /> },
        {
          title: label('lines', 'quantity'),
          align: 'right',
          cell: ({ quantity }) => format.number(quantity as number),
        },
        { title: label('lines', 'unit'), cell: ({ unit }) => unit && <Foreign text={String(unit)} /> },
        { title: label('lines', 'unit_price_minor'), align: 'right', cell: (line) => money(line.unit_price_minor) },
        { title: form.lineTotal, align: 'right', cell: (line) => money(amountOf(line) ?? 0) },
      ]}
    />
  )
}

/** Computes the amount of a line. Returns undefined if a number is missing. */
export function amountOf(line: JsonObject): number | undefined {
  const { quantity, unit_price_minor: price } = line
  if (typeof quantity !== 'number' || !Number.isSafeInteger(price)) return undefined
  return Number(lineTotal(line as Line))
}
