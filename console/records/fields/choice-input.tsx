import MenuItem from '@mui/material/MenuItem'
import TextField from '@mui/material/TextField'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { type InputProps, useTextField } from './input.ts'

/** One of a few words; of a state only those that may follow are offered. */
export function ChoiceInput(props: InputProps & { from?: string | null }) {
  const { field, value, onChange, resource, from } = props
  const { value: word } = useRecordTexts()
  const { form } = useTexts()
  const shared = useTextField(props)
  const { moves, options = [] } = field
  const open = moves && from ? [from, ...(moves[from] ?? [])] : options
  return (
    <TextField
      {...shared}
      select
      value={value ?? ''}
      onChange={({ target }) => onChange(target.value === '' ? null : target.value)}
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
