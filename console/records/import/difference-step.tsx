import { mdiDownloadOutline } from '@mdi/js'
import Box from '@mui/material/Box'
import Button from '@mui/material/Button'
import Checkbox from '@mui/material/Checkbox'
import FormControlLabel from '@mui/material/FormControlLabel'
import Stack from '@mui/material/Stack'
import ToggleButton from '@mui/material/ToggleButton'
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup'
import Typography from '@mui/material/Typography'
import { type ReactNode, useMemo, useState } from 'react'
import { type FormField, fieldsOf } from '#derive/form.ts'
import { type Outcome, outcomes, type RowOutcome } from '#derive/import/importer.ts'
import { countDoubts, differenceCsv, groupProblems, refusedCsv, unfitCells } from '#derive/import/report.ts'
import type { Definition } from '#registry/definition.ts'
import { quote } from '../../texts/foreign.ts'
import { useFormat } from '../../texts/format.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { AskFirst } from '../../ui/ask-first.tsx'
import { Foreign } from '../../ui/foreign.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Bullets, PlainList, RowStack, Sheet } from '../../ui/layout.tsx'
import { MutedText, Note, Panel } from '../../ui/panel.tsx'
import { BoldChip } from '../../ui/status-chip.tsx'
import { DoubleList } from '../double-list.tsx'
import { Change } from '../history/history.tsx'
import { Paging } from '../list/paging.tsx'
import { MendInput } from './mend-input.tsx'
import { useSameFile } from './same-file.tsx'
import type { ImportState } from './use-import.ts'
import { ValuesPanel } from './values-panel.tsx'

/** The whole difference, row by row, before anything is written. */
export function DifferenceStep({ definition, importing }: { definition: Definition; importing: ImportState }) {
  const { imports } = useTexts()
  const { rows, counts, name } = importing.state
  const sameFile = useSameFile(importing)
  const [isAsking, setAsking] = useState(false)
  const { created, changed, refused } = counts
  const writing = created + changed
  return (
    <>
      {refused > 0 && <Note severity="warning">{imports.mend}</Note>}
      {writing === 0 && <Note severity="info">{imports.nothingToDo}</Note>}
      <RowStack spacing={1} mb={2}>
        {writing > 0 && (
          <Button variant="contained" onClick={sameFile === undefined ? importing.apply : () => setAsking(true)}>
            {imports.apply(writing)}
          </Button>
        )}
        <Button onClick={importing.back}>{imports.back}</Button>
        <Button
          startIcon={<Icon path={mdiDownloadOutline} />}
          onClick={() => save(`${baseOf(name)}-difference.csv`, differenceCsv(rows))}
        >
          {imports.download}
        </Button>
        <DownloadRefused importing={importing} />
      </RowStack>
      <ValuesPanel definition={definition} importing={importing} />
      <Refusals definition={definition} importing={importing} />
      <RowList definition={definition} rows={rows} importing={importing} />
      {isAsking && (
        <AskFirst
          title={imports.again}
          confirm={imports.importAgain}
          onConfirm={importing.apply}
          onClose={() => setAsking(false)}
        >
          <Typography>{sameFile}</Typography>
        </AskFirst>
      )}
    </>
  )
}

const baseOf = (name: string): string => name.replace(/\.\w{1,10}$/, '')

/** The button for the refused rows as a file; nothing if there are none. */
export function DownloadRefused({ importing }: { importing: ImportState }) {
  const { imports } = useTexts()
  const { file, name, rows, counts } = importing.state
  if (counts.refused === 0) return null
  return (
    <Button
      startIcon={<Icon path={mdiDownloadOutline} />}
      onClick={() => save(`${baseOf(name)}-refused.csv`, refusedCsv(file, rows))}
    >
      {imports.downloadRefused}
    </Button>
  )
}

/** The reasons of the refusals with their counts, and the choice to leave cells empty that do not fit. */
function Refusals({ definition, importing }: { definition: Definition; importing: ImportState }) {
  const texts = useTexts()
  const { imports } = texts
  const { rows, settings } = importing.state
  const groups = groupProblems(rows)
  const unfit = unfitCells(rows)
  const doubts = [...countDoubts(rows)]
  if (groups.length + unfit.length + doubts.length === 0) return null
  const { accepts = [] } = settings
  return (
    <Panel title={imports.reasons}>
      <PlainList aria-label={imports.reasons}>
        {groups.map(({ problem, count }) => (
          <ProblemItem
            key={`${problem.column} ${problem.field} ${problem.code}`}
            problem={problem}
            records={definition.name}
            count={count}
          />
        ))}
      </PlainList>
      {doubts.map(([code, count]) => (
        <FormControlLabel
          key={code}
          control={
            <Checkbox
              checked={accepts.includes(code)}
              onChange={(_, isChecked) =>
                importing.choose({ accepts: [...accepts.filter((one) => one !== code), ...(isChecked ? [code] : [])] })
              }
            />
          }
          label={`${imports.accept(count)}: ${texts.doubts[code]}`}
        />
      ))}
      {unfit.length > 0 && (
        <>
          <FormControlLabel
            control={
              <Checkbox
                checked={settings.unfit === 'empty'}
                onChange={(_, isChecked) => importing.choose({ unfit: isChecked ? 'empty' : 'refuse' })}
              />
            }
            label={imports.leaveEmpty(unfit.length)}
          />
          <MutedText>{imports.leaveEmptyHint}</MutedText>
        </>
      )}
    </Panel>
  )
}

/** A file for the one who is here. */
function save(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}

const perPage = 25
const tones = { created: 'success', changed: 'info', same: 'default', refused: 'error' } as const

/** `importing` is absent if the rows cannot be mended. */
type RowListProps = { definition: Definition; rows: readonly RowOutcome[]; importing?: ImportState }

