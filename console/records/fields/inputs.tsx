import { mdiArrowDown, mdiArrowUp, mdiClose, mdiPlus } from '@mdi/js'
import Button from '@mui/material/Button'
import FormHelperText from '@mui/material/FormHelperText'
import IconButton from '@mui/material/IconButton'
import { styled } from '@mui/material/styles'
import Typography from '@mui/material/Typography'
import { type ComponentType, memo, type RefObject, useEffect, useRef, useState } from 'react'
import type { FormField } from '#derive/form.ts'
import type { Problem } from '#registry/definition.ts'
import type { Field } from '#registry/fields/index.ts'
import { isObject, isSameJson, type Json, type JsonObject } from '#registry/json.ts'
import { useMe } from '../../me/me.tsx'
import { useFormat } from '../../texts/format.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Bare, Fields, Unbroken } from '../../ui/layout.tsx'
import { Lead, MutedText } from '../../ui/panel.tsx'
import { amountOf } from './field-value.tsx'
import { type InputProps, inputId, useProblemHere } from './input.ts'
import {
  ChoiceInput,
  CountryInput,
  CurrencyInput,
  DateInput,
  FlagInput,
  MoneyInput,
  NumberInput,
  ParagraphInput,
  ReferenceInput,
  TextInput,
  TimeZoneInput,
} from './plain-inputs.tsx'

/** The input of every kind of field. A new kind is one more line here. */
const inputs: { readonly [kind in Field['kind']]: ComponentType<InputProps> } = {
  address: AddressInput,
  choice: ChoiceInput,
  country: CountryInput,
  currency: CurrencyInput,
  date: DateInput,
  decimal: NumberInput,
  email: TextInput,
  flag: FlagInput,
  iban: TextInput,
  id: NumberInput,
  instant: TextInput,
  integer: NumberInput,
  lines: LinesInput,
  money: MoneyInput,
  paragraph: ParagraphInput,
  phone: TextInput,
  reference: ReferenceInput,
  text: TextInput,
  time_zone: TimeZoneInput,
  url: TextInput,
}

/** The input of a field. A key that is pressed in another input renders it no second time. */
export function FieldInput(props: InputProps) {
  const latest = useRef(props)
  latest.current = props
  const [handlers] = useState(() => ({
    onChange: (value: Json) => latest.current.onChange(value),
    onLeave: () => latest.current.onLeave?.(),
  }))
  return <SteadyInput {...props} {...handlers} />
}

const SteadyInput = memo(function SteadyInput(props: InputProps) {
  const Input = inputs[props.field.kind]
  return <Input {...props} />
}, areSame)

type Properties = { readonly [name: string]: unknown; problems?: readonly Problem[] }

/** Returns whether each property is the same one, and problems have the same content: they are listed anew for each key. */
function areSame({ problems = [], ...one }: Properties, { problems: others = [], ...other }: Properties): boolean {
  const isAlike = isSameJson([...problems], [...others])
  return isAlike && Object.entries(one).every(([name, value]) => value === other[name])
}

function AddressInput(props: InputProps) {
  const { field, label, value, path, onChange } = props
  const { label: labelOf } = useRecordTexts()
  const address: JsonObject = isObject(value) ? value : {}
  return (
    <Bare id={inputId(path)} sx={{ gridColumn: '1 / -1' }}>
      <MutedText component="legend" mb={1}>
        {label}
      </MutedText>
      <Fields>
        {field.members?.map((member) => (
          <FieldInput
            key={member.name}
            {...props}
            field={member}
            path={`${path}.${member.name}`}
            label={labelOf('address', member.name)}
            value={address[member.name] ?? null}
            onChange={(changed) => onChange(withMember(field.members ?? [], address, member.name, changed))}
          />
        ))}
      </Fields>
    </Bare>
  )
}

/** Returns the whole address with a changed member, or null if every member is empty. */
function withMember(
  members: readonly { name: string }[],
  address: JsonObject,
  name: string,
  changed: JsonObject[string],
) {
  const whole: JsonObject = Object.fromEntries(
    members.map((member) => [member.name, member.name === name ? changed : (address[member.name] ?? null)]),
  )
  return Object.values(whole).some((member) => member !== null) ? whole : null
}

