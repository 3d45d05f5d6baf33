import type { Command } from 'commander'
import { encodings, type FileOptions } from '#derive/import/file.ts'
import { type ChosenHabits, dateWords, decimalWords } from '#derive/import/habits.ts'
import { type Unfit, unfitChoices } from '#derive/import/rows.ts'
import type { Word } from '#derive/import/words.ts'
import type { Definition } from '#registry/definition.ts'
import { registry } from '#registry/resources/index.ts'
import { Mistake } from './mistake.ts'
import { runImport } from './run-import.ts'
import type { CommandContext } from './terminal.ts'
import { oneOf, readId, readRecords } from './words.ts'

export type ImportOptions = FileOptions &
  ChosenHabits & {
    company: number
    match?: string
    /** Column → path; an empty path leaves the column out. */
    map: { readonly [column: string]: string }
    header: boolean
    dryRun?: true
    skipRefused?: true
    report?: string
    difference?: string
    continue?: true
    again?: true
    unfit?: Unfit
    /** `Column:word` and the text in place of the word; of `new` true for a new record. */
    value: readonly WordChoice[]
    new: readonly WordChoice[]
  }

type WordChoice = readonly [word: string, replacement: Word]

export function addImport(program: Command, context: CommandContext): void {
  program
    .command('import')
    .description(
      'Create and change records by a CSV file or a workbook (.xlsx). Every row is checked before the first one is written.',
    )
    .argument('<records>', `the kind of records: ${registry.map(({ name }) => name).join(', ')}`, readRecords)
    .argument('<file>', 'the file')
    .requiredOption('--company <id>', 'the company', readId('--company'))
    .option(
      '--match <field>',
      'the field by which rows find the records to change: id, a unique one, the name, the e-mail address or the telephone number (default: id if a column has it, else each row creates a record)',
    )
    .option(
      '--map <column=field>',
      'the field of a column; an empty field leaves the column out; may be given several times',
      readMapping,
      {},
    )
    .option(
      '--delimiter <sign>',
      'the separator of cells: , or ; or | or tab',
      oneOf('--delimiter', [',', ';', '|', 'tab'], [',', ';', '|', '\t']),
    )
    .option('--encoding <name>', encodings.join(' or '), oneOf('--encoding', encodings))
    .option('--sheet <name>', 'the sheet of a workbook (default: the first one)')
    .option('--decimal <sign>', 'comma (1.234,56) or point (1,234.56)', oneOf('--decimal', Object.keys(decimalWords)))
    .option('--dates <order>', 'dmy (31/03/2026) or mdy (03/31/2026)', oneOf('--dates', Object.keys(dateWords)))
    .option(
      '--header-row <line>',
      'the line of the header (default: the one with known names, or the first)',
      readLineNumber,
    )
    .option('--no-header', 'read the first row as data; the columns are then named Column 1, Column 2 …')
    .option('--dry-run', 'check every row and write nothing')
    .option(
      '--unfit <what>',
      'what to do with cells that do not fit optional fields: refuse their rows, or leave the cells empty (default: refuse)',
      oneOf('--unfit', unfitChoices),
    )
    .option(
      '--value <column:word=value>',
      'read a word of a column as this value, or as an empty cell without one; may be given several times',
      readValue,
      [],
    )
    .option(
      '--new <column:word>',
      'the name of a record to create, such as a trade, if there is none; may be given several times',
      (word: string, before: readonly WordChoice[]) => [...before, [word, true] as const],
      [],
    )
    .option('--skip-refused', 'import the other rows if some are refused')
    .option(
      '--report <file>',
      'write the refused rows with their problems to this file, to be corrected and imported again',
    )
    .option('--difference <file>', 'write the effect of each row to this file')
    .option('--again', 'import a file that has been imported already')
    .option('--continue', 'continue the stopped import of this file, with its settings')
    .addHelpText('after', details)
    .action((definition: Definition, file: string, given: ImportOptions) => runImport(context, definition, file, given))
}

const details = `
What is not said is found out: separator and header by the file, fields by the names of the columns, in English and German,
decimal signs and the order of days by all cells. What the file leaves open, such as its encoding, is refused with the name of
the option that decides it.
Ctrl-C stops behind the batch under way. The exit code is 0 when all was done that could be, 4 when rows were refused
without --skip-refused, and 130 when it was stopped.

Examples:
  plumbline import clients customers.csv --company {company} --match external_ref --dry-run --report refused.csv
  plumbline import workers crew.csv --company {company} --value "Trade:Elektrik=Electrician" --new "Trade:Glazier" --unfit empty
  plumbline import projects jobs.csv --company {company} --map "Auftrag=name" --map "Kunde=client_id" --decimal comma --dates dmy`

function readLineNumber(word: string): number {
  if (/^[1-9]\d{0,8}$/.test(word)) return Number(word)
  throw new Mistake(`--header-row must be the number of a line and not ${JSON.stringify(word)}.`)
}

/** Parses a mapping. Splits at the last "=", because a column name may have one and a path has none. */
function readMapping(word: string, before: ImportOptions['map']): ImportOptions['map'] {
  const at = word.lastIndexOf('=')
  if (at <= 0) throw new Mistake(`--map must be like "Kunde=name" and not ${JSON.stringify(word)}.`)
  return { ...before, [word.slice(0, at)]: word.slice(at + 1).trim() }
}

/** Parses the value of a word. Splits at the last "=", as a mapping. */
function readValue(text: string, before: readonly WordChoice[]): readonly WordChoice[] {
  const at = text.lastIndexOf('=')
  if (at <= 0) throw new Mistake(`--value must be like "Trade:Elektrik=Electrician" and not ${JSON.stringify(text)}.`)
  return [...before, [text.slice(0, at), text.slice(at + 1).trim()]]
}
