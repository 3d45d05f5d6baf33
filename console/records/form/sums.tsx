import Box from '@mui/material/Box'
import { computedFields } from '#derive/form.ts'
import type { JsonObject } from '#registry/json.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { amountOf } from '../fields/line-amount.ts'
import { Shown } from '../fields/shown.tsx'
import type { RecordForm } from './use-record-form.ts'

/** What follows from what is typed, by the same arithmetic as the service’s. */
export function Sums({ form }: { form: RecordForm }) {
  const { form: texts } = useTexts()
  const { label } = useRecordTexts()
  const { definition, values } = form
  const sums = definition.computed?.(countable(values)) ?? {}
  return (
    <Box
      component="dl"
      aria-label={texts.sums}
      aria-live="polite"
      sx={{
        gridColumn: '1 / -1',
        display: 'grid',
        gridTemplateColumns: 'auto auto',
        gap: 0.5,
        columnGap: 4,
        ml: 'auto',
        mb: 0,
      }}
    >
      {computedFields(definition).map((field, index, all) => (
        <Box key={field.name} sx={{ display: 'contents', fontWeight: index === all.length - 1 ? 700 : 400 }}>
          <dt>{label(definition.name, field.name)}</dt>
          <Box component="dd" sx={{ m: 0, textAlign: 'right' }}>
            <Shown field={field} resource={definition.name} value={sums[field.name]} />
          </Box>
        </Box>
      ))}
    </Box>
  )
}

/** What cannot be counted yet counts for nothing. */
const countable = (values: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      Array.isArray(value)
        ? value.filter((line) => amountOf(line as JsonObject) !== undefined)
        : typeof value === 'string' && name.endsWith('_pct')
          ? null
          : value,
    ]),
  )
