import Box from '@mui/material/Box'
import { styled } from '@mui/material/styles'
import { showSections } from '#derive/form.ts'
import type { Definition } from '#registry/definition.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { Panel, Term } from '../../ui/panel.tsx'
import { Shown } from '../fields/shown.tsx'
import type { Row } from '../list/record-table.tsx'

/** All that is known of a record, in the sections of its form. */
export function Overview({ definition, record }: { definition: Definition; record: Row }) {
  const { sections } = useTexts()
  const { label } = useRecordTexts()
  return (
    <Box sx={{ columnCount: { xs: 1, lg: 2 }, columnGap: 2, '& > section': { breakInside: 'avoid' } }}>
      {showSections(definition).map(({ name, fields }) => (
        <Box key={name} component="section" sx={isAlone(name) ? { columnSpan: 'all', pt: 2 } : {}}>
          <Panel title={sections[name]}>
            <Facts>
              {fields.map((field) => (
                <Term key={field.name} name={label(definition.name, field.name)} isAlone={isAlone(name)}>
                  <Shown field={field} resource={definition.name} value={record[field.name] as never} />
                </Term>
              ))}
            </Facts>
          </Panel>
        </Box>
      ))}
    </Box>
  )
}

/** Lines have a section of their own, across both columns. */
const isAlone = (section: string): boolean => section === 'lines'

const Facts = styled('dl')(({ theme }) => ({
  display: 'grid',
  gridTemplateColumns: 'minmax(110px, 2fr) 3fr',
  gap: theme.spacing(1, 2),
  margin: 0,
  '& dt': { fontSize: '0.9rem' },
  [theme.breakpoints.up('sm')]: { gridTemplateColumns: 'minmax(140px, 1fr) 2fr' },
}))
