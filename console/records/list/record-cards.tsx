import Box from '@mui/material/Box'
import Checkbox from '@mui/material/Checkbox'
import useMediaQuery from '@mui/material/useMediaQuery'
import { pathOf } from '../../shell/places.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { BetweenRow, Grow, PlainList } from '../../ui/layout.tsx'
import { Term } from '../../ui/panel.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { FieldValue } from '../fields/field-value.tsx'
import { useTitleText } from '../title.ts'
import { type RecordsProps, RecordTable } from './record-table.tsx'

/** Shows records as a table, or on a phone as cards. */
export function Records(props: RecordsProps) {
  const isNarrow = useMediaQuery('(max-width: 700px)')
  return isNarrow ? <RecordCards {...props} /> : <RecordTable {...props} />
}

/** Shows records as cards with title, state and the values of the columns. */
function RecordCards({ definition, columns, records, selection, actionsOf }: RecordsProps) {
  const { list } = useTexts()
  const { label, many } = useRecordTexts()
  const titleText = useTitleText(definition)
  const { name, title } = definition
  const told = columns.filter((column) => column.name !== title && column.name !== 'status')
  const status = columns.find((column) => column.name === 'status')
  return (
    <PlainList aria-label={many(name)}>
      {records.map((record) => (
        <Box
          component="li"
          key={record.id}
          sx={{ display: 'flex', gap: 1, p: 1.5, borderBottom: 1, borderColor: 'divider' }}
        >
          {selection && (
            <Checkbox
              size="small"
              sx={{ alignSelf: 'flex-start', p: 0.5 }}
              checked={selection.ids.includes(record.id)}
              onChange={() => selection.toggle(record.id as never)}
              slotProps={{ input: { 'aria-label': list.select(titleText(record)) } }}
            />
          )}
          <Grow>
            <BetweenRow sx={{ alignItems: 'flex-start' }}>
              <TextLink
                to={pathOf(name, record.id)}
                color="textPrimary"
                sx={{ fontWeight: 600, overflowWrap: 'anywhere' }}
              >
                {titleText(record)}
              </TextLink>
              {status && <FieldValue isShort field={status} resource={name} value={record.status as never} />}
            </BetweenRow>
            <Box
              component="dl"
              sx={{
                m: 0,
                mt: 0.5,
                fontSize: '0.875rem',
                display: 'grid',
                gridTemplateColumns: 'auto 1fr',
                columnGap: 1.5,
              }}
            >
              {told
                .filter((column) => record[column.name] !== null && record[column.name] !== undefined)
                .map((column) => (
                  <Term key={column.name} name={label(name, column.name)}>
                    <FieldValue isShort field={column} resource={name} value={record[column.name] as never} />
                  </Term>
                ))}
            </Box>
            {actionsOf && <Box sx={{ mt: 0.5 }}>{actionsOf(record)}</Box>}
          </Grow>
        </Box>
      ))}
    </PlainList>
  )
}
