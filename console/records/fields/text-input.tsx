import TextField from '@mui/material/TextField'
import { useTexts } from '../../texts/texts.tsx'
import { type InputProps, useTextField } from './input.ts'

/** Text in one line, and the kinds that are text of a form: e-mail, telephone, web address. */
export function TextInput(props: InputProps) {
  const { field, value, onChange } = props
  const { form } = useTexts()
  const isNumbered = field.field.kind === 'text' && field.field.numbered !== undefined
  const shared = useTextField({
    ...props,
    hint: props.hint ?? (isNumbered && value === null ? form.numbered : undefined),
  })
  return (
    <TextField
      {...shared}
      type={types[field.kind] ?? 'text'}
      value={value ?? ''}
      autoComplete="off"
      onChange={({ target }) => onChange(target.value === '' ? null : target.value)}
    />
  )
}

/** Not `email` and `url`: the browser's own sentences would take the place of ours. */
const types: { readonly [kind: string]: string } = { phone: 'tel' }
