import { styled } from '@mui/material/styles'
import Typography from '@mui/material/Typography'
import { tellingFields } from '#derive/form/steps.ts'
import { fieldsOf } from '#derive/form.ts'
import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { Bullets } from '../../ui/layout.tsx'
import { Term } from '../../ui/panel.tsx'
import { FieldValue } from '../fields/field-value.tsx'

/** Shows the identity of a record: its client, its number, its amount. */
export function Facts({ definition, record }: { definition: Definition; record: JsonObject }) {
  const { label } = useRecordTexts()
  return (
    <Essentials>
      {tellingFields(definition)
        .filter(({ name }) => record[name] !== null)
        .map((field) => (
          <Term key={field.name} name={label(definition.name, field.name)}>
            <Typography component="span" variant={field.kind === 'money' ? 'subtitle1' : 'inherit'}>
              <FieldValue isShort field={field} resource={definition.name} value={record[field.name]} />
            </Typography>
          </Term>
        ))}
    </Essentials>
  )
}

type DifferencesProps = { definition: Definition; shown: JsonObject; stored: JsonObject }

/** Shows the fields that differ by now from the shown ones, with old and new values. */
export function Differences({ definition, shown, stored }: DifferencesProps) {
  const { race } = useTexts()
  const { label } = useRecordTexts()
  const differing = fieldsOf(definition).filter(
    ({ name, kind }) =>
      kind !== 'instant' && JSON.stringify(shown[name] ?? null) !== JSON.stringify(stored[name] ?? null),
  )
  return (
    <Bullets mt={1.5}>
      {differing.map((field) => (
        <li key={field.name}>
          <strong>{label(definition.name, field.name)}</strong> · {race.was}:{' '}
          <FieldValue isShort field={field} resource={definition.name} value={shown[field.name]} /> · {race.now}:{' '}
          <FieldValue isShort field={field} resource={definition.name} value={stored[field.name]} />
        </li>
      ))}
    </Bullets>
  )
}

const Essentials = styled('dl')(({ theme }) => ({
  display: 'grid',
  gridTemplateColumns: 'minmax(90px, auto) 1fr',
  gap: theme.spacing(0.5, 2),
  margin: theme.spacing(0, 0, 2),
}))
