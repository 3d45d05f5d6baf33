import Checkbox from '@mui/material/Checkbox'
import FormControlLabel from '@mui/material/FormControlLabel'
import { type InputProps, inputId } from './input.ts'

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
