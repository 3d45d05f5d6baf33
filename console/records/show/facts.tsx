import Box from '@mui/material/Box'
import { tellingFields } from '#derive/form/steps.ts'
import { fieldsOf } from '#derive/form.ts'
import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { Shown } from '../fields/shown.tsx'

/** Which record it is: for whom, its number, its amount. */
export function Facts({ definition, record }: { definition: Definition; record: JsonObject }) {
  const { label } = useRecordTexts()
  return (
    <Box component="dl" sx={listLook}>
      {tellingFields(definition)
        .filter(({ name }) => record[name] !== null)
        .map((field) => (
          <Box key={field.name} sx={{ display: 'contents' }}>
            <Box component="dt" sx={{ color: 'text.secondary' }}>
              {label(definition.name, field.name)}
            </Box>
            <Box component="dd" sx={{ m: 0, fontWeight: field.kind === 'money' ? 700 : 400, overflowWrap: 'anywhere' }}>
              <Shown isShort field={field} resource={definition.name} value={record[field.name]} />
            </Box>
          </Box>
        ))}
    </Box>
  )
}

type DifferencesProps = { definition: Definition; shown: JsonObject; stored: JsonObject }

/** What is another by now than what was shown: as it was, and as it is. */
export function Differences({ definition, shown, stored }: DifferencesProps) {
  const { race } = useTexts()
  const { label } = useRecordTexts()
  const differing = fieldsOf(definition).filter(
    ({ name, kind }) =>
      kind !== 'instant' && JSON.stringify(shown[name] ?? null) !== JSON.stringify(stored[name] ?? null),
  )
  return (
    <Box component="ul" sx={{ m: 0, mt: 1.5, pl: 2.5 }}>
      {differing.map((field) => (
        <li key={field.name}>
          <strong>{label(definition.name, field.name)}</strong> · {race.was}:{' '}
          <Shown isShort field={field} resource={definition.name} value={shown[field.name]} /> · {race.now}:{' '}
          <Shown isShort field={field} resource={definition.name} value={stored[field.name]} />
        </li>
      ))}
    </Box>
  )
}

const listLook = {
  display: 'grid',
  gridTemplateColumns: 'minmax(90px, auto) 1fr',
  columnGap: 2,
  rowGap: 0.5,
  m: 0,
  mb: 2,
} as const
