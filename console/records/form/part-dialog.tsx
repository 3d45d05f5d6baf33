import Checkbox from '@mui/material/Checkbox'
import FormControlLabel from '@mui/material/FormControlLabel'
import Radio from '@mui/material/Radio'
import RadioGroup from '@mui/material/RadioGroup'
import { useEffect, useState } from 'react'
import { checkValue } from '#derive/check-value.ts'
import { tellingFields } from '#derive/form/steps.ts'
import { type FormField, fieldAt, fieldsOf, formField } from '#derive/form.ts'
import { leftOf, type Part, valuesOfPart, waysToBill } from '#derive/part.ts'
import { percent } from '#registry/common.ts'
import { type Definition, type Problem, problem } from '#registry/definition.ts'
import type { Line } from '#registry/fields/lines.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { netOf } from '#registry/resources/totals.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { useMe } from '../../me/me.tsx'
import { pathOf } from '../../shell/places.ts'
import { useFormat } from '../../texts/format.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { AskFirst } from '../../ui/ask-first.tsx'
import { Foreign } from '../../ui/foreign.tsx'
import { Entry, Fields, PlainList, RowStack, Unbroken } from '../../ui/layout.tsx'
import { FactList, Note, Text } from '../../ui/panel.tsx'
import { PendingContent } from '../../ui/pending.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { FieldValue } from '../fields/field-value.tsx'
import { inputId } from '../fields/input.ts'
import { FieldInput } from '../fields/inputs.tsx'
import { titleOf } from '../title.ts'

type PartDialogProps = {
  /** The resource of the new record, and its reference to the record that is billed in parts. */
  definition: Definition
  by: string
  offer: JsonObject
  /** Takes the priced fields of the chosen part. */
  onChoose(values: JsonObject): void
  onClose(): void
}

/** Asks which part of an offer a new record bills. Where nothing is left, it shows the records that bill it. */
export function PartDialog(props: PartDialogProps) {
  const { definition, by, offer, onClose } = props
  const { make, sum } = useRecordTexts()
  const field = definition.fields[by]
  const [to, part] = field?.kind === 'reference' ? [field.to, field.gives?.part ?? ''] : ['', '']
  const { data, error, reload } = useLoaded('records.sums', { records: to, id: String(offer.id) })
  const billed = data?.sums[part] ?? undefined
  if (data && waysToBill(offer, billed).length > 0)
    return <PartForm {...props} name={nameOf(to, offer)} billed={billed} billedLabel={sum(to, part)} />
  return (
    <AskFirst title={make(definition.name)} onClose={onClose}>
      {data ? (
        <Billing definition={definition} by={by} id={offer.id as number} />
      ) : (
        <PendingContent error={error} retry={reload} />
      )}
    </AskFirst>
  )
}

/** Returns the number and the title of a record, as a line on a paper names it. */
function nameOf(resource: string, record: JsonObject): string {
  const { fields = {}, title = '' } = definitionOf(registry, resource) ?? {}
  const numbers = Object.keys(fields).filter((name) => fields[name]?.kind === 'text' && 'numbered' in fields[name])
  const names = [...new Set([...numbers, title])]
  return names.flatMap((name) => record[name] ?? []).join(', ')
}

/** Lists the records that bill an offer. */
function Billing({ definition, by, id }: { definition: Definition; by: string; id: number }) {
  const { parts } = useTexts()
  const { name } = definition
  const { data, error, reload } = useLoaded('records.list', { records: name, query: { [by]: id, limit: 100 } })
  const told = tellingFields(definition).filter(({ kind, name: field }) => kind === 'money' || field === 'status')
  return (
    <>
      <Text mb={1}>{parts.nothingLeft}</Text>
      <PendingContent error={error} retry={reload} isThere={data !== undefined} />
      <PlainList>
        {data?.map((record) => (
          <Entry key={record.id}>
            <RowStack isSpread spacing={2}>
              <TextLink to={pathOf(name, record.id)}>
                <Foreign text={titleOf(name, record)} />
              </TextLink>
              {told.map((field) => (
                <FieldValue key={field.name} field={field} resource={name} value={record[field.name] as never} />
              ))}
            </RowStack>
          </Entry>
        ))}
      </PlainList>
    </>
  )
}

const shareField = formField('percent', { ...percent, min: 0.01, required: true, example: 40, about: 'A share.' })
const amountField = formField('amount', { kind: 'money', required: true, about: 'An amount before tax.' })

type PartFormProps = PartDialogProps & {
  /** What lines call the offer. */
  name: string
  /** What is billed of it already, in minor units; undefined where the reader may not see it. */
  billed: number | undefined
  billedLabel: string
}

