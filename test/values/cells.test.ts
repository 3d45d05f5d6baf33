import { describe, expect, test } from 'vitest'
import { parseValue } from '#derive/parse-value.ts'
import { type Cell, cells, type Outcome } from './cells.ts'

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
