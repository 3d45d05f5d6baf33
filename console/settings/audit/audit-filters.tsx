import Chip from '@mui/material/Chip'
import { useTexts } from '../../texts/texts.tsx'
import { RowStack, Tiles } from '../../ui/layout.tsx'
import { MutedText } from '../../ui/panel.tsx'
import { Select } from '../../ui/small-form.tsx'
import { DayFields, ReloadButton, setFilter } from '../filter-parts.tsx'
import type { AuditFilter } from '../paths.ts'

type AuditFiltersProps = {
  values: AuditFilter
  /** The name of the chosen account, if an entry has it. */
  actorName: string | undefined
  onChange(values: AuditFilter): void
  onReload(): void
}

/** The filters of the entries. */
export function AuditFilters({ values, actorName, onChange, onReload }: AuditFiltersProps) {
  const { settings } = useTexts()
  const { audit } = settings
  const set = (name: keyof AuditFilter, value: string) => onChange(setFilter(values, name, value))
  const choices = [
    { name: 'records', label: audit.records, options: settings.history.kinds },
    { name: 'action', label: audit.action, options: audit.actions },
  ] as const
  return (
    <Tiles isKept width={160} gap={1.5} mb={1}>
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
      <DayFields idPrefix="audit" labels={audit} values={values} onChange={set} />
      <ReloadButton onReload={onReload} />
      <RowStack isWhole spacing={1}>
        {values.actor !== undefined && (
          <Chip
            size="medium"
            variant="filled"
            label={`${audit.actor}: ${actorName ?? values.actor}`}
            onDelete={() => set('actor', '')}
          />
        )}
        <MutedText>{audit.dayHint}</MutedText>
      </RowStack>
    </Tiles>
  )
}
