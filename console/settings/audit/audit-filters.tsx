import Refresh from '@mui/icons-material/Refresh'
import Box from '@mui/material/Box'
import Chip from '@mui/material/Chip'
import IconButton from '@mui/material/IconButton'
import TextField from '@mui/material/TextField'
import { useTexts } from '../../texts/texts.tsx'
import { Muted } from '../../ui/panel.tsx'
import { Select } from '../../ui/select.tsx'
import type { AuditFilter } from '../paths.ts'

type AuditFiltersProps = {
  values: AuditFilter
  /** The name of the account that is chosen, where an entry tells it. */
  actorName: string | undefined
  onChange(values: AuditFilter): void
  onReload(): void
}

/** Which entries are shown. */
export function AuditFilters({ values, actorName, onChange, onReload }: AuditFiltersProps) {
  const { settings, common } = useTexts()
  const { audit } = settings
  const set = (name: keyof AuditFilter, value: string) => {
    const { [name]: _, ...rest } = values
    onChange(value === '' ? rest : { ...rest, [name]: value })
  }
  const choices = [
    { name: 'records', label: audit.records, options: settings.history.kinds },
    { name: 'action', label: audit.action, options: audit.actions },
  ] as const
  const days = [
    { name: 'from', label: audit.fromDay },
    { name: 'to', label: audit.toDay },
  ] as const
  return (
    <Box
      sx={{ display: 'grid', gap: 1.5, mb: 1, gridTemplateColumns: 'repeat(auto-fill, minmax(min(100%, 160px), 1fr))' }}
    >
      {choices.map(({ name, label, options }) => (
        <Select
          key={name}
          id={`audit-${name}`}
          label={label}
          value={values[name] ?? ''}
          options={[
            { value: '', text: audit.any },
            ...Object.entries(options).map(([value, text]) => ({ value, text })),
          ]}
          onChange={(value) => set(name, value)}
        />
      ))}
      {days.map(({ name, label }) => (
        <TextField
          key={name}
          id={`audit-${name}`}
          type="date"
          label={label}
          value={values[name] ?? ''}
          onChange={({ target }) => set(name, target.value)}
          slotProps={{ inputLabel: { shrink: true } }}
        />
      ))}
      <IconButton aria-label={common.retry} onClick={onReload} sx={{ justifySelf: 'start' }}>
        <Refresh />
      </IconButton>
      <Box sx={{ gridColumn: '1 / -1', display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1 }}>
        {values.actor !== undefined && (
          <Chip
            size="medium"
            variant="filled"
            label={`${audit.actor}: ${actorName ?? values.actor}`}
            onDelete={() => set('actor', '')}
          />
        )}
        <Muted>{audit.dayHint}</Muted>
      </Box>
    </Box>
  )
}
