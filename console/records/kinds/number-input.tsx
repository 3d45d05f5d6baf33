import TextField from '@mui/material/TextField'
import { useFormat } from '../../texts/format.ts'
import { type InputProps, useTextField } from './input.ts'
import { useTyped } from './use-typed.ts'

/** Whole and decimal numbers, typed as the language writes them. */
export function NumberInput(props: InputProps) {
  const format = useFormat()
  const { text, type, settle } = useTyped(props.value, format.typed, format.readNumber)
  const shared = useTextField(props)
  return (
    <TextField
      {...shared}
      value={text}
      autoComplete="off"
      onChange={({ target }) => props.onChange(type(target.value))}
      onBlur={() => {
        settle()
        props.onLeave()
      }}
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
