import { describe, expect, test } from 'vitest'
import { agentHabits, readText } from '#derive/agent/texts.ts'
import { checkValue } from '#derive/check-value.ts'
import { typedValue } from '#derive/form/typed.ts'
import { dateWords, decideHabits, decimalWords } from '#derive/import/habits.ts'
import { createRowReader, type ImportSettings, settingsProblems } from '#derive/import/rows.ts'
import { unreadProblems } from '#derive/parse-value.ts'
import { isObject, type Json } from '#registry/json.ts'
import { catalogues } from '#registry/words/index.ts'
import { type Cell, cells } from './cells.ts'

/** A form, a file and an agent read one value from one text, or refuse it. */

/** What a way makes of a text: a value, or undefined if it refuses or asks. */
type Way = (cell: Cell) => Json | undefined

/** Returns a value that is neither refused by the check of /v1 nor as a text that nobody can read. */
const accepted = ({ field, habits }: Cell, value: Json): Json | undefined => {
  const problems =
    value === null
      ? []
      : [...checkValue(field, value, '').problems, ...unreadProblems({ it: field }, { it: value }, habits)]
  return problems.length > 0 ? undefined : value
}

const form: Way = (cell) => accepted(cell, typedValue(cell.text, cell.field, cell.habits))

const reading = { encoding: 'utf-8', delimiter: ',', headerRow: 1 } as const

const wordOf = <Word extends string>(words: { readonly [word in Word]: string }, habit: string | undefined) =>
  (Object.keys(words) as Word[]).find((word) => words[word] === habit)

/** Reads a file of one cell, with the choices of the habits; the page and the command have this reader. */
function file({ text, path, definition, habits: { currency, decimal, dayOrder } }: Cell, isExact = false) {
  const target = path.slice(definition.name.length + 1)
  const column = isExact ? target : 'A column'
  const sheet = { columns: [column], rows: [{ line: 2, cells: [text] }] }
  const [decimalWord, dateWord] = [wordOf(decimalWords, decimal), wordOf(dateWords, dayOrder)]
  const settings: ImportSettings = {
    ...{ columns: { [column]: target }, match: null, reading },
    ...(decimalWord && { decimal: decimalWord }),
    ...(dateWord && { dates: dateWord }),
  }
  const decided = decideHabits(definition, sheet, settings, currency)
  if (settingsProblems(definition, sheet, settings, decided).length > 0) return undefined
  const read = createRowReader({ definition, file: sheet, settings, currency, catalogues })
  const { body, problems, names } = read({ line: 2, cells: [text] }, 0)
  if (problems.length > 0) return undefined
  const [name = '', member] = target.split('.')
  const value = names.length > 0 ? Number(names[0]?.text) : (body[name] ?? null)
  return member === undefined ? value : isObject(value) ? (value[member] ?? null) : null
}

const agent: Way = (cell) => accepted(cell, readText(cell.text, cell.field, agentHabits(catalogues, cell.definition)))

/** A text without a value leaves a cell of a file alone, and stays a text with an agent. */
const isEmpty = ({ outcome }: Cell): boolean => 'value' in outcome && outcome.value === null

describe.each([...Map.groupBy(cells, (cell) => cell.class)])('%s', (name, rows) => {
  test('a form and a file read what the table says', () => {
    for (const cell of rows) {
      const expected = 'value' in cell.outcome ? cell.outcome.value : undefined
      expect([cell.text, cell.habits.decimal, form(cell)]).toEqual([cell.text, cell.habits.decimal, expected])
      expect([cell.text, cell.habits.decimal, file(cell, name === 'id')]).toEqual([
        cell.text,
        cell.habits.decimal,
        expected,
      ])
    }
  })

  test('an agent reads what a file for programs does: never another value than people mean, but for amounts in minor units', () => {
    for (const cell of rows.filter((each) => !isEmpty(each))) {
      const read = agent(cell)
      const byProgram = file({ ...cell, habits: { ...cell.habits, decimal: '.', dayOrder: undefined } }, true)
      expect([cell.text, read]).toEqual([cell.text, byProgram ?? undefined])
      if (cell.field.kind === 'money' || cell.habits.decimal !== '.') continue
      expect([cell.text, read]).toEqual([cell.text, 'value' in cell.outcome ? cell.outcome.value : undefined])
    }
  })
})