/** The input of priced lines, each with its amount. They can be added, moved and removed by keyboard too. */
function LinesInput(props: InputProps) {
  const { field, value, path, onChange, problems = [] } = props
  const { form } = useTexts()
  const wrong = useProblemHere(props)
  const lines = linesOf(value)
  const latest = useRef(props)
  latest.current = props
  const members = field.members ?? []
  const added = useRef(false)
  const focus = (index: number) => document.getElementById(inputId(`${path}[${index}].${members[0]?.name}`))?.focus()

  useEffect(() => {
    if (!added.current) return
    added.current = false
    focus(lines.length - 1)
  })

  const add = () => {
    added.current = true
    onChange([...lines, Object.fromEntries(members.map(({ name, field: of }) => [name, of.initial ?? null]))])
  }

  const next = useRef<(index: number) => void>(add)
  next.current = (index) => (index < lines.length - 1 ? focus(index + 1) : add())

  return (
    <div id={inputId(path)} tabIndex={-1}>
      {lines.length === 0 && <Lead mb={0}>{form.noLines}</Lead>}
      {lines.map((line, index) => (
        <LineInput
          key={index}
          {...{ latest, next, line, index }}
          isLast={index === lines.length - 1}
          problems={problems.filter((problem) => problem.field.startsWith(`${path}[${index}]`))}
        />
      ))}
      {wrong && (
        <FormHelperText error sx={{ mb: 1 }}>
          {wrong}
        </FormHelperText>
      )}
      <Button startIcon={<Icon path={mdiPlus} />} onClick={add} variant="outlined" sx={{ mt: 1.5 }}>
        {form.addLine}
      </Button>
      {lines.length > 0 && <MutedText>{form.nextLine}</MutedText>}
    </div>
  )
}

const linesOf = (value: Json): JsonObject[] => (Array.isArray(value) ? (value as JsonObject[]) : [])

type LineProps = {
  /** The properties of the whole list, as they are now. */
  latest: RefObject<InputProps>
  /** Leads to the line after this one, which is added if there is none. */
  next: RefObject<(index: number) => void>
  line: JsonObject
  index: number
  isLast: boolean
  problems: readonly Problem[]
}

/** One line of what may be hundreds, which a key that is pressed in another line renders no second time either. */
const LineInput = memo(function LineInput({ latest, next, line, index, isLast, problems }: LineProps) {
  const { form } = useTexts()
  const { label: labelOf } = useRecordTexts()
  const format = useFormat()
  const { currency } = useMe().company
  const { path, field } = latest.current
  const amount = amountOf(line)
  return (
    <LineRow
      role="group"
      aria-label={form.line(index + 1)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.defaultPrevented || !(event.target instanceof HTMLInputElement)) return
        event.preventDefault()
        next.current(index)
      }}
    >
      {field.members?.map((member) => (
        <div key={member.name} style={{ flex: widthOf(member), minWidth: 0 }}>
          <FieldInput
            field={member}
            resource={latest.current.resource}
            problems={problems}
            label={labelOf('lines', member.name)}
            path={`${path}[${index}].${member.name}`}
            value={line[member.name] ?? null}
            onLeave={() => latest.current.onLeave?.()}
            onChange={(changed) =>
              changeLines(latest, (lines) => lines.with(index, { ...lines[index], [member.name]: changed }))
            }
          />
        </div>
      ))}
      <Typography sx={{ flex: '0 0 120px', textAlign: 'right', fontVariantNumeric: 'tabular-nums', pt: 1 }}>
        {amount === undefined ? '–' : format.money(amount, currency)}
      </Typography>
      <LineButtons {...{ latest, index, isLast }} />
    </LineRow>
  )
}, areSame)

/** The buttons of a line, which a key in the line renders no second time. */
const LineButtons = memo(function LineButtons({
  latest,
  index,
  isLast,
}: Pick<LineProps, 'latest' | 'index' | 'isLast'>) {
  const { form } = useTexts()
  const move = (to: number) => changeLines(latest, (lines) => lines.with(index, lines[to]!).with(to, lines[index]!))
  return (
    <Unbroken>
      {[
        { label: form.moveUp(index + 1), path: mdiArrowUp, to: index - 1, isOff: index === 0 },
        { label: form.moveDown(index + 1), path: mdiArrowDown, to: index + 1, isOff: isLast },
      ].map(({ label, path, to, isOff }) => (
        <IconButton key={label} aria-label={label} disabled={isOff} onClick={() => move(to)}>
          <Icon path={path} fontSize="small" />
        </IconButton>
      ))}
      <IconButton
        aria-label={form.removeLine(index + 1)}
        onClick={() => {
          changeLines(latest, (lines) => lines.toSpliced(index, 1))
          latest.current.onLeave?.()
        }}
      >
        <Icon path={mdiClose} fontSize="small" />
      </IconButton>
    </Unbroken>
  )
})

/** Changes the lines as they are now. */
const changeLines = (
  { current: { value, onChange } }: RefObject<InputProps>,
  change: (lines: JsonObject[]) => JsonObject[],
) => onChange(change(linesOf(value)))

const LineRow = styled('div')(({ theme }) => ({
  display: 'flex',
  flexWrap: 'wrap',
  gap: theme.spacing(1.5, 1),
  alignItems: 'flex-start',
  padding: theme.spacing(1.25, 0),
  borderBottom: `1px solid ${theme.vars?.palette.divider}`,
  [theme.breakpoints.up('md')]: { flexWrap: 'nowrap' },
}))

/** Returns the width of a column. Long text gets most of the rest. */
const widthOf = ({ kind, max = 0 }: FormField): string =>
  kind === 'text' ? (max > 100 ? '9 1 220px' : '1 1 100px') : kind === 'money' ? '1 1 160px' : '1 1 110px'
