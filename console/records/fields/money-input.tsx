import InputAdornment from '@mui/material/InputAdornment'
import TextField from '@mui/material/TextField'
import { useMe } from '../../me/me.tsx'
import { useFormat } from '../../texts/format.ts'
import type { InputProps } from './input.ts'
import { useTypedField } from './use-typed.ts'

/** An amount in the company's currency, kept in minor units; no number in between loses a cent. */
export function MoneyInput(props: InputProps) {
  const { currency } = useMe().company
  const format = useFormat()
  const shared = useTypedField(
    props,
    (minor) => format.amount(minor, currency),
    (typed) => format.readAmount(typed, currency),
  )
  return (
    <TextField
      {...shared}
      slotProps={{
        ...shared.slotProps,
        htmlInput: { ...shared.slotProps.htmlInput, inputMode: 'decimal', style: { textAlign: 'right' } },
        input: props.isCompact ? {} : { startAdornment: <InputAdornment position="start">{currency}</InputAdornment> },
      }}
    />
  )
}
