import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ownOperations, standardOperations } from '#derive/operations/index.ts'

/**
 * An operation answers every question about itself. A place that asks which one it has before it does something knows
 * operations by name, and is one more place to change for the next of them.
 */
const names = [...Object.keys(standardOperations), ...Object.keys(ownOperations)].join('|')
const because = 'ask the operation, which answers in derive/operations; no other place knows one by its name'

const asks = [
  // route.operation === …, operation !== …
  /\boperation\s*[!=]==?\s/,
  /[!=]==?\s+(?:\w+\.)*operation\b/,
  /\bswitch \((?:\w+\.)*operation\)/,
  /\.includes\((?:\w+\.)*operation\)/,
  new RegExp(`\\bcase '(?:\\w+\\.)?(?:${names})':`),
  // Methods of HTTP, and steps that a test makes up, have names of their own.
  new RegExp(`(?<!\\b(?:method|kind))\\s[!=]==?\\s'(?:\\w+\\.)?(?:${names})'`),
]

const root = join(import.meta.dirname, '../..')
const self = 'test/house/operations.test.ts'
const lines = ['derive', 'server', 'test'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((name) => name.endsWith('.ts') && name !== self && !/node_modules|\/dist\//.test(name))
    .flatMap((name) =>
      readFileSync(join(root, name), 'utf8')
        .split('\n')
        .map((line, at) => ({ where: `${name}:${at + 1}`, line: line.trim() })),
    ),
)

test('No line of derive, server or tests asks which operation it has', () => {
  const strays = lines
    .filter(({ line }) => asks.some((pattern) => pattern.test(line)))
    .map(({ where, line }) => `${where}: ${line}\n  ${because}`)
  expect(strays).toEqual([])
  expect(lines.length).toBeGreaterThan(10_000)
})

test.each([
  "if (route.operation === 'list') return",
  "const hasBody = operation !== 'delete'",
  "if ('create' === route.operation)",
  '  switch (operation) {',
  "    case 'fetch':",
  "    case 'projects.update':",
  "routes.find(({ id }) => id === 'projects.create')",
  "const write = !['list', 'fetch'].includes(operation)",
])('such a line is found: %s', (line) => {
  expect(asks.some((pattern) => pattern.test(line))).toBe(true)
})

test.each(["if (method !== 'delete')", "if (next.kind === 'create') {", "import { list } from './list.ts'"])(
  'and this is none: %s',
  (line) => {
    expect(asks.some((pattern) => pattern.test(line))).toBe(false)
  },
)
