import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { valueLabels } from '#derive/labels.ts'
import { faultMessage, parseValue } from '#derive/parse-value.ts'
import type { Habits } from '#registry/fields/kind.ts'
import type { Json } from '#registry/json.ts'
import { catalogues } from '#registry/words/index.ts'
import { type Cell, cells, fieldAt, type Outcome } from './cells.ts'

/** Every text of a person is a value, or says which part of it is none, or which habit it leaves open. */

const titled = (given: readonly Cell[]) =>
  given.map(
    (cell) =>
      [
        `${cell.path} ${JSON.stringify(cell.text)} ${cell.habits.currency} ${cell.habits.decimal ?? ''}${cell.habits.dayOrder ?? ''}`,
        cell,
      ] as const,
  )

/** Returns the outcome of a read as the table has it: the part only where the row names one. */
function outcomeOf({ text, field, habits, outcome }: Cell): Outcome {
  const read = parseValue(text, field, habits)
  if (!('fault' in read)) return read
  const { code, part } = read.fault
  return 'part' in outcome ? { code, part } : { code }
}

describe.each([...Map.groupBy(cells, (cell) => cell.class)])('%s', (_, rows) => {
  test.each(titled(rows))('%s', (_, cell) => {
    expect(outcomeOf(cell)).toEqual(cell.outcome)
  })
})

test('The table has at least ten rows of each class and four hundred in all', () => {
  expect(cells.length).toBeGreaterThanOrEqual(400)
})

/** The cells of `shared/cases`, where they stand beside the checkout: texts, and what is right for each. */

type SharedCell = {
  field: string
  text: string
  habits: { language?: string; currency?: string; decimal?: 'point' | 'comma'; dates?: string }
  value?: Json
  refused?: string
  needs?: string
}

const file = join(import.meta.dirname, '../../../shared/cases/values/cells.json')
const rows: SharedCell[] = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []
const decimals = { point: '.', comma: ',' } as const
const orders: { readonly [word: string]: Habits['dayOrder'] } = { dmy: 'day', mdy: 'month', day: 'day', month: 'month' }

test.each(rows.map((row) => [`${row.field} ${JSON.stringify(row.text)}`, row] as const))('%s', (_, row) => {
  const { definition, field } = fieldAt(row.field)
  const { language = 'en', currency = 'USD', decimal, dates } = row.habits
  const habits: Habits = {
    ...{ language, currency, decimal: decimal && decimals[decimal], dayOrder: dates ? orders[dates] : undefined },
    labelsOf: valueLabels(catalogues, definition),
  }
  const read = parseValue(row.text, field, habits)
  if (row.needs !== undefined) expect(read).toHaveProperty('open')
  else if (row.refused !== undefined) {
    expect(read).toHaveProperty('fault')
    const { fault } = read as { fault: Parameters<typeof faultMessage>[0] }
    expect(`${fault.code} ${faultMessage(fault, field, habits)}`).toMatch(new RegExp(row.refused))
  } else expect(read).toEqual({ value: row.value })
})
