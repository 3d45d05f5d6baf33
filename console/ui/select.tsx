import MenuItem from '@mui/material/MenuItem'
import TextField, { type TextFieldProps } from '@mui/material/TextField'

type SelectProps<Value> = Omit<TextFieldProps, 'value' | 'onChange'> & {
  value: Value
  options: readonly { value: Value; text: string }[]
  onChange(value: Value): void
}

/** One of a few, of which one is chosen at any time. */
export const Select = <Value extends string | number>({ options, onChange, ...rest }: SelectProps<Value>) => (
  <TextField
    select
    slotProps={{ inputLabel: { shrink: true }, select: { displayEmpty: true } }}
    onChange={({ target }) => onChange(target.value as Value)}
    {...rest}
  >
    {options.map(({ value, text }) => (
      <MenuItem key={value} value={value}>
        {text}
      </MenuItem>
    ))}
  </TextField>
)
