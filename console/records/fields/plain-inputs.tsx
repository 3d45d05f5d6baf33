import { mdiCalendarMonth } from '@mdi/js'
import Autocomplete, { type AutocompleteRenderInputParams, createFilterOptions } from '@mui/material/Autocomplete'
import Button from '@mui/material/Button'
import Checkbox from '@mui/material/Checkbox'
import FormControlLabel from '@mui/material/FormControlLabel'
import IconButton from '@mui/material/IconButton'
import InputAdornment from '@mui/material/InputAdornment'
import MenuItem from '@mui/material/MenuItem'
import Stack from '@mui/material/Stack'
import { styled } from '@mui/material/styles'
import TextField from '@mui/material/TextField'
import { useReference } from 'ra-core'
import { useEffect, useRef, useState } from 'react'
import { parseValue } from '#derive/parse-value.ts'
import { timeZones } from '#registry/fields/time-zone.ts'
import { countries, currencies } from '#registry/iso-codes.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { ask } from '../../client/ask.ts'
import { useMe } from '../../me/me.tsx'
import { quote } from '../../texts/foreign.ts'
import { useFormat } from '../../texts/format.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { Icon } from '../../ui/icon.tsx'
import { titleOf } from '../title.ts'
import { type InputProps, inputId, useHabits, useOpenDays, useTextField, useTypedField } from './input.ts'

/** The input of one line of text, and of e-mail, telephone and web address. */
export function TextInput(props: InputProps) {
  const { field, value } = props
  const { form } = useTexts()
  const isNumbered = field.field.kind === 'text' && field.field.numbered !== undefined
  const shared = useTypedField({
    ...props,
    hint: props.hint ?? (isNumbered && value === null ? form.numbered : undefined),
  })
  return <TextField {...shared} type={types[field.kind] ?? 'text'} />
}

/** Types of the input element. Not `email` and `url`, because the browser would show its own messages. */
const types: { readonly [kind: string]: string } = { phone: 'tel' }

/** The input of several lines of text. Shows the rest of the length when the text gets long. */
export function ParagraphInput(props: InputProps) {
  const { field, value } = props
  const { form } = useTexts()
  const used = [...String(value ?? '')].length
  const max = field.max ?? Number.POSITIVE_INFINITY
  const shared = useTypedField({ ...props, hint: used > max * 0.8 ? form.share(used, max) : props.hint })
  return <TextField {...shared} multiline minRows={3} maxRows={14} />
}

/** The input of whole and decimal numbers in the notation of the language. */
export function NumberInput(props: InputProps) {
  const inputMode = props.field.kind === 'integer' ? 'numeric' : 'decimal'
  return <TextField {...useTypedField(props)} slotProps={{ htmlInput: { inputMode } }} />
}

/** The input of an amount in the company's currency. It is stored in minor units, without rounding errors. */
export function MoneyInput(props: InputProps) {
  const { currency } = useMe().company
  return (
    <TextField
      {...useTypedField(props)}
      slotProps={{
        htmlInput: { inputMode: 'decimal', style: { textAlign: 'right' } },
        input: { startAdornment: <InputAdornment position="start">{currency}</InputAdornment> },
      }}
    />
  )
}

/**
 * The input of a day, which is typed in any form or chosen from the browser's own calendar. Of a text that can mean two
 * days, it offers both.
 */
export function DateInput(props: InputProps) {
  const { form } = useTexts()
  const calendar = useRef<HTMLInputElement>(null)
  const format = useFormat()
  const days = useOpenDays(props)
  const shared = useTypedField({ ...props, hint: days.length > 0 ? form.openDay : props.hint })
  const value = typeof props.value === 'string' ? props.value : ''
  const choose = (day: string) => {
    props.onChange(day)
    document.getElementById(shared.id)?.focus()
  }
  const button = (
    <InputAdornment position="end">
      <CalendarSource
        ref={calendar}
        type="date"
        tabIndex={-1}
        aria-hidden
        max="9999-12-31"
        value={/^\d{4}-\d{2}-\d{2}$/.test(value) ? value : ''}
        onChange={({ target }) => props.onChange(target.value || null)}
      />
      <IconButton edge="end" aria-label={form.openCalendar} onClick={() => calendar.current?.showPicker()}>
        <Icon path={mdiCalendarMonth} fontSize="small" />
      </IconButton>
    </InputAdornment>
  )
  return (
    <div>
      <TextField {...shared} slotProps={{ input: { endAdornment: button } }} />
      {days.length > 0 && (
        <Stack direction="row" spacing={1} sx={{ mt: 0.5 }}>
          {days.map((day) => (
            // The input keeps the focus, so that no problem is shown, and nothing moves, before the button is released.
            <Button
              key={day}
              variant="outlined"
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => choose(day)}
            >
              {format.longDay(day)}
            </Button>
          ))}
        </Stack>
      )}
    </div>
  )
}

/** An input that nobody sees: its calendar opens below it. */
const CalendarSource = styled('input')({ width: 0, height: 0, padding: 0, border: 0, opacity: 0, alignSelf: 'end' })

export const FlagInput = ({ label, path, value, onChange, onLeave }: InputProps) => (
  <FormControlLabel
    label={label}
    checked={value === true}
    onChange={(_, isOn) => onChange(isOn)}
    control={<Checkbox id={inputId(path)} onBlur={onLeave} />}
  />
)

