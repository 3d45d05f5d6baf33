import { expect, test } from 'vitest'
import { formatTable } from '#server/commands/terminal.ts'

const terminal = (isTTY: boolean) => ({
  terminal: { stdout: { isTTY, write: () => undefined } } as unknown as Parameters<typeof formatTable>[2]['terminal'],
})
const rows = [
  [7, 'PRO', 'Quay\tBuilders'],
  [12, 'ENTERPRISE', 'Ada'],
]

test('Columns are padded on a terminal, with numbers to the right.', () => {
  expect(formatTable(['id', 'plan', 'name'], rows, terminal(true)).split('\n')).toEqual([
    'id  plan        name',
    ' 7  PRO         Quay Builders',
    '12  ENTERPRISE  Ada',
  ])
})

test('Cells are separated by tabs elsewhere; a tab in a cell is a blank.', () => {
  expect(formatTable(['id', 'plan', 'name'], rows, terminal(false)).split('\n')).toEqual([
    'id\tplan\tname',
    '7\tPRO\tQuay Builders',
    '12\tENTERPRISE\tAda',
  ])
})