function PartForm({ definition, offer, name, billed = 0, billedLabel, onChoose, onClose }: PartFormProps) {
  const { parts } = useTexts()
  const { make, label } = useRecordTexts()
  const { company } = useMe()
  const format = useFormat()
  const [way, setWay] = useState<Part['by']>('percent')
  const [typed, setTyped] = useState<JsonObject>({})
  const [isChecked, setChecked] = useState(false)
  useEffect(() => document.getElementById(inputId(way))?.focus(), [way])

  const money = (minor: number): string => format.money(minor, company.currency)
  const type = (path: string, value: Json) => setTyped((current) => ({ ...current, [path]: value }))
  const lines = (offer.lines as Line[]).map((line, index) => ({ line, path: `lines[${index}].quantity` }))
  const quantity = fieldAt(fieldsOf(definition), 'lines.quantity') as FormField
  const ticked = lines.filter(({ path }) => path in typed)
  const inputs = {
    percent: [{ path: 'percent', field: shareField, label: parts.percent }],
    amount: [{ path: 'amount', field: amountField, label: parts.amount }],
    lines: ticked.map(({ path }) => ({ path, field: quantity, label: label('lines', 'quantity') })),
    rest: [],
    all: [],
  }[way]
  const problems = inputs.flatMap(({ path, field }): readonly Problem[] => {
    const value = typed[path] ?? null
    return value === null ? [problem(path, 'required', 'is required')] : checkValue(field.field, value, path).problems
  })
  const input = ({ path, ...rest }: (typeof inputs)[number]) => (
    <FieldInput
      {...rest}
      path={path}
      resource={definition.name}
      value={typed[path] ?? null}
      problems={isChecked ? problems.filter(({ field }) => field === path) : []}
      onChange={(value) => type(path, value)}
    />
  )

  const part = partOf(way, typed, ticked)
  const description = {
    percent: () => parts.shareOf(format.number(Number(typed.percent)), name),
    amount: () => parts.partOf(name),
    lines: () => '',
    rest: () => parts.restOf(name),
    all: () => '',
  }[way]
  const values = problems.length === 0 ? valuesOfPart(offer, part, billed, description()) : undefined
  const net = values && netOf(values)
  const left = leftOf(offer, billed)
  const fault =
    net === undefined ? undefined : net > left ? parts.tooMuch(money(left)) : net <= 0 ? parts.nothing : undefined

  return (
    <AskFirst
      wide
      title={make(definition.name)}
      confirm={parts.goOn}
      onConfirm={() => {
        setChecked(true)
        if (values && !fault) onChoose(values)
        else document.getElementById(inputId(problems[0]?.field ?? way))?.focus()
      }}
      onClose={onClose}
    >
      <FactList
        isBeside
        facts={[
          [parts.offered, money(netOf(offer))],
          [billedLabel, money(billed)],
          [parts.left, money(left)],
        ]}
      />
      <RadioGroup
        row
        aria-label={parts.way}
        value={way}
        onChange={(_, next) => {
          setWay(next as Part['by'])
          setChecked(false)
        }}
      >
        {waysToBill(offer, billed).map((each) => (
          <FormControlLabel key={each} value={each} label={parts.ways[each]} control={<Radio size="small" />} />
        ))}
      </RadioGroup>
      {way !== 'lines' && inputs.map((one) => <Fields key={one.path}>{input(one)}</Fields>)}
      {way === 'lines' && (
        <PlainList>
          {lines.map(({ line, path }) => (
            <Entry key={path}>
              <RowStack isSpread spacing={2}>
                <FormControlLabel
                  label={<Foreign text={line.description} />}
                  checked={path in typed}
                  control={<Checkbox />}
                  onChange={(_, isOn) =>
                    isOn
                      ? type(path, line.quantity)
                      : setTyped((current) => Object.fromEntries(Object.entries(current).filter(([at]) => at !== path)))
                  }
                />
                {inputs
                  .filter((one) => one.path === path)
                  .map((one) => (
                    <Unbroken key={path}>{input(one)}</Unbroken>
                  ))}
              </RowStack>
            </Entry>
          ))}
        </PlainList>
      )}
      <Text mt={2} aria-live="polite">
        {net !== undefined && parts.comesTo(money(net))}
      </Text>
      {isChecked && fault && (
        <Note severity="error" role="alert">
          {fault}
        </Note>
      )}
    </AskFirst>
  )
}

/** Returns the part that was typed. Ticked lines have the quantities of their paths. */
function partOf(way: Part['by'], typed: JsonObject, ticked: readonly { line: Line; path: string }[]): Part {
  if (way === 'percent') return { by: way, percent: Number(typed.percent) }
  if (way === 'amount') return { by: way, amount: Number(typed.amount) }
  if (way === 'lines')
    return { by: way, lines: ticked.map(({ line, path }) => ({ ...line, quantity: Number(typed[path]) })) }
  return { by: way }
}
