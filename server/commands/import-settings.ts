import type { ImportFile } from '#derive/import/file.ts'
import { guessHabits } from '#derive/import/habits.ts'
import type { ImportSettings } from '#derive/import/rows.ts'
import { guess, matchFieldsOf } from '#derive/import/targets.ts'
import type { Definition } from '#registry/definition.ts'
import type { ImportRow } from '#sql/system/imports.ts'
import * as german from '../../console/texts/de/records.ts'
import * as english from '../../console/texts/en/records.ts'
import type { ImportOptions } from './import.ts'
import { Mistake } from './mistake.ts'

/** The settings of an import come from an earlier import of the file, or from the options and guesses. */

export const catalogues = [english, german]

/**
 * Finds the stopped import to continue. Throws if there is none for --continue, or if one is half done and neither
 * --continue nor --dry-run is given.
 */
export function stoppedBefore(
  latest: readonly ImportRow[],
  file: ImportFile,
  given: ImportOptions,
): ImportRow | undefined {
  const found = latest.find(
    ({ fingerprint, done, rows, undone, account_id }) =>
      fingerprint === file.fingerprint && done < rows && undone === 'nothing' && account_id === null,
  )
  if (given.continue && !found)
    throw new Mistake('No import of this file has stopped here: leave --continue out.', 'not_found')
  if (!given.continue && found && found.done > 0 && !given.dryRun) {
    const undoing = `plumbline undo ${found.write_id} --company ${given.company}`
    throw new Mistake(
      `An import of this file stopped behind ${found.done} of ${found.rows} rows: go on with --continue, or take it back with ${undoing}.`,
      'failed',
    )
  }
  return given.continue ? found : undefined
}

export function settingsOf(
  { definition, file, given }: { definition: Definition; file: ImportFile; given: ImportOptions },
  last: ImportSettings | undefined,
): ImportSettings {
  const guessed = guess(definition, file.columns, catalogues, last?.columns)
  const said = Object.values(given.map)
  const left = Object.entries(guessed).filter(
    ([column, path]) => !Object.hasOwn(given.map, column) && !said.includes(path),
  )
  const named = Object.entries(given.map).filter(([, path]) => path !== '')
  const columns = Object.fromEntries([...left, ...named])
  const { match = null } = given
  if (match !== null && !matchFieldsOf(definition).includes(match)) {
    throw new Mistake(
      `--match must be one of ${matchFieldsOf(definition).join(', ')} and not ${JSON.stringify(match)}.`,
    )
  }
  const habits = guessHabits(definition, file, columns, { dates: 'ymd', decimal: 'point' })
  const { dates = habits.dates, decimal = habits.decimal } = given
  return { columns, match, dates, decimal, reading: file.reading }
}
