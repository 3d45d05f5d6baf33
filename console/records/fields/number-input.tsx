import TextField from '@mui/material/TextField'
import { useFormat } from '../../texts/format.ts'
import type { InputProps } from './input.ts'
import { useTypedField } from './use-typed.ts'

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
