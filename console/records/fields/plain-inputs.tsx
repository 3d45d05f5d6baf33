import Autocomplete from '@mui/material/Autocomplete'
import Checkbox from '@mui/material/Checkbox'
import FormControlLabel from '@mui/material/FormControlLabel'
import InputAdornment from '@mui/material/InputAdornment'
import MenuItem from '@mui/material/MenuItem'
import TextField from '@mui/material/TextField'
import { type ChangeEvent, useState } from 'react'
import { countries } from '#registry/iso-codes.ts'
import type { Json } from '#registry/json.ts'
import { useMe } from '../../me/me.tsx'
import { useFormat } from '../../texts/format.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { type InputProps, inputId, useTextField } from './input.ts'

/** Text in one line, and the kinds that are text of a form: e-mail, telephone, web address. */
export function TextInput(props: InputProps) {
  const { field, value } = props
  const { form } = useTexts()
  const isNumbered = field.field.kind === 'text' && field.field.numbered !== undefined
  const shared = useTextField({
    ...props,
    hint: props.hint ?? (isNumbered && value === null ? form.numbered : undefined),
  })
  return <TextField {...shared} type={types[field.kind] ?? 'text'} autoComplete="off" />
}

/** Not `email` and `url`: the browser's own sentences would take the place of ours. */
const types: { readonly [kind: string]: string } = { phone: 'tel' }

/** Text in several lines; how much of it fits is said when it gets long. */
export function ParagraphInput(props: InputProps) {
  const { field, value } = props
  const { form } = useTexts()
  const used = [...String(value ?? '')].length
  const max = field.max ?? Number.POSITIVE_INFINITY
  const shared = useTextField({ ...props, hint: used > max * 0.8 ? form.characters(used, max) : props.hint })
  return <TextField {...shared} multiline minRows={3} maxRows={14} />
}

/** Whole and decimal numbers, typed as the language writes them. */
export function NumberInput(props: InputProps) {
  const format = useFormat()
  const shared = useTypedField(props, format.typed, format.readNumber)
  return (
    <TextField
      {...shared}
      slotProps={{
        ...shared.slotProps,
        htmlInput: {
          ...shared.slotProps.htmlInput,
          inputMode: props.field.kind === 'integer' ? 'numeric' : 'decimal',
          style: { textAlign: props.isCompact ? 'right' : undefined },
        },
      }}
    />
  )
}

/** An amount in the company's currency, kept in minor units; no number in between loses a cent. */
export function MoneyInput(props: InputProps) {
  const { currency } = useMe().company
  const format = useFormat()
  const shared = useTypedField(
    props,
    (minor) => format.amount(minor, currency),
    (typed) => format.readAmount(typed, currency),
  )
  return (
    <TextField
      {...shared}
      slotProps={{
        ...shared.slotProps,
        htmlInput: { ...shared.slotProps.htmlInput, inputMode: 'decimal', style: { textAlign: 'right' } },
        input: props.isCompact ? {} : { startAdornment: <InputAdornment position="start">{currency}</InputAdornment> },
      }}
    />
  )
}

/** A day, by the browser's own calendar: it follows the system's language and the keyboard. */
export function DateInput(props: InputProps) {
  const shared = useTextField(props)
  return (
    <TextField
      {...shared}
      type="date"
      slotProps={{
        ...shared.slotProps,
        htmlInput: { ...shared.slotProps.htmlInput, max: '9999-12-31' },
        inputLabel: { shrink: true },
      }}
    />
  )
}

/** Yes or no. */
export const FlagInput = ({ label, path, value, onChange, onLeave }: InputProps) => (
  <FormControlLabel
    label={label}
    control={
      <Checkbox
        id={inputId(path)}
        checked={value === true}
        onChange={({ target }) => onChange(target.checked)}
        onBlur={onLeave}
      />
    }
  />
)

/** One of a few words; of a state only those that may follow are offered. */
export function ChoiceInput(props: InputProps & { from?: string | null }) {
  const { field, resource, from } = props
  const { value: word } = useRecordTexts()
  const { form } = useTexts()
  const shared = useTextField(props)
  const { moves, options = [] } = field
  const { mayStep } = useMe()
  const following = moves && from ? [from, ...(moves[from] ?? [])] : options
  const open = following.filter((to) => mayStep(resource, field, from ?? null, to))
  return (
    <TextField
      {...shared}
      select
      slotProps={{ select: { id: shared.id, SelectDisplayProps: { id: shared.id } as never } }}
    >
      {!field.required && (
        <MenuItem value="">
          <em>{form.chooseOne}</em>
        </MenuItem>
      )}
      {open.map((option) => (
        <MenuItem key={option} value={option}>
          {word(resource, option)}
        </MenuItem>
      ))}
    </TextField>
  )
}

/** A country, found by its name in the reader's language or by its code. */
export function CountryInput(props: InputProps) {
  const format = useFormat()
  const { form } = useTexts()
  const { slotProps, ...shared } = useTextField(props)
  return (
    <Autocomplete
      id={shared.id}
      options={countries}
      value={(props.value as string | null) ?? null}
      getOptionLabel={(code) => `${format.country(code)} (${code})`}
      noOptionsText={form.nothingFound}
      autoHighlight
      onChange={(_, code) => props.onChange(code)}
      onBlur={props.onLeave}
      renderInput={(params) => (
        <TextField {...params} label={shared.label} error={shared.error} helperText={shared.helperText} />
      )}
    />
  )
}

/**
 * The properties of a text field in which a number is typed. What cannot be read stays as it was typed, so the check says
 * what is wrong with it and nothing is lost.
 */
function useTypedField(
  props: InputProps,
  write: (value: number) => string,
  read: (typed: string) => number | undefined,
) {
  const { value, onChange, onLeave } = props
  const [typed, setTyped] = useState<string | null>(null)
  const means = (text: string): Json => (text.trim() === '' ? null : (read(text) ?? text))
  const written = value === null || value === undefined ? '' : typeof value === 'number' ? write(value) : String(value)
  // The value may also change from outside, by a reset or by somebody else's edit.
  const isOwn = typed !== null && means(typed) === (value ?? null)
  return {
    ...useTextField(props),
    value: isOwn ? typed : written,
    autoComplete: 'off',
    onChange: ({ target }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => {
      setTyped(target.value)
      onChange(means(target.value))
    },
    onBlur: () => {
      setTyped(null)
      onLeave()
    },
  }
}
