import { readFile as readBytes, stat, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { ImportFile } from '#derive/import/file.ts'
import { FileProblem } from '#derive/import/file-problem.ts'
import type { RowOutcome } from '#derive/import/importer.ts'
import { differenceCsv, refusedCsv } from '#derive/import/report.ts'
import { type ImportSettings, settingsProblems } from '#derive/import/rows.ts'
import { countsOf, createSession, type Stage } from '#derive/import/session.ts'
import { formatCount } from '#derive/words.ts'
import type { Definition } from '#registry/definition.ts'
import { importBytesMax } from '#registry/limits.ts'
import type { App } from '../app.ts'
import { runUntilSignal } from '../lifecycle.ts'
import { showCompany } from '../service/company.ts'
import type { ImportOptions } from './import.ts'
import { serviceOf } from './import-batches.ts'
import { catalogues, settingsOf, stoppedBefore } from './import-settings.ts'
import { changedLines, formatCounts, formatSettings, refusedLines, refusedOf } from './import-words.ts'
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
  const file = { name: basename(path), bytes: await openFile(path) }
  await runUntilSignal((stopped) =>
    withExisting(context, ({ app }) => inApp(context, { app, definition, ...file, given, stopped })),
  )
}

async function openFile(path: string): Promise<Uint8Array> {
  const stats = await stat(path)
  // The error of reading a folder does not name it.
  if (stats.isDirectory()) throw Object.assign(new Error('not a file'), { code: 'EISDIR', path })
  const { size } = stats
  if (size > importBytesMax) throw new FileProblem('too_large', String(importBytesMax / 1024 ** 2))
  return readBytes(path)
}

type ImportContext = {
  app: App
  definition: Definition
  name: string
  bytes: Uint8Array
  given: ImportOptions
  stopped: AbortSignal
}

async function inApp(context: CommandContext, inside: ImportContext): Promise<void> {
  const { app, definition, name, bytes, given, stopped } = inside
  const { company: companyId, delimiter, encoding, header } = given
  const { currency } = await app.database.transaction((transaction) => showCompany(transaction, companyId))
  const inRows = (rows: number): string => `${rows} rows`
  const shares: { [stage in Stage]?: ReturnType<typeof startShares> } = {}
  const session = createSession({
    ...{ definition, currency, catalogues, service: serviceOf({ app, definition, companyId }) },
    // No pauses, because this process serves nobody else.
    breathe: () => Promise.resolve(),
    findStopped: (latest, file) => stoppedBefore(latest, file, given),
    propose: (file, last) => settingsOf({ definition, file, given }, last),
    confirm: (rows) => confirmRows(context, rows),
    onChange({ stage, done, chosen }) {
      const doing = stage === 'looking' ? 'Looking at each row' : stage === 'writing' ? 'Writing' : undefined
      if (!doing || !chosen) return
      shares[stage] ??= startShares(context, doing, inRows)
      shares[stage](done, chosen.file.rows.length)
    },
  })
  stopped.addEventListener('abort', session.stop)
  if (stopped.aborted) session.stop()
  await session.parse(name, bytes, { delimiter, encoding, noHeader: !header })
  const { file } = session.state.chosen as { file: ImportFile }
  const settings = session.state.settings as ImportSettings
  const problems = settingsProblems(definition, file, settings)
  if (problems.length > 0) throw new Mistake(problems.join('\n'))

  await session.preview()
  const previewed = session.state
  if (previewed.stage !== 'difference') {
    const text = 'Stopped before anything was written.'
    context.say({ json: { write_id: null, done: false }, text })
    return context.end('stopped')
  }
  const rows = previewed.parts.flatMap((part) => part.rows)
  const counts = countsOf(rows)
  if (given.report !== undefined) await writeFile(given.report, refusedCsv(file, rows))
  if (given.difference !== undefined) await writeFile(given.difference, differenceCsv(rows))
  const shown = { ...counts, refused_rows: refusedOf(rows), columns: settings.columns }
  const lines = [...formatSettings(settings), ...refusedLines(rows, given.report)]
  const hasNothing = given.dryRun || counts.created + counts.changed === 0
  const isHeldUp = counts.refused > 0 && !given.skipRefused
  if (hasNothing || isHeldUp) {
    const text = [...lines, `${formatCounts(counts, 'would')} Nothing was written.`].join('\n')
    context.say({ json: { ...shown, write_id: null }, text })
    if (isHeldUp) throw new Mistake(rowsRefused(name, counts.refused, hasNothing), 'rows_refused')
    return
  }

  await session.run()
  const { stage, writeId = '' } = session.state
  const undoing = `plumbline undo ${writeId} --company ${companyId}`
  if (stage === 'done') {
    const text = [...lines, formatCounts(counts, 'did'), `To take all of it back: ${undoing}`].join('\n')
    return context.say({ json: { ...shown, write_id: writeId, done: true }, text, value: writeId })
  }
  const text = `Stopped. To go on, give the command again with --continue; to take back what was done: ${undoing}`
  context.say({ json: { write_id: writeId, done: false }, text })
  context.end(stopped.aborted ? 'stopped' : 'failed')
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
