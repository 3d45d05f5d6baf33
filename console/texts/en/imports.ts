import { fileProblems } from '#derive/import/file-problem.ts'
import { createCountFormat } from '../count.ts'

const formatCount = createCountFormat('en')

type ByCode = { readonly [code: string]: (...told: string[]) => string }

/** The texts of the import of a file. */
export const imports = {
  title: (many: string) => `Import ${many.toLowerCase()}`,
  steps: { file: 'File', columns: 'Columns', difference: 'Difference', result: 'Result' },
  lead: 'Every row is looked at first. Nothing is written before you have seen what it would do.',
  choose: 'Choose a CSV file',
  another: 'Another file',
  reading: 'Reading the file …',
  rows: (count: number) => formatCount(count, { one: '# row', other: '# rows' }),
  file: 'How the file is read',
  separator: 'Separator',
  separators: { ',': 'Comma', ';': 'Semicolon', '\t': 'Tab' } as { [sign: string]: string },
  encoding: 'Encoding',
  noHeader: 'The first row has data, not names',
  decimal: 'Numbers',
  decimals: { comma: '1.234,56', point: '1,234.56' },
  dates: 'Days',
  dateOrders: { dmy: '31.03.2026', mdy: '03/31/2026', ymd: '2026-03-31' },
  match: 'A row is about the record with the same',
  matchNone: 'Nothing: each row makes a new record',
  matchHint: 'Rows whose record is there change it; the others make one.',
  columns: 'Which field is each column for?',
  leftOut: 'Leave out',
  withheld: (columns: string) => `Your account does not see these fields, so their columns are left out: ${columns}.`,
  fieldOf: (column: string) => `Field for ${column}`,
  inIds: 'Has ids',
  inMinor: 'In the smallest unit, such as cents',
  /** Why the choices cannot be used. A code without a text keeps nobody from going on. */
  settingsProblems: {
    used_twice: (field) => `Two columns are for ${field}. Leave one out.`,
    no_columns: () => 'Choose a field for at least one column.',
    match_lost: (field) => `No column is for ${field}, by which records are to be found.`,
  } as ByCode,
  look: 'Look at every row',
  looking: (done: string, total: string) => `Looking at row ${done} of ${total} …`,
  writing: (done: string, total: string) => `Writing row ${done} of ${total} …`,
  stop: 'Stop',
  stopping: 'Stops behind the batch under way …',
  outcomes: { created: 'New', changed: 'Change', same: 'Unchanged', refused: 'Refused' },
  show: 'Rows to show',
  all: 'All',
  line: (line: number) => `line ${line}`,
  says: (value: string) => `says “${value}”`,
  nothing: 'No row of this sort.',
  download: 'Download the difference',
  downloadRefused: 'Download the refused rows',
  mend: 'Refused rows are not written. Mend them in the file and import it again, or go on with the others.',
  nothingToDo: 'There is nothing to write: no row would make or change a record.',
  apply: (count: number) => formatCount(count, { one: 'Write # row', other: 'Write # rows' }),
  back: 'Back to the columns',
  done: (created: string, changed: string) => `Done: ${created} new, ${changed} changed.`,
  left: (same: number, refused: number) =>
    `${formatCount(same, { one: '# was as it is', other: '# were as they are' })}, ${formatCount(refused, { one: '# was refused', other: '# were refused' })}.`,
  stopped: (done: string, total: string) =>
    `Stopped behind row ${done} of ${total}. What is written stays, until you go on or take it back.`,
  goOn: 'Go on',
  undoAll: 'Take the whole import back',
  undoing: (remaining: number) =>
    `Taking back, ${formatCount(remaining, { one: '# record', other: '# records' })} left …`,
  undone: 'The whole import was taken back.',
  list: 'To the list',
  changedTitle: 'These rows would do something else by now',
  changed: 'Somebody has changed what they are about since you looked. This is what they would do now.',
  changedGoOn: 'Write them so',
  unfinished: 'An import of this file has stopped',
  unfinishedLead: (done: string, total: string) =>
    `The first ${done} of its ${total} rows are settled. It goes on behind them.`,
  latest: 'Latest imports',
  latestOf: (created: string, changed: string) => `${created} new, ${changed} changed`,
  latestStopped: (done: string, total: string) =>
    `stopped behind row ${done} of ${total}; choose the file again to go on`,
  latestUndone: 'taken back',
  undoOne: (file: string) => `Take back ${file}`,
  fileProblems: fileProblems as ByCode,
  /** A code without a text gets the words of the check. */
  problems: {} as ByCode,
}
