import type { Command } from 'commander'
import { type delimiters, type Encoding, encodings } from '#derive/import/file.ts'
import { type DateOrder, type DecimalSign, dateOrders, decimalSigns } from '#derive/import/values.ts'
import type { Definition } from '#registry/definition.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { Mistake } from './mistake.ts'
import { runImport } from './run-import.ts'
import type { CommandContext } from './terminal.ts'
import { readId } from './words.ts'

export type ImportOptions = {
  company: number
  match?: string
  /** Column → path; an empty path leaves the column out. */
  map: { readonly [column: string]: string }
  delimiter?: (typeof delimiters)[number]
  encoding?: Encoding
  decimal?: DecimalSign
  dates?: DateOrder
  header: boolean
  dryRun?: true
  skipRefused?: true
  report?: string
  difference?: string
  continue?: true
}

export function addImport(program: Command, context: CommandContext): void {
  program
    .command('import')
    .description('Makes and changes records by a CSV file: looks at every row first, then does what it has shown.')
    .argument('<records>', `what is imported: ${registry.map(({ name }) => name).join(', ')}`, readRecords)
    .argument('<file>', 'the file')
    .requiredOption('--company <id>', 'the company', readId('--company'))
    .option(
      '--match <field>',
      'a unique field by which a row finds the record that it changes; without it each row makes one',
    )
    .option(
      '--map <column=field>',
      'which field a column is for; nothing behind the sign leaves it out; repeat it for more',
      readMapping,
      {},
    )
    .option(
      '--delimiter <sign>',
      'what stands between cells: , or ; or tab',
      oneOf('--delimiter', { ',': ',', ';': ';', tab: '\t' }),
    )
    .option('--encoding <name>', encodings.join(' or '), oneOf('--encoding', mapWords(encodings)))
    .option('--decimal <sign>', 'comma (1.234,56) or point (1,234.56)', oneOf('--decimal', mapWords(decimalSigns)))
    .option('--dates <order>', 'dmy, mdy or ymd', oneOf('--dates', mapWords(dateOrders)))
    .option('--no-header', 'the first row has data and no names: columns are called Column 1, Column 2 …')
    .option('--dry-run', 'looks at every row and writes nothing')
    .option('--skip-refused', 'does the other rows where some are refused')
    .option('--report <file>', 'writes the refused rows there, with what is wrong, to be mended and imported again')
    .option('--difference <file>', 'writes what would become of each row there')
    .option('--continue', 'goes on with the import of this file that stopped, read as it was then')
    .addHelpText('after', details)
    .action((definition: Definition, file: string, given: ImportOptions) => runImport(context, definition, file, given))
}

const details = `
What is not said is found out: separator and encoding by the file, fields by the names of the columns, in English and German.
Ctrl-C stops behind the batch under way. The exit code is 0 when all was done that could be, 4 when rows were refused
without --skip-refused, and 130 when it was stopped.

Examples:
  plumbline import clients customers.csv --company 1 --match external_ref --dry-run --report refused.csv
  plumbline import projects jobs.csv --company 1 --map "Auftrag=name" --map "Kunde=client_id" --decimal comma --dates dmy`

function readRecords(word: string): Definition {
  const definition = definitionOf(registry, word)
  if (definition) return definition
  throw new Mistake(`There are no ${JSON.stringify(word)}; there are ${registry.map(({ name }) => name).join(', ')}.`)
}

/** Parses a mapping. Splits at the last "=", because a column name may have one and a path has none. */
function readMapping(word: string, before: ImportOptions['map']): ImportOptions['map'] {
  const at = word.lastIndexOf('=')
  if (at <= 0) throw new Mistake(`--map must be like "Kunde=name" and not ${JSON.stringify(word)}.`)
  return { ...before, [word.slice(0, at)]: word.slice(at + 1).trim() }
}

const oneOf =
  <Value>(called: string, values: { readonly [word: string]: Value }) =>
  (word: string): Value => {
    const value = Object.hasOwn(values, word) ? values[word] : undefined
    if (value !== undefined) return value
    throw new Mistake(`${called} must be ${Object.keys(values).join(' or ')} and not ${JSON.stringify(word)}.`)
  }

const mapWords = <Word extends string>(words: readonly Word[]): { readonly [word: string]: Word } =>
  Object.fromEntries(words.map((word) => [word, word]))
