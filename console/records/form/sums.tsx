import { styled } from '@mui/material/styles'
import { Fragment } from 'react'
import { computedFields } from '#derive/form.ts'
import type { JsonObject } from '#registry/json.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { amountOf, FieldValue } from '../fields/field-value.tsx'
import type { RecordForm } from './use-record-form.ts'

/** Shows the sums of the typed values, computed by the same code as in the service. */
export function Sums({ form }: { form: RecordForm }) {
  const { form: texts } = useTexts()
  const { label } = useRecordTexts()
  const { definition, values } = form
  const sums = definition.computed?.(parseAmounts(values)) ?? {}
  return (
    <Totals aria-label={texts.sums} aria-live="polite">
      {computedFields(definition).map((field) => (
        <Fragment key={field.name}>
          <dt>{label(definition.name, field.name)}</dt>
          <dd>
            <FieldValue field={field} resource={definition.name} value={sums[field.name]} />
          </dd>
        </Fragment>
      ))}
    </Totals>
  )
}

/** A list of sums whose last one, the total, stands out. */
const Totals = styled('dl')(({ theme }) => ({
  gridColumn: '1 / -1',
  display: 'grid',
  gridTemplateColumns: 'auto auto',
  gap: theme.spacing(0.5, 4),
  margin: '1em 0 0 auto',
  '& dd': { margin: 0, textAlign: 'right' },
  '& > :nth-last-child(-n + 2)': { fontWeight: 700 },
}))

/** Removes lines and percentages that cannot be computed yet, so that they count as nothing. */
const parseAmounts = (values: JsonObject): JsonObject =>
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