/** The input of one of a few words. For a state, it offers only the states that may follow. */
export function ChoiceInput(props: InputProps) {
  const { field, resource } = props
  const from = typeof props.from === 'string' ? props.from : null
  const { value: word } = useRecordTexts()
  const { form } = useTexts()
  const shared = useTextField(props)
  const { moves, options = [] } = field
  const { mayStep } = useMe()
  const following = moves && from ? [from, ...(moves[from] ?? [])] : options
  const open = following.filter((to) => mayStep(resource, field, from, to))
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

const filterLabels = createFilterOptions<string>()

export function CountryInput(props: InputProps) {
  const format = useFormat()
  return <CodeInput {...props} codes={countries} nameOf={(code) => `${format.country(code)} (${code})`} />
}

export function CurrencyInput(props: InputProps) {
  const format = useFormat()
  return <CodeInput {...props} codes={currencies} nameOf={(code) => `${format.currency(code)} (${code})`} />
}

export const TimeZoneInput = (props: InputProps) => (
  <CodeInput {...props} codes={timeZones} nameOf={(zone) => zone.replaceAll('_', ' ')} />
)

type CodeProps = InputProps & { codes: readonly string[]; nameOf(code: string): string }

/** The input of a code, which is found by its name, or by a text that the field reads. A stored code that is none any more stays. */
function CodeInput({ codes, nameOf, ...props }: CodeProps) {
  const habits = useHabits()
  const { form } = useTexts()
  const shared = useTextField(props)
  const value = (props.value as string | null) ?? null
  return (
    <Autocomplete
      id={shared.id}
      options={value === null || codes.includes(value) ? codes : [value, ...codes]}
      value={value}
      getOptionLabel={nameOf}
      noOptionsText={form.nothingFound}
      filterOptions={(all, state) => {
        const read = parseValue(state.inputValue, props.field.field, habits)
        const named = 'value' in read && read.value !== null ? all.filter((code) => code === read.value) : []
        return [...new Set([...named, ...filterLabels(all, state)])]
      }}
      autoHighlight
      onChange={(_, code) => props.onChange(code)}
      onBlur={props.onLeave}
      renderInput={(params) => <SearchedField {...params} shared={shared} />}
    />
  )
}

/** The text field of a list that is searched by typing. Its value and its handlers are those of the list. */
const SearchedField = ({
  shared: { label, required, error, helperText },
  ...params
}: AutocompleteRenderInputParams & { shared: ReturnType<typeof useTextField> }) => (
  <TextField {...params} {...{ label, required, error, helperText }} />
)

type Option = { id: number; name: string }

/** The input of a reference to another record, which is found by a part of its name. */
export function ReferenceInput(props: InputProps) {
  const { field, value, onChange, onLeave, path } = props
  const { form } = useTexts()
  const [typed, setTyped] = useState('')
  const [isOpen, setOpen] = useState(false)
  const chosen = useChosen(field.to as string, value as number | null)
  const { options, isSearching } = useOptions(field.to as string, field.only, isOpen ? typed : null, chosen)
  const shared = useTextField(props)
  return (
    <Autocomplete
      id={inputId(path)}
      options={options}
      value={chosen}
      open={isOpen}
      onOpen={() => setOpen(true)}
      onClose={() => setOpen(false)}
      onInputChange={(_, text, reason) => setTyped(reason === 'input' ? text : '')}
      onChange={(_, option) => onChange(option?.id ?? null)}
      onBlur={onLeave}
      getOptionLabel={({ name }) => name}
      getOptionKey={({ id }) => id}
      isOptionEqualToValue={(option, other) => option.id === other.id}
      filterOptions={(all) => all}
      loading={isSearching}
      loadingText={form.searching}
      noOptionsText={form.nothingFound}
      renderInput={(params) => <SearchedField {...params} shared={shared} />}
    />
  )
}

/** Loads the name of the referenced record. */
function useChosen(to: string, id: number | null): Option | null {
  const { may } = useMe()
  const { referenceRecord } = useReference({
    reference: to,
    id: id ?? 0,
    options: { enabled: id !== null && may(to, 'VIEW') },
  })
  if (id === null) return null
  return { id, name: referenceRecord ? quote(titleOf(to, referenceRecord)) : `#${id}` }
}

function useOptions(
  to: string,
  only: { readonly [name: string]: string } | undefined,
  typed: string | null,
  chosen: Option | null,
) {
  const [found, setFound] = useState<{ typed: string; options: Option[] }>()
  useEffect(() => {
    if (typed === null) return
    const aborter = new AbortController()
    const timer = setTimeout(
      () => search(to, only, typed, aborter.signal).then(setFound, () => undefined),
      typed === '' ? 0 : 180,
    )
    return () => {
      clearTimeout(timer)
      aborter.abort()
    }
  }, [to, only, typed])
  const options = found?.options ?? []
  const isMissing = chosen !== null && !options.some(({ id }) => id === chosen.id)
  return {
    options: isMissing && !typed ? [chosen, ...options] : options,
    isSearching: typed !== null && found?.typed !== typed,
  }
}

async function search(to: string, only: object | undefined, typed: string, signal: AbortSignal) {
  const definition = definitionOf(registry, to)
  const title = definition?.title ?? 'name'
  const query = {
    limit: 20,
    q: definition?.search.length ? typed : undefined,
    sort: title,
    fields: `id,${title}`,
    ...only,
  }
  const { data } = await ask('records.list', { records: to, query, signal })
  return { typed, options: data.map((record) => ({ id: record.id, name: quote(titleOf(to, record)) })) }
}
