import TextField from '@mui/material/TextField'
import { type InputProps, useTextField } from './input.ts'

/** A day, by the browser's own calendar: it follows the system's language and the keyboard. */
export function DateInput(props: InputProps) {
  const shared = useTextField(props)
  return (
    <TextField
      {...shared}
      type="date"
      value={props.value ?? ''}
      onChange={({ target }) => props.onChange(target.value === '' ? null : target.value)}
      slotProps={{
        ...shared.slotProps,
        htmlInput: { ...shared.slotProps.htmlInput, max: '9999-12-31' },
        inputLabel: { shrink: true },
      }}
    />
  )
}
