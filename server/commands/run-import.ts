import { readFile as readBytes, stat, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { BatchSummary, ImportResult } from '#derive/console/responses.ts'
import { inLine } from '#derive/format-printable.ts'
import type { EncodingQuestion, FileFormat, FileRow } from '#derive/import/file.ts'
import { isWritten, type RowOutcome } from '#derive/import/importer.ts'
import { differenceCsv, formatProblem, groupProblems, refusedCsv } from '#derive/import/report.ts'
import { matchFieldsOf } from '#derive/import/targets.ts'
import { unknownWords, type Words, withWord, wordKey, wordListOf } from '#derive/import/words.ts'
import { formatCount } from '#derive/words.ts'
import { checkSize } from '#import/read-file.ts'
import {
  type Counts,
  countsOf,
  createSession,
  type Session,
  type SessionService,
  type SessionState,
  type Stage,
} from '#import/session.ts'
import type { Definition } from '#registry/definition.ts'
import { type JsonObject, memberOf } from '#registry/json.ts'
import { problemBody, Refusal } from '#registry/refusals.ts'
import { catalogues } from '#registry/words/index.ts'
import type { App } from '../app.ts'
import { runUntilSignal } from '../lifecycle.ts'
import { type Actor, operator } from '../records/actor.ts'
import { importBatch } from '../records/import-batch.ts'
import { runRecordsBatch } from '../records/records-batch.ts'
import { showCompany } from '../service/company.ts'
import { beginImport, extendImport, listImports, lookUpValues } from '../service/imports.ts'
import type { Transaction } from '../store/database.ts'
import { operatorCaller } from '../writes/caller.ts'
import { runWrite } from '../writes/run-write.ts'
import type { ImportOptions } from './import.ts'
import { Mistake } from './mistake.ts'
import { startShares } from './progress.ts'
import { readLine } from './stdin.ts'
import type { CommandContext } from './terminal.ts'
import { withExisting } from './with-app.ts'

/** Runs an import: parses the file, previews all rows, and writes the previewed changes. */
export async function runImport(
  context: CommandContext,
  definition: Definition,
  path: string,
  given: ImportOptions,
): Promise<void> {
  const { company: companyId, map: columns, match = null, dates, decimal, delimiter, encoding, sheet, header } = given
  const fields = matchFieldsOf(definition)
  if (match !== null && !fields.includes(match))
    throw new Mistake(`--match must be one of ${fields.join(', ')} and not ${JSON.stringify(match)}.`)
  const bytes = await openFile(path)
  await runUntilSignal((stopped) =>
    withExisting(context, async ({ app }) => {
      const { currency } = await app.database.transaction((transaction) => showCompany(transaction, companyId))
      const session = createSession({
        definition,
        currency,
        catalogues,
        service: serviceOf(app, definition, companyId),
        given: { columns, match, ...(dates && { dates }), ...(decimal && { decimal }) },
        goesOn: (earlier) => goesOn(earlier, given),
        onChange: showShares(context),
      })
      stopped.addEventListener('abort', session.stop)
      const headerRow = header ? given.headerRow : 0
      await session.parse(basename(path), () => Promise.resolve(bytes), { delimiter, encoding, sheet, headerRow })
      if (session.state.stage === 'encoding') throw new Mistake(askEncoding(session.state))
      // One that goes on has its settings.
      if (session.state.writeId === undefined) {
        const { settings } = session.state
        const words = readWords(definition, session.state, [...given.value, ...given.new])
        session.decide({ ...settings, ...(given.unfit && { unfit: given.unfit }), ...(words && { words }) })
      }
      if (stopped.aborted) session.stop()
      await finish(context, definition, session, given)
      if (['columns', 'stopped'].includes(session.state.stage)) context.end(stopped.aborted ? 'stopped' : 'failed')
    }),
  )
}

/** Returns the words of columns with their replacements. Throws if there is no such column or word. */
function readWords(
  definition: Definition,
  { file: { columns, rows }, settings }: SessionState,
  choices: ImportOptions['value'],
): Words | undefined {
  let words: Words | undefined
  for (const [text, word] of choices) {
    const column = columns.filter((one) => text.startsWith(`${one}:`)).toSorted((a, b) => b.length - a.length)[0]
    const shown = JSON.stringify(text)
    if (column === undefined) throw new Mistake(`${shown} begins with no column; there are ${columns.join(', ')}.`)
    const written = text.slice(column.length + 1)
    const index = columns.indexOf(column)
    if (!rows.some(({ cells }) => wordKey(cells[index] ?? '') === wordKey(written)))
      throw new Mistake(`No cell of the column ${JSON.stringify(column)} has ${JSON.stringify(written)}.`)
    const path = memberOf(settings.columns, column) ?? ''
    if (word === true && !wordListOf(memberOf(definition.fields, path)))
      throw new Mistake(
        `The column ${JSON.stringify(column)} is for no list of words, such as trades, so ${shown} cannot be created.`,
      )
    words = withWord(words, column, written, word)
  }
  return words
}

async function openFile(path: string): Promise<Uint8Array> {
  const stats = await stat(path)
  // The error of reading a folder does not name it.
  if (stats.isDirectory()) throw Object.assign(new Error('not a file'), { code: 'EISDIR', path })
  checkSize(stats.size)
  return readBytes(path)
}

type Work<Result> = (transaction: Transaction, actor: Actor) => Promise<Result>

/** Returns the operations of an import, as the command does them without HTTP. */
function serviceOf(app: App, definition: Definition, companyId: number): SessionService {
  const { database } = app
  const call = { requestId: 'command', errorsPage: '/docs/errors' }
  async function run<Result extends { data: JsonObject }>(execute: Work<Result>, dryRun: boolean) {
    const admit = (actor: Actor) => actor
    const { response } = await runWrite(database, operatorCaller(companyId), { admit, work: { execute } }, { dryRun })
    return { ...response, data: response.data as unknown as BatchSummary }
  }
  return {
    list: (fingerprint) =>
      database.transaction((transaction) => listImports(transaction, operator(companyId), definition, fingerprint)),
    begin: (write) =>
      database.transaction((transaction) =>
        beginImport(transaction, operator(companyId), { records: definition.name, ...write }),
      ),
    extend: (writeId, change) =>
      database.transaction((transaction) =>
        extendImport(transaction, operator(companyId), definition, { writeId, ...change }),
      ),
    lookUp: (field, values) =>
      database.transaction((transaction) => lookUpValues(transaction, companyId, definition, { field, values })),
    attempt: (operations) => {
      const batch = { definition, operations, dryRun: true, ifPlan: undefined, call }
      return run((transaction, actor) => runRecordsBatch(app, transaction, actor, batch), true)
    },
    apply(writeId, { from, to, operations, plan }) {
      const batch = { definition, operations, part: { writeId, from, to }, ifPlan: plan ?? undefined, call }
      return run((transaction, actor) => importBatch(app, transaction, actor, batch), false)
    },
    refusalOf: (error) => (error instanceof Refusal ? problemBody(error, call.requestId, call.errorsPage) : undefined),
  }
}

/** Returns a function that shows the progress of each step. */
function showShares(context: CommandContext): (state: SessionState) => void {
  const doings: { [stage in Stage]?: string } = { looking: 'Looking at each row', writing: 'Writing' }
  const shares: { [stage in Stage]?: ReturnType<typeof startShares> } = {}
  return ({ stage, done, file }) => {
    const doing = doings[stage]
    if (doing === undefined) return
    shares[stage] ??= startShares(context, doing, (rows) => `${rows} rows`)
    shares[stage](done, file.rows.length)
  }
}

/** Previews the rows, shows their effects, and writes them unless something prevents it. */
async function finish(
  context: CommandContext,
  definition: Definition,
  session: Session,
  given: ImportOptions,
): Promise<void> {
  const { file, name, problems, sameFile } = session.state
  if (problems.length > 0) throw new Mistake(problems.map(({ message }) => message).join('\n'))
  await session.preview()
  const { stage: looked, rows, counts } = session.state
  if (looked !== 'difference') {
    const text = 'Stopped before anything was written.'
    return context.say({ json: { write_id: null, done: false }, text })
  }
  if (given.report !== undefined) await writeFile(given.report, refusedCsv(file, rows))
  if (given.difference !== undefined) await writeFile(given.difference, differenceCsv(rows))
  const lines = [
    ...formatSettings(session.state),
    ...emptiedLines(rows),
    ...groupLines(rows),
    ...wordLines(definition, session.state),
    ...refusedLines(rows, given.report),
  ]
  const hasNothing = given.dryRun || counts.created + counts.changed === 0
  const isHeldUp = counts.refused > 0 && !given.skipRefused
  if (hasNothing || isHeldUp) {
    const text = [...lines, `${formatCounts(counts, 'would')} Nothing was written.`].join('\n')
    context.say({ json: { ...jsonOf(session.state), write_id: null }, text })
    if (isHeldUp) throw new Mistake(rowsRefused(name, counts.refused, hasNothing), 'rows_refused')
    return
  }
  if (sameFile && !given.again) throw new Mistake(formatSameFile(sameFile), 'failed')

  await session.run()
  for (let { changed } = session.state; changed; { changed } = session.state) {
    if (await confirmRows(context, changed.rows)) await session.run()
    else session.decline()
  }
  const { stage, writeId = '' } = session.state
  const undoing = `plumbline undo ${writeId} --company ${given.company}`
  if (stage === 'done') {
    const text = [...lines, formatCounts(session.state.counts, 'did'), `To take all of it back: ${undoing}`].join('\n')
    return context.say({ json: { ...jsonOf(session.state), write_id: writeId, done: true }, text, value: writeId })
  }
  const text = `Stopped. To go on, give the command again with --continue; to take back what was done: ${undoing}`
  context.say({ json: { write_id: writeId, done: false }, text })
}

/** Returns whether an import of the same file goes on. One that is half done is not begun again unawares. */
function goesOn(earlier: ImportResult | undefined, given: ImportOptions): boolean {
  if (given.continue && !earlier)
    throw new Mistake('No import of this file has stopped here: leave --continue out.', 'not_found')
  if (!given.continue && earlier && earlier.done > 0 && !given.dryRun) {
    const undoing = `plumbline undo ${earlier.write_id} --company ${given.company}`
    throw new Mistake(
      `An import of this file stopped behind ${earlier.done} of ${earlier.rows} rows: go on with --continue, or take it back with ${undoing}.`,
      'failed',
    )
  }
  return given.continue === true
}

const rowsRefused = (file: string, refused: number, hasNothing: boolean): string =>
  `${formatCount(refused, 'row')} of ${file} cannot be imported: correct ${refused === 1 ? 'it' : 'them'}${hasNothing ? '' : ', or give --skip-refused to import the others'}.`

/** Shows the present effect of changed rows and asks for confirmation. Returns false without a terminal. */
async function confirmRows(context: CommandContext, rows: readonly RowOutcome[]): Promise<boolean> {
  const { stdin, stderr } = context.terminal
  const lines = [
    'Records have changed since the preview. The effect of these rows is now:',
    `  ${formatCounts(countsOf(rows), 'would')}`,
    ...changedLines(rows),
    ...refusedLines(rows, undefined),
  ]
  stderr.write(`${lines.join('\n')}\n`)
  if (!stdin.isTTY) return false
  stderr.write('Type "yes" to import them: ')
  return (await readLine(context)).toLowerCase() === 'yes'
}

/** Formats the question for the encoding of a file, with samples of each. */
function askEncoding({ candidates }: EncodingQuestion): string {
  const lines = candidates.map(({ encoding, samples }) => `  --encoding ${encoding}: ${inLine(samples.join(', '))}`)
  const question =
    'The file is not UTF-8, and its bytes do not tell its encoding. Name the one in which these cells are right'
  return [`${question}:`, ...lines].join('\n')
}

const formatSameFile = ({ at, account_name, created, changed }: ImportResult): string => {
  const author = account_name === null ? 'the command' : inLine(account_name)
  return `This very file was imported on ${new Date(at).toISOString().slice(0, 10)} by ${author}, ${formatCount(created + changed, 'record')}: give --again to import it once more. Nothing was written.`
}

/** Formats how the file is read. */
const formatSettings = ({
  file,
  hasLastEncoding,
  settings: { columns, match },
  habits: { dates, decimal },
}: SessionState): string[] => [
  formatReading(file.reading, hasLastEncoding),
  ...file.leftOut.slice(0, shownMax).map((row) => `Left out: ${formatRow(row)}`),
  ...Object.entries(columns).map(([column, path]) => `  ${inLine(column)} → ${path}`),
  ...(dates ? [`Days are read as ${dates}.`] : []),
  ...(decimal ? [`Numbers are read with a decimal ${decimal}.`] : []),
  `${match === null ? 'Each row makes a record' : `Records are found by ${match}`}.`,
]

function formatReading({ encoding, delimiter, sheet, headerRow }: FileFormat, isLast: boolean): string {
  const source =
    sheet === undefined
      ? `${encoding}${isLast ? ', as was chosen last,' : ''} with ${delimiter === '\t' ? 'tab' : delimiter} between cells`
      : `the sheet ${inLine(sheet)}`
  return `Read as ${source}; ${headerRow === 0 ? 'there is no header' : `the header is in line ${headerRow}`}.`
}

const formatRow = ({ line, cells }: FileRow): string =>
  `line ${line}, ${inLine(cells.filter((cell) => cell.trim() !== '').join(', '))}`

const formatCounts = ({ created, changed, same, refused }: Counts, mood: 'would' | 'did'): string =>
  mood === 'would'
    ? `Would create ${created}, change ${changed}, leave ${same} alone and refuse ${refused}.`
    : `Created ${created}, changed ${changed}, left ${same} alone, refused ${refused}.`

const shownMax = 20

/** Formats the first rows that create or change a record. */
const changedLines = (rows: readonly RowOutcome[]): string[] =>
  rows
    .filter(isWritten)
    .slice(0, shownMax)
    .map(({ line, title, fields }) => {
      const changes = Object.entries(fields).map(
        ([name, pair]) => `${name} ${pair.map((one) => JSON.stringify(one)).join(' → ')}`,
      )
      return `line ${line}, ${inLine(title)}: ${inLine(changes.join('; '))}`
    })

/** Formats the first cells that are left empty. */
function emptiedLines(rows: readonly RowOutcome[]): string[] {
  const cells = rows.flatMap(({ line, emptied }) => emptied.map((problem) => ({ line, problem })))
  const lines = cells.slice(0, shownMax).map(({ line, problem }) => `Left empty: line ${line}, ${withValue(problem)}`)
  const more = cells.length - shownMax
  return more > 0 ? [...lines, `… and ${more} more: give --difference for all of them.`] : lines
}

/** Formats the reasons that refuse several rows. */
const groupLines = (rows: readonly RowOutcome[]): string[] =>
  groupProblems(rows)
    .filter(({ count }) => count > 1)
    .map(({ problem, line, count }) => `${count} rows, first line ${line}: ${withValue(problem)}`)

/** Formats the words that nothing has, and how to decide about them. */
function wordLines(definition: Definition, { settings, file, rows }: SessionState): string[] {
  const unknown = unknownWords(definition, settings, file.columns, file.rows, rows).filter(
    ({ word }) => word === undefined,
  )
  return [...Map.groupBy(unknown, ({ column }) => column)].map(([column, words]) => {
    const listed = words.map(({ text, count }) => `${JSON.stringify(text)} (${formatCount(count, 'row')})`).join(', ')
    const [first] = words
    const option = (name: string, end: string) => `--${name} ${JSON.stringify(`${column}:${first?.text}${end}`)}`
    const creating = wordListOf(first?.field) ? ` or ${option('new', '')}` : ''
    return inLine(`Unknown in ${column}: ${listed}. Decide with ${option('value', '=…')}${creating}.`)
  })
}

/** Formats the first refused rows with the reasons. */
function refusedLines(rows: readonly RowOutcome[], report: string | undefined): string[] {
  const refused = refusedOf(rows)
  const lines = refused
    .slice(0, shownMax)
    .map(({ line, problems }) => `line ${line}: ${problems.map(withValue).join('; ')}`)
  const more = refused.length - shownMax
  const where = report === undefined ? 'give --report for all of them' : `${report} has all of them`
  return more > 0 ? [...lines, `… and ${more} more: ${where}.`] : lines
}

function withValue(problem: RowOutcome['problems'][number]): string {
  const said = problem.value === '' ? '' : ` (the cell has ${JSON.stringify(problem.value)})`
  return inLine(formatProblem(problem) + said)
}

/** Returns an import for programs. */
const jsonOf = ({ counts, rows, settings, habits, file, sameFile }: SessionState) => ({
  ...counts,
  reading: {
    ...{ encoding: file.reading.encoding, delimiter: file.reading.delimiter, sheet: file.reading.sheet },
    header_row: file.reading.headerRow,
  },
  left_out: file.leftOut.map(({ line, cells }) => ({ line, cells })),
  same_file: sameFile ? sameFile.write_id : null,
  refused_rows: refusedOf(rows)
    .slice(0, 1000)
    .map(({ line, problems }) => ({ line, problems })),
  emptied: rows.flatMap(({ line, emptied }) => emptied.map((problem) => ({ line, ...problem }))).slice(0, 1000),
  reasons: groupProblems(rows).map(({ problem: { column, field, code }, line, count }) => ({
    ...{ column, field, code, count },
    first_line: line,
  })),
  columns: settings.columns,
  decimal: habits.decimal ?? null,
  dates: habits.dates ?? null,
})

const refusedOf = (rows: readonly RowOutcome[]): RowOutcome[] => rows.filter(({ outcome }) => outcome === 'refused')
