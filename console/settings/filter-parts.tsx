import Refresh from '@mui/icons-material/Refresh'
import IconButton from '@mui/material/IconButton'
import TextField from '@mui/material/TextField'
import { useTexts } from '../texts/texts.tsx'

type Days = { from?: string; to?: string }
type DayFieldsProps = { idPrefix: string; labels: { fromDay: string; toDay: string }; values: Days }

/** The inputs of the first and the last day. */
export function DayFields(props: DayFieldsProps & { onChange(name: keyof Days, value: string): void }) {
  const { idPrefix, labels, values, onChange } = props
  const days = [
    { name: 'from', label: labels.fromDay },
    { name: 'to', label: labels.toDay },
  ] as const
  return days.map(({ name, label }) => (
    <TextField
      key={name}
      id={`${idPrefix}-${name}`}
      type="date"
      label={label}
      value={values[name] ?? ''}
      onChange={({ target }) => onChange(name, target.value)}
      slotProps={{ inputLabel: { shrink: true } }}
    />
  ))
}

export function ReloadButton({ onReload }: { onReload(): void }) {
  const { common } = useTexts()
  return (
    <IconButton aria-label={common.retry} onClick={onReload} sx={{ justifySelf: 'start' }}>
      <Refresh />
    </IconButton>
  )
}

/** Returns the filter with another value of one of its members; the empty text takes the member away. */
export function setFilter<Filter extends object>(values: Filter, name: keyof Filter, value: string): Filter {
  const { [name]: _, ...rest } = values
  return (value === '' ? rest : { ...rest, [name]: value }) as Filter
}
