import Box from '@mui/material/Box'
import Button from '@mui/material/Button'
import Typography from '@mui/material/Typography'

import { delimiters, encodings, type FileRow } from '#derive/import/file.ts'
import { dateWords, decimalWords } from '#derive/import/habits.ts'
import { matchFieldsOf, targetsOf } from '#derive/import/targets.ts'
import type { Definition } from '#registry/definition.ts'
import type { Field } from '#registry/fields/index.ts'
import { quote } from '../../texts/foreign.ts'
import { useFormat } from '../../texts/format.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { Foreign } from '../../ui/foreign.tsx'
import { Bullets, Grow, PlainList, Tiles } from '../../ui/layout.tsx'
import { MutedText, Note, Panel, Text } from '../../ui/panel.tsx'
import { Select } from '../../ui/small-form.tsx'
import { SameFileNote } from './same-file.tsx'
import { Samples } from './samples.tsx'
import type { ImportState } from './use-import.ts'

/** Which field each column is for, by which field a row finds its record, and how the file is read. */
export function ColumnsStep({ definition, importing }: { definition: Definition; importing: ImportState }) {
  const { imports } = useTexts()
  const { label, path } = useRecordTexts()
  const format = useFormat()
  const { file, name, settings, problems, done, writeId, withheld } = importing.state
  const targets = targetsOf(definition).map(({ path: value, field }) => ({
    value,
    text: path(definition.name, value),
    kind: field.kind,
  }))
  const [problem] = problems.flatMap(
    ({ code, about }) =>
      imports.settingsProblems[code]?.(code.startsWith('open_') ? quote(about) : path(definition.name, about)) ?? [],
  )
  const match = [
    { value: '', text: imports.matchNone },
    ...matchFieldsOf(definition).map((field) => ({ value: field, text: label(definition.name, field) })),
  ]
  const isGoingOn = writeId !== undefined
  return (
    <>
      <Typography gutterBottom>
        <strong>
          <Foreign text={name} />
        </strong>{' '}
        · {imports.rows(file.rows.length)}{' '}
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
          <SameFileNote importing={importing} />
          <ReadingPanel importing={importing} />
          {withheld.length > 0 && (
            <Note severity="info">{imports.withheld(withheld.map((one) => quote(one)).join(', '))}</Note>
          )}
          <Panel title={imports.columns}>
            <PlainList aria-label={imports.columns}>
              {file.columns.map((column, index) => (
                <ColumnRow key={column} {...{ importing, targets, column, index }} />
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

type ColumnRowProps = {
  importing: ImportState
  targets: readonly { value: string; text: string; kind: Field['kind'] }[]
  column: string
  index: number
}

function ColumnRow({ importing, targets, column, index }: ColumnRowProps) {
  const { imports } = useTexts()
  const { settings, file } = importing.state
  const path = settings.columns[column] ?? ''
  const samples = file.rows
    .slice(0, 50)
    .map(({ cells }) => cells[index]?.trim() ?? '')
    .filter((cell) => cell !== '')
    .slice(0, 3)
  const kind = targets.find(({ value }) => value === path)?.kind
  const exactHint = kind === 'reference' ? imports.inIds : kind === 'money' ? imports.inMinor : undefined
  const { [column]: _, ...others } = settings.columns
  return (
    <Tiles component="li" width={260} sx={{ alignItems: 'center', py: 1, borderBottom: 1, borderColor: 'divider' }}>
      <Grow>
        <Typography variant="subtitle1">
          <Foreign text={column} />
        </Typography>
        <MutedText noWrap title={quote(samples.join(' · '))}>
          <Samples texts={samples} />
        </MutedText>
      </Grow>
      <Select
        label={imports.fieldOf(quote(column))}
        value={path}
        options={[{ value: '', text: imports.leftOut }, ...targets]}
        helperText={path === column ? exactHint : undefined}
        onChange={(chosen) =>
          importing.decide({
            ...settings,
            columns: chosen === '' ? others : { ...others, [column]: chosen },
          })
        }
      />
    </Tiles>
  )
}

const wordsOf = <Word extends string>(words: { readonly [word in Word]: unknown }) => Object.keys(words) as Word[]

/** How the file is read: found out, and changed where that was wrong. */
function ReadingPanel({ importing }: { importing: ImportState }) {
  const { imports } = useTexts()
  const { settings, habits, file, hasLastEncoding } = importing.state
  const { reading, sheets, firstRows } = file
  const { encoding, delimiter, sheet } = reading
  const open = { value: '', text: imports.undecided }
  const choose = (habit: 'decimal' | 'dates', word: string) => {
    const { [habit]: _, ...others } = settings
    importing.decide(word === '' ? others : { ...others, [habit]: word })
  }
  const headers = firstRows.map(({ line, cells }) => ({
    value: String(line),
    text: `${imports.line(line)}: ${quote(cells.filter((cell) => cell.trim() !== '').join(' · '), 60)}`,
  }))
  return (
    <Panel title={imports.file}>
      <Tiles width={200}>
        {delimiter && (
          <Select
            label={imports.separator}
            value={delimiter}
            options={delimiters.map((value) => ({ value, text: imports.separators[value] ?? value }))}
            onChange={(chosen) => importing.readAgain({ encoding, delimiter: chosen })}
          />
        )}
        {encoding && (
          <Select
            label={imports.encoding}
            value={encoding}
            options={encodings.map((value) => ({ value, text: imports.encodings[value] }))}
            helperText={hasLastEncoding ? imports.asLast : undefined}
            onChange={(chosen) => importing.readAgain({ ...reading, encoding: chosen })}
          />
        )}
        {sheet !== undefined && (
          <Select
            label={imports.sheet}
            value={sheet}
            options={sheets.map((value) => ({ value, text: quote(value) }))}
            onChange={(chosen) => importing.readAgain({ sheet: chosen })}
          />
        )}
        <Select
          label={imports.header}
          value={String(reading.headerRow)}
          options={[{ value: '0', text: imports.noHeader }, ...headers]}
          onChange={(line) => importing.readAgain({ ...reading, headerRow: Number(line) })}
        />
        <Select
          label={imports.decimal}
          value={habits.decimal ?? ''}
          options={[open, ...wordsOf(decimalWords).map((value) => ({ value, text: imports.decimals[value] }))]}
          onChange={(word) => choose('decimal', word)}
        />
        <Select
          label={imports.dates}
          value={habits.dates ?? ''}
          options={[open, ...wordsOf(dateWords).map((value) => ({ value, text: imports.dateOrders[value] }))]}
          onChange={(word) => choose('dates', word)}
        />
      </Tiles>
      <LeftOut rows={file.leftOut} />
    </Panel>
  )
}

/** Rows of the file that are taken for no records. */
function LeftOut({ rows }: { rows: readonly FileRow[] }) {
  const { imports } = useTexts()
  if (rows.length === 0) return null
  return (
    <>
      <Text mt={2}>{imports.leftOutRows(rows.length)}</Text>
      <Bullets isSmall maxHeight={160}>
        {rows.map(({ line, cells }) => (
          <li key={line}>
            {imports.line(line)}: <Samples texts={cells.filter((cell) => cell.trim() !== '')} />
          </li>
        ))}
      </Bullets>
    </>
  )
}
