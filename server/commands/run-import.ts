import { readFile as readBytes, stat, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { FileProblem, type ImportFile, readFile } from '#derive/import/file.ts'
import { type ImportService, makeImporter, type RowOutcome } from '#derive/import/importer.ts'
import { differenceCsv, refusedCsv } from '#derive/import/report.ts'
import { type ImportSettings, makeRowReader, settingsProblems } from '#derive/import/rows.ts'
import { applyAll, countsOf, previewAll } from '#derive/import/run.ts'
import { counted } from '#derive/words.ts'
import type { Definition } from '#registry/definition.ts'
import { importBytesMax } from '#registry/limits.ts'
import type { App } from '../app.ts'
import { stoppable } from '../lifecycle.ts'
import { operator } from '../service/actor.ts'
import { showCompany } from '../service/company.ts'
import { beginImport, listImports, lookUpValues } from '../service/imports.ts'
import type { ImportGiven } from './import.ts'
import { applyPart, attempt } from './import-batches.ts'
import { catalogues, settingsOf, stoppedBefore } from './import-settings.ts'
import { changedLines, inNumbers, refusedLines, refusedOf, told } from './import-words.ts'
import { Mistake } from './mistake.ts'
import { startShares } from './progress.ts'
import { readLine } from './stdin.ts'
import type { CommandContext } from './terminal.ts'
import { withExisting } from './with-app.ts'

/** An import by the command: the file, the whole difference, and what was shown. */
export async function runImport(
  context: CommandContext,
  definition: Definition,
  path: string,
  given: ImportGiven,
): Promise<void> {
  const bytes = await openFile(path)
  const { delimiter, encoding, header } = given
  const file = await readFile(bytes, { delimiter, encoding, noHeader: !header }, noBreath)
  const inside = { definition, bytes, file, name: basename(path), given }
  await stoppable((stopped) => withExisting(context, ({ app }) => inApp(context, { ...inside, app, stopped })))
}

async function openFile(path: string): Promise<Uint8Array> {
  const stats = await stat(path)
  // Reading a folder fails without naming it.
  if (stats.isDirectory()) throw Object.assign(new Error('not a file'), { code: 'EISDIR', path })
  const { size } = stats
  if (size > importBytesMax) throw new FileProblem('too_large', String(importBytesMax / 1024 ** 2))
  return readBytes(path)
}

/** Nobody else waits for this process. */
const noBreath = (): Promise<void> => Promise.resolve()

type Inside = {
  app: App
  definition: Definition
  bytes: Uint8Array
  file: ImportFile
  name: string
  given: ImportGiven
  stopped: AbortSignal
}

async function inApp(context: CommandContext, inside: Inside): Promise<void> {
  const { app, definition, bytes, given, stopped } = inside
  const { company: companyId } = given
  const [company, latest] = await app.database.transaction(async (transaction) => [
    await showCompany(transaction, companyId),
    await listImports(transaction, companyId, definition.name),
  ])
  const before = stoppedBefore(latest, inside.file, given)
  const settings = before ? (before.settings as ImportSettings) : settingsOf(inside, latest[0])
  // One that goes on is read as it was: it has the same rows.
  const file = before ? await readFile(bytes, settings.reading, noBreath) : inside.file
  const problems = settingsProblems(definition, file, settings)
  if (problems.length > 0) throw new Mistake(problems.join('\n'))

  const read = makeRowReader(definition, file, settings, { currency: company.currency, catalogues })
  const importer = makeImporter({ definition, file, settings, read }, serviceOf(inside))
  const total = file.rows.length
  const rowsInWords = (rows: number): string => `${rows} rows`
  const tellLooked = startShares(context, 'Looking at each row', rowsInWords)
  const isStopped = (): boolean => stopped.aborted
  const watch = { isStopped, tell: (done: number) => tellLooked(done, total) }
  const parts = await previewAll(importer, total, watch, before?.done ?? 0)
  if (!parts) {
    const text = 'Stopped before anything was written.'
    context.say({ json: { write_id: null, done: false }, text })
    return context.end('stopped')
  }
  const rows = parts.flatMap((part) => part.rows)
  const counts = countsOf(rows)
  if (given.report !== undefined) await writeFile(given.report, refusedCsv(file, rows))
  if (given.difference !== undefined) await writeFile(given.difference, differenceCsv(rows))
  const shown = { ...counts, refused_rows: refusedOf(rows), columns: settings.columns }
  const lines = [...told(settings), ...refusedLines(rows, given.report)]
  const hasNothing = given.dryRun || counts.created + counts.changed === 0
  const isHeldUp = counts.refused > 0 && !given.skipRefused
  if (hasNothing || isHeldUp) {
    const text = [...lines, `${inNumbers(counts, 'would')} Nothing was written.`].join('\n')
    context.say({ json: { ...shown, write_id: null }, text })
    if (isHeldUp) throw new Mistake(rowsRefused(inside.name, counts.refused, hasNothing), 'rows_refused')
    return
  }

  const writeId = before?.write_id ?? (await begin(inside, settings))
  const tellWritten = startShares(context, 'Writing', rowsInWords)
  const outcome = await applyAll(
    importer,
    {
      parts,
      apply: (part) => applyPart({ app, definition, companyId, writeId }, part),
      confirm: (rows) => confirmed(context, rows),
    },
    { isStopped, tell: (done) => tellWritten(done, total) },
  )
  const undoing = `plumbline undo ${writeId} --company ${companyId}`
  if (outcome === 'done') {
    const text = [...lines, inNumbers(counts, 'did'), `To take all of it back: ${undoing}`].join('\n')
    return context.say({ json: { ...shown, write_id: writeId, done: true }, text, value: writeId })
  }
  const text = `Stopped. To go on, give the command again with --continue; to take back what was done: ${undoing}`
  context.say({ json: { write_id: writeId, done: false }, text })
  context.end(stopped.aborted ? 'stopped' : 'failed')
}

const rowsRefused = (file: string, refused: number, hasNothing: boolean): string =>
  `${counted(refused, 'row')} of ${file} cannot be imported: correct ${refused === 1 ? 'it' : 'them'}${hasNothing ? '' : ', or give --skip-refused to import the others'}.`

const serviceOf = ({ app, definition, given: { company } }: Inside): ImportService => ({
  lookUp: (field, values) =>
    app.database.transaction((transaction) => lookUpValues(transaction, company, definition, { field, values })),
  attempt: (operations) => attempt({ app, definition, companyId: company }, operations),
})

const begin = ({ app, definition, file, name, given }: Inside, settings: ImportSettings): Promise<string> =>
  app.database.transaction((transaction) =>
    beginImport(transaction, operator(given.company), {
      ...{ records: definition.name, file_name: name, fingerprint: file.fingerprint },
      ...{ settings, rows: file.rows.length },
    }),
  )

/** Somebody at a terminal is shown what rows would do by now, and asked. */
async function confirmed(context: CommandContext, rows: readonly RowOutcome[]): Promise<boolean> {
  const { stdin, stderr } = context.terminal
  const lines = [
    'Something has changed since these rows were looked at. Now they are:',
    `  ${inNumbers(countsOf(rows), 'would')}`,
    ...changedLines(rows),
    ...refusedLines(rows, undefined),
  ]
  stderr.write(`${lines.join('\n')}\n`)
  if (!stdin.isTTY) return false
  stderr.write('Go on with them? Type yes: ')
  return (await readLine(context)).toLowerCase() === 'yes'
}
