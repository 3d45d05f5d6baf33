import TextField from '@mui/material/TextField'
import { useTexts } from '../../texts/texts.tsx'
import { type InputProps, useTextField } from './input.ts'

/** Text in several lines; how much of it fits is said when it gets long. */
export function ParagraphInput(props: InputProps) {
  const { field, value, onChange } = props
  const { form } = useTexts()
  const used = [...String(value ?? '')].length
  const max = field.max ?? Number.POSITIVE_INFINITY
  const shared = useTextField({ ...props, hint: used > max * 0.8 ? form.characters(used, max) : props.hint })
  return (
    <TextField
      {...shared}
      multiline
      minRows={3}
      maxRows={14}
      value={value ?? ''}
      onChange={({ target }) => onChange(target.value === '' ? null : target.value)}
    />
  )
}
