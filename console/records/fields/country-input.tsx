import Autocomplete from '@mui/material/Autocomplete'
import TextField from '@mui/material/TextField'
import { countries } from '#registry/countries.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/texts.tsx'
import { type InputProps, useTextField } from './input.ts'

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
