import { mdiArrowDown, mdiArrowUp, mdiClose, mdiPlus } from '@mdi/js'
import Button from '@mui/material/Button'
import FormHelperText from '@mui/material/FormHelperText'
import IconButton from '@mui/material/IconButton'
import { styled } from '@mui/material/styles'
import Typography from '@mui/material/Typography'
import { type ComponentType, memo, type RefObject, useEffect, useRef } from 'react'
import type { FormField } from '#derive/form.ts'
import type { Problem } from '#registry/definition.ts'
import type { Field } from '#registry/fields/index.ts'
import { isObject, type Json, type JsonObject } from '#registry/json.ts'
import { useMe } from '../../me/me.tsx'
import { useFormat } from '../../texts/format.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Bare, Fields, Grow, Unbroken } from '../../ui/layout.tsx'
import { Lead, MutedText } from '../../ui/panel.tsx'
import { amountOf } from './field-value.tsx'
import { type InputProps, inputId, useProblemHere } from './input.ts'
import {
  ChoiceInput,
  CountryInput,
  DateInput,
  FlagInput,
  MoneyInput,
  NumberInput,
  ParagraphInput,
  ReferenceInput,
  TextInput,
} from './plain-inputs.tsx'

/** The input of every kind of field. A new kind is one more line here. */
const inputs: { readonly [kind in Field['kind']]: ComponentType<InputProps> } = {
  address: AddressInput,
  choice: ChoiceInput,
  country: CountryInput,
  date: DateInput,
  decimal: NumberInput,
  email: TextInput,
  flag: FlagInput,
  id: NumberInput,
  instant: TextInput,
  integer: NumberInput,
  lines: LinesInput,
  money: MoneyInput,
  paragraph: ParagraphInput,
  phone: TextInput,
  reference: ReferenceInput,
  text: TextInput,
  url: TextInput,
}

export function FieldInput(props: InputProps) {
  const Input = inputs[props.field.kind]
  return <Input {...props} />
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

  useEffect(() => {
    if (!added.current) return
    added.current = false
    document.getElementById(inputId(`${path}[${lines.length - 1}].${members[0]?.name}`))?.focus()
  }, [lines.length, members, path])

  const add = () => {
    added.current = true
    onChange([...lines, Object.fromEntries(members.map(({ name, field: of }) => [name, of.initial ?? null]))])
  }

  return (
    <div id={inputId(path)} tabIndex={-1}>
      {lines.length === 0 && <Lead mb={1}>{form.noLines}</Lead>}
      {lines.map((line, index) => (
        <LineInput
          key={index}
          {...{ latest, line, index }}
          isLast={index === lines.length - 1}
          problems={problems.filter((problem) => problem.field.startsWith(`${path}[${index}]`))}
        />
      ))}
      {wrong && (
        <FormHelperText error sx={{ mb: 1 }}>
          {wrong}
        </FormHelperText>
      )}
      <Button startIcon={<Icon path={mdiPlus} />} onClick={add} variant="outlined">
        {form.addLine}
      </Button>
    </div>
  )
}

const linesOf = (value: Json): JsonObject[] => (Array.isArray(value) ? (value as JsonObject[]) : [])

type LineProps = {
  /** The properties of the whole list, as they are now. */
  latest: RefObject<InputProps>
  line: JsonObject
  index: number
  isLast: boolean
  problems: readonly Problem[]
}

/** One line. A key that is pressed in another line renders it no second time, since a list may have hundreds. */
const LineInput = memo(function LineInput({ latest, line, index, isLast, problems }: LineProps) {
  const { form } = useTexts()
  const { label: labelOf } = useRecordTexts()
  const format = useFormat()
  const { currency } = useMe().company
  const { path, field } = latest.current
  const amount = amountOf(line)
  const change = (edit: (lines: JsonObject[]) => JsonObject[]) =>
    latest.current.onChange(edit(linesOf(latest.current.value)))
  const move = (to: number) => change((lines) => lines.with(index, lines[to]!).with(to, lines[index]!))
  return (
    <LineRow role="group" aria-label={form.line(index + 1)}>
      {field.members?.map((member) => (
        <Grow key={member.name} sx={{ flex: widthOf(member) }}>
          <FieldInput
            field={member}
            resource={latest.current.resource}
            problems={problems}
            label={labelOf('lines', member.name)}
            path={`${path}[${index}].${member.name}`}
            value={line[member.name] ?? null}
            onLeave={() => latest.current.onLeave?.()}
            onChange={(changed) => change((lines) => lines.with(index, { ...lines[index], [member.name]: changed }))}
          />
        </Grow>
      ))}
      <Typography sx={{ flex: '0 0 120px', textAlign: 'right', fontVariantNumeric: 'tabular-nums', pt: 1 }}>
        {amount === undefined ? '–' : format.money(amount, currency)}
      </Typography>
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
            change((lines) => lines.toSpliced(index, 1))
            latest.current.onLeave?.()
          }}
        >
          <Icon path={mdiClose} fontSize="small" />
        </IconButton>
      </Unbroken>
    </LineRow>
  )
}, isSameLine)

function isSameLine(one: LineProps, other: LineProps): boolean {
  return (
    one.line === other.line &&
    one.index === other.index &&
    one.isLast === other.isLast &&
    one.problems.length === other.problems.length &&
    one.problems.every(({ field, message }, n) => {
      const same = other.problems[n]
      return same?.field === field && same.message === message
    })
  )
}

const LineRow = styled('div')(({ theme }) => ({
  display: 'flex',
  flexWrap: 'wrap',
  gap: theme.spacing(1),
  alignItems: 'flex-start',
  padding: theme.spacing(1.25, 0),
  borderBottom: `1px solid ${theme.vars?.palette.divider}`,
  [theme.breakpoints.up('md')]: { flexWrap: 'nowrap' },
}))

/** Returns the width of a column. Long text gets the rest. */
const widthOf = ({ kind, max = 0 }: FormField): string =>
  kind === 'text' ? (max > 100 ? '4 1 220px' : '0 1 100px') : kind === 'money' ? '0 1 160px' : '0 1 110px'
