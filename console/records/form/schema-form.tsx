import { styled } from '@mui/material/styles'
import ToggleButton from '@mui/material/ToggleButton'
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup'
import { Fragment, useRef, useState } from 'react'
import { computedFields, type FormField, fieldsOf, formSections } from '#derive/form.ts'
import { withComputed } from '#derive/input.ts'
import type { Definition } from '#registry/definition.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { ask } from '../../client/ask.ts'
import { useMe } from '../../me/me.tsx'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { Fields, Grow, RowStack } from '../../ui/layout.tsx'
import { Panel } from '../../ui/panel.tsx'
import { amountOf, FieldValue } from '../fields/field-value.tsx'
import { FieldInput } from '../fields/inputs.tsx'
import { useGiving } from './use-giving.tsx'
import { type RecordForm, topField } from './use-record-form.ts'

type SchemaFormProps = {
  form: RecordForm
  /** Fields that the page sets, which have no input. */
  settled?: readonly string[]
  /** Whether to leave out panels, as in a dialog. */
  isPlain?: boolean
}

/** The form of any resource: its fields in sections, each with the input of its kind. */
export function SchemaForm({ form, settled = [], isPlain }: SchemaFormProps) {
  const texts = useTexts()
  const all = fieldsOf(form.definition)
  const sections = formSections(form.definition)
    .map((section) => ({
      ...section,
      fields: section.fields.filter(({ name, field }) => !settled.includes(name) && field.follows === undefined),
    }))
    .filter(({ fields }) => fields.length > 0)
  return (
    <>
      {sections.map(({ name, fields }) => {
        const inside = (
          <Fields sx={{ alignItems: 'start', pt: 0.5, mb: isPlain ? 2 : 0 }}>
            {fields.map((field) => {
              const amount = all.find(({ field: { follows } }) => follows === field.name)
              if (amount) return <ShareInput key={field.name} form={form} share={field} amount={amount} />
              const Input = givesTo(form, field) ? GivingInput : SchemaInput
              return <Input key={field.name} form={form} field={field} />
            })}
            {name === 'lines' && <Sums form={form} />}
          </Fields>
        )
        return isPlain ? (
          <div key={name}>{inside}</div>
        ) : (
          <Panel key={name} title={texts.sections[name]}>
            {inside}
          </Panel>
        )
      })}
    </>
  )
}

type SchemaInputProps = { form: RecordForm; field: FormField; onChange?(value: Json): void }

function SchemaInput({ form, field, onChange = (value) => form.change(field.name, value) }: SchemaInputProps) {
  const { name } = field
  const { label } = useRecordTexts()
  const { definition, values, problems, before } = form
  return (
    <div style={{ gridColumn: isWide(field) ? '1 / -1' : undefined, minWidth: 0 }}>
      <FieldInput
        field={field}
        path={name}
        resource={definition.name}
        label={label(definition.name, name)}
        value={values[name] ?? null}
        from={before?.[name] ?? null}
        problems={problems.filter((problem) => topField(problem.field) === name)}
        onChange={onChange}
        onLeave={() => form.leave(name)}
      />
    </div>
  )
}

/** Returns whether the record that a field refers to gives values to a new record. */
const givesTo = ({ before }: RecordForm, { field }: FormField): boolean =>
  before === null && field.kind === 'reference' && field.gives !== undefined

/** The input of a reference that gives values: they fill the fields that nobody has touched. */
function GivingInput({ form, field }: SchemaInputProps) {
  const { name, to = '' } = field
  const chosen = useRef<Json>(null)
  const giving = useGiving(form.definition, name, form.fill)
  const change = (id: Json) => {
    chosen.current = id
    form.change(name, id)
    if (typeof id !== 'number') return
    ask('records.fetch', { records: to, id: String(id) }).then(
      ({ data }) => chosen.current === id && giving.start(data as JsonObject),
      () => undefined,
    )
  }
  return (
    <>
      <SchemaInput form={form} field={field} onChange={change} />
      {giving.dialog}
    </>
  )
}

/** One input for a share and the amount that follows from it. A person writes either of them. */
function ShareInput({ form, share, amount }: { form: RecordForm; share: FormField; amount: FormField }) {
  const { label } = useRecordTexts()
  const { currency } = useMe().company
  const { definition, values, change } = form
  const hasAmount = (values[amount.name] ?? 0) !== 0
  const [isChosen, setChosen] = useState(hasAmount)
  const isAmount = (values[share.name] ?? null) === null && (hasAmount || isChosen)
  const choose = (next: boolean) => {
    setChosen(next)
    change(amount.name, next ? (sumsOf(form)[amount.name] ?? 0) : 0)
    change(share.name, null)
  }
  return (
    <RowStack spacing={1}>
      <Grow>
        <SchemaInput form={form} field={isAmount ? amount : share} />
      </Grow>
      <ToggleButtonGroup
        exclusive
        size="small"
        aria-label={label(definition.name, amount.name)}
        value={isAmount}
        onChange={(_, next: boolean | null) => next !== null && choose(next)}
      >
        <ToggleButton value={false}>%</ToggleButton>
        <ToggleButton value={true}>{currency}</ToggleButton>
      </ToggleButtonGroup>
    </RowStack>
  )
}

/** Returns whether a field takes the whole width. */
const isWide = ({ kind }: FormField): boolean => ['paragraph', 'lines', 'address'].includes(kind)

/** Shows the sums of the typed values. */
function Sums({ form }: { form: RecordForm }) {
  const { form: texts } = useTexts()
  const { label } = useRecordTexts()
  const { definition } = form
  const sums = sumsOf(form)
  return (
    <Totals aria-label={texts.sums} aria-live="polite">
      {computedFields(definition).map((field) => (
        <Fragment key={field.name}>
          <dt>{label(definition.name, field.name)}</dt>
          <dd>
            <FieldValue field={field} resource={definition.name} value={sums[field.name]} />
          </dd>
        </Fragment>
      ))}
    </Totals>
  )
}

/** A list of sums whose last one, the total, stands out. */
const Totals = styled('dl')(({ theme }) => ({
  gridColumn: '1 / -1',
  display: 'grid',
  gridTemplateColumns: 'auto auto',
  gap: theme.spacing(0.5, 4),
  margin: '1em 0 0 auto',
  '& dd': { margin: 0, textAlign: 'right' },
  '& > :nth-last-child(-n + 2)': { fontWeight: 700 },
}))

/** Computes the sums of the typed values by the same code as the service. */
const sumsOf = ({ definition, values, before, changes }: RecordForm): JsonObject =>
  withComputed(definition, parseAmounts(definition, values), { before, sent: parseAmounts(definition, changes) })

/** Removes lines and numbers that cannot be computed yet, so that they count as nothing. */
const parseAmounts = ({ fields }: Definition, values: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      Array.isArray(value)
        ? value.filter((line) => amountOf(line as JsonObject) !== undefined)
        : typeof value === 'string' && ['decimal', 'money'].includes(fields[name]?.kind ?? '')
          ? null
          : value,
    ]),
  )