/** What becomes of each row, a page at a time; those of one sort where somebody wants to see these alone. */
export function RowList({ definition, rows, importing }: RowListProps) {
  const { imports } = useTexts()
  const format = useFormat()
  const rowsOf = useMemo(() => Map.groupBy(rows, ({ outcome }) => outcome), [rows])
  const [shown, setShown] = useState<Outcome | 'all' | 'doubles'>(rowsOf.has('refused') ? 'refused' : 'all')
  const doubled = useMemo(() => rows.filter(({ doubles }) => doubles.length > 0), [rows])
  const [page, setPage] = useState(1)
  const fields = useMemo(() => fieldsOf(definition), [definition])
  const wanted = shown === 'all' ? rows : shown === 'doubles' ? doubled : (rowsOf.get(shown) ?? [])
  const some = wanted.slice((page - 1) * perPage, page * perPage)
  return (
    <Sheet>
      <Box sx={{ p: 2, overflowX: 'auto' }}>
        <ToggleButtonGroup
          exclusive
          size="small"
          value={shown}
          aria-label={imports.show}
          onChange={(_, next: typeof shown | null) => {
            if (next === null) return
            setShown(next)
            setPage(1)
          }}
          sx={{ flexWrap: 'wrap' }}
        >
          <ToggleButton value="all">
            {imports.all} {format.number(rows.length)}
          </ToggleButton>
          {outcomes.map((outcome) => (
            <ToggleButton key={outcome} value={outcome} disabled={!rowsOf.has(outcome)}>
              {imports.outcomes[outcome]} {format.number(rowsOf.get(outcome)?.length ?? 0)}
            </ToggleButton>
          ))}
          {doubled.length > 0 && (
            <ToggleButton value="doubles">
              {imports.doubles} {format.number(doubled.length)}
            </ToggleButton>
          )}
        </ToggleButtonGroup>
      </Box>
      {some.length === 0 && <Typography sx={{ p: 2 }}>{imports.nothing}</Typography>}
      <PlainList aria-label={imports.steps.difference}>
        {some.map((row) => (
          <RowItem key={row.n} {...{ definition, row, fields, importing }} />
        ))}
      </PlainList>
      {wanted.length > perPage && <Paging listing={{ page, perPage, total: wanted.length, setPage }} />}
    </Sheet>
  )
}

type RowItemProps = {
  definition: Definition
  row: RowOutcome
  fields: readonly FormField[]
  importing: ImportState | undefined
}

function RowItem({ definition: { name }, row, fields, importing }: RowItemProps) {
  const { imports } = useTexts()
  const { label } = useRecordTexts()
  const { outcome, line, title, problems, emptied, accepted, names, doubles } = row
  const isNewWord = (field: string): boolean => names.some(({ path, isNew }) => isNew && path === field)
  const changes = Object.entries(row.fields).flatMap(([field, change]) => {
    const known = fields.find((candidate) => candidate.name === field)
    return known ? [{ known, change }] : []
  })
  return (
    <Box component="li" sx={{ px: 2, py: 1.5, borderTop: 1, borderColor: 'divider' }}>
      <Stack direction="row" spacing={0.5} sx={{ columnGap: 1.5 }}>
        <BoldChip color={tones[outcome]} label={imports.outcomes[outcome]} />
        <Typography component="span" variant="subtitle1">
          <Foreign text={title} />
        </Typography>
        <MutedText component="span">{imports.line(line)}</MutedText>
        {doubles.length > 0 && <BoldChip color="warning" label={imports.double} />}
      </Stack>
      {changes.length > 0 && (
        <Bullets mt={0.5} isSmall>
          {changes.map(({ known, change: [old, now] }) => (
            <li key={known.name}>
              {label(name, known.name)}:{' '}
              {isNewWord(known.name) ? (
                imports.wordNew(quote(String(now)))
              ) : (
                <Change field={known} resource={name} old={old} now={now} isNew={outcome === 'created'} />
              )}
            </li>
          ))}
        </Bullets>
      )}
      {doubles.length > 0 && <DoubleList records={name} doubles={doubles} />}
      {problems.length + emptied.length + accepted.length > 0 && (
        <Bullets mt={0.5} isSmall>
          {[...problems, ...emptied, ...accepted].map((problem) => (
            <ProblemItem
              key={`${problem.column} ${problem.field} ${problem.code}`}
              problem={problem}
              records={name}
              mark={emptied.includes(problem) ? imports.leftEmpty : accepted.includes(problem) && imports.accepted}
            >
              {importing && problem.column !== null && (
                <MendInput importing={importing} row={row} column={problem.column} />
              )}
            </ProblemItem>
          ))}
        </Bullets>
      )}
    </Box>
  )
}

type ProblemItemProps = {
  problem: RowOutcome['problems'][number]
  records: string
  /** Count of rows with this problem. */
  count?: number
  /** What was decided about it. */
  mark?: string | false
  children?: ReactNode
}

function ProblemItem({ problem, records, count, mark, children }: ProblemItemProps) {
  const { imports, doubts } = useTexts()
  const { path } = useRecordTexts()
  const { column, field, value, code, message, doubt, told = [] } = problem
  const where = column ?? (field === '' ? undefined : path(records, field))
  const said = doubt
    ? doubts[doubt]
    : (imports.problems[code]?.(...told.map((one) => quote(one))) ?? quote(message, 2000))
  return (
    <li>
      {count !== undefined && `${imports.rows(count)}: `}
      {mark && `${mark}: `}
      {where !== undefined && (
        <strong>
          <Foreign text={where} />{' '}
        </strong>
      )}
      {said}
      {value !== '' && <MutedText component="span"> ({imports.says(quote(value, 80))})</MutedText>}
      {children}
    </li>
  )
}
