import Box from '@mui/material/Box'
import { Fragment } from 'react'
import { showSections } from '#derive/form.ts'
import type { Definition } from '#registry/definition.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { Panel } from '../../ui/panel.tsx'
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
            <Box component="dl" sx={listLook}>
              {fields.map((field) => (
                <Fragment key={field.name}>
                  <Box
                    component="dt"
                    sx={isAlone(name) ? { display: 'none' } : { color: 'text.secondary', fontSize: '0.9rem' }}
                  >
                    {label(definition.name, field.name)}
                  </Box>
                  <Box
                    component="dd"
                    sx={{
                      m: 0,
                      minWidth: 0,
                      overflowWrap: 'anywhere',
                      gridColumn: isAlone(name) ? '1 / -1' : undefined,
                    }}
                  >
                    <Shown field={field} resource={definition.name} value={record[field.name] as never} />
                  </Box>
                </Fragment>
              ))}
            </Box>
          </Panel>
        </Box>
      ))}
    </Box>
  )
}

/** Lines have a section of their own, across both columns. */
const isAlone = (section: string): boolean => section === 'lines'

const listLook = {
  display: 'grid',
  gridTemplateColumns: { xs: 'minmax(110px, 2fr) 3fr', sm: 'minmax(140px, 1fr) 2fr' },
  columnGap: 2,
  rowGap: 1,
  m: 0,
} as const
