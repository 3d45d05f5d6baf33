import Box from '@mui/material/Box'
import Button from '@mui/material/Button'
import MenuItem from '@mui/material/MenuItem'
import TextField from '@mui/material/TextField'
import Typography from '@mui/material/Typography'
import { useMemo } from 'react'
import { labelOf, matchFieldsOf, type Target, targetsOf } from '#derive/import/targets.ts'
import type { Definition } from '#registry/definition.ts'
import { useFormat } from '../../texts/format.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { Grow, PlainList } from '../../ui/layout.tsx'
import { MutedText, Note, Panel } from '../../ui/panel.tsx'
import { Select } from '../../ui/small-form.tsx'
import { ReadingPanel } from './reading-panel.tsx'
import type { ImportState } from './use-import.ts'

/** Which field each column is for, by which field a row finds its record, and how the file is read. */
export function ColumnsStep({ definition, importing }: { definition: Definition; importing: ImportState }) {
  const { imports } = useTexts()
  const { label } = useRecordTexts()
  const format = useFormat()
  const { chosen, settings, done, writeId, withheld } = importing
  const problem = useProblem(definition, importing)
  if (!chosen || !settings) return null
  const { file, name } = chosen
  const match = [
    { value: '', text: imports.matchNone },
    ...matchFieldsOf(definition).map((field) => ({ value: field, text: label(definition.name, field) })),
  ]
  const isGoingOn = writeId !== undefined
  return (
    <>
      <Typography gutterBottom>
        <strong>{name}</strong> · {imports.rows(file.rows.length)}{' '}
        <Button size="small" onClick={importing.restart}>
          {imports.another}
        </Button>
      </Typography>
      {isGoingOn ? (
        <Note severity="info">
          <strong>{imports.unfinished}.</strong>{' '}
          {imports.unfinishedLead(format.number(done), format.number(file.rows.length))}
        </Note>
      ) : (
        <>
          <ReadingPanel importing={importing} />
          {withheld.length > 0 && <Note severity="info">{imports.withheld(withheld.join(', '))}</Note>}
          <Panel title={imports.columns}>
            <PlainList aria-label={imports.columns}>
              {file.columns.map((column, index) => (
                <ColumnRow key={column} {...{ definition, importing, column, index }} />
              ))}
            </PlainList>
            <Box sx={{ mt: 2, maxWidth: 480 }}>
              <Select
                label={imports.match}
                value={settings.match ?? ''}
                options={match}
                helperText={imports.matchHint}
                onChange={(value) => importing.decide({ ...settings, match: value === '' ? null : value })}
              />
            </Box>
          </Panel>
        </>
      )}
      {problem !== undefined && <Note severity="warning">{problem}</Note>}
      <Button variant="contained" disabled={problem !== undefined} onClick={importing.look}>
        {imports.look}
      </Button>
    </>
  )
}

type ColumnRowProps = { definition: Definition; importing: ImportState; column: string; index: number }

function ColumnRow({ definition, importing, column, index }: ColumnRowProps) {
  const { imports } = useTexts()
  const targets = useTargets(definition, importing)
  const { settings, chosen } = importing
  if (!settings || !chosen) return null
  const path = settings.columns[column] ?? ''
  const samples = chosen.file.rows
    .slice(0, 50)
    .map(({ cells }) => cells[index]?.trim() ?? '')
    .filter((cell) => cell !== '')
    .slice(0, 3)
  const kind = targets.find((target) => target.path === path)?.field.kind
  const hint =
    path === column
      ? kind === 'reference'
        ? imports.inIds
        : kind === 'money'
          ? imports.inMinor
          : undefined
      : undefined
  const { [column]: _, ...others } = settings.columns
  return (
    <Box
      component="li"
      sx={{
        display: 'grid',
        gridTemplateColumns: { xs: '1fr', sm: '1fr 1fr' },
        columnGap: 2,
        rowGap: 1.5,
        alignItems: 'center',
        py: 1,
        borderBottom: 1,
        borderColor: 'divider',
      }}
    >
      <Grow>
        <Typography variant="subtitle1">{column}</Typography>
        <MutedText noWrap title={samples.join(' · ')}>
          {samples.join(' · ')}
        </MutedText>
      </Grow>
      <TextField
        select
        label={imports.fieldOf(column)}
        value={path}
        helperText={hint}
        onChange={({ target }) =>
          importing.decide({
            ...settings,
            columns: target.value === '' ? others : { ...others, [column]: target.value },
          })
        }
      >
        <MenuItem value="">
          <em>{imports.leftOut}</em>
        </MenuItem>
        {targets.map((target) => (
          <MenuItem key={target.path} value={target.path}>
            {target.label}
          </MenuItem>
        ))}
      </TextField>
    </Box>
  )
}

const useTargets = (definition: Definition, { catalogue }: ImportState): (Target & { label: string })[] =>
  useMemo(
    () => targetsOf(definition).map((target) => ({ ...target, label: labelOf(catalogue, definition, target) })),
    [definition, catalogue],
  )

/** What keeps the choices from being used. */
function useProblem(definition: Definition, importing: ImportState): string | undefined {
  const { imports } = useTexts()
  const targets = useTargets(definition, importing)
  const { columns, match } = importing.settings ?? { columns: {}, match: null }
  const paths = Object.values(columns)
  const named = (path: string): string => targets.find((target) => target.path === path)?.label ?? path
  if (paths.length === 0) return imports.noColumns
  const twice = paths.find((path, index) => paths.indexOf(path) !== index)
  if (twice !== undefined) return imports.usedTwice(named(twice))
  return match !== null && !paths.includes(match) ? imports.matchLost(named(match)) : undefined
}
