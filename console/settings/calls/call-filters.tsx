import Chip from '@mui/material/Chip'
import MenuItem from '@mui/material/MenuItem'
import TextField from '@mui/material/TextField'
import { refusals } from '#registry/refusals.ts'
import { servedDefinitions } from '../../shell/places.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { RowStack, Tiles } from '../../ui/layout.tsx'
import { MutedText } from '../../ui/panel.tsx'
import { DayFields, ReloadButton, setFilter } from '../filter-parts.tsx'
import type { CallFilter } from '../paths.ts'

type CallFiltersProps = { values: CallFilter; onChange(values: CallFilter): void; onReload(): void }

/** The filters of the calls. */
export function CallFilters({ values, onChange, onReload }: CallFiltersProps) {
  const { settings } = useTexts()
  const { calls } = settings
  const { many } = useRecordTexts()
  const set = (name: keyof CallFilter, value: string) => onChange(setFilter(values, name, value))
  const resources = servedDefinitions.map(({ name }): [string, string] => [name, many(name)])
  const { route } = values
  const isRoute = route !== undefined && !resources.some(([name]) => name === route)
  const choices = [
    { name: 'outcome', label: calls.outcome, options: Object.entries(calls.outcomes) },
    { name: 'route', label: calls.route, options: isRoute ? [...resources, [route, route] as const] : resources },
    { name: 'code', label: calls.code, options: Object.keys(refusals).map((code): [string, string] => [code, code]) },
  ] as const
  return (
    <Tiles isKept width={145} gap={1.5} mb={2}>
      {choices.map(({ name, label, options }) => (
        <TextField
          key={name}
          select
          id={`call-${name}`}
          label={label}
          value={values[name] ?? ''}
          onChange={({ target }) => set(name, target.value)}
        >
          <MenuItem value="">
            <em>{calls.any}</em>
          </MenuItem>
          {options.map(([value, shown]) => (
            <MenuItem key={value} value={value} dense>
              {shown}
            </MenuItem>
          ))}
        </TextField>
      ))}
      <DayFields idPrefix="call" labels={calls} values={values} onChange={set} />
      <ReloadButton onReload={onReload} />
      <RowStack isWhole spacing={1}>
        {(['about', 'peer', 'token', 'status'] as const).map((name) =>
          values[name] === undefined ? null : (
            <Chip
              key={name}
              size="medium"
              variant="filled"
              label={`${calls[name]}: ${values[name]}`}
              onDelete={() => set(name, '')}
            />
          ),
        )}
        <MutedText>{calls.dayHint}</MutedText>
      </RowStack>
    </Tiles>
  )
}
