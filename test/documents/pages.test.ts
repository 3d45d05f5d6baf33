import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildConsole } from '#server/commands/build-console.ts'
import { isExpected, isRun, parsePage } from './page.ts'
import { runPage } from './run-page.ts'

const root = join(import.meta.dirname, '../..')
const documents = [
  'README.md',
  'examples/README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]
const pages = documents.map((path) => ({ path, ...parsePage(readFileSync(join(root, path), 'utf8')) }))
const runnable = pages.filter(({ blocks }) => blocks.some(isRun)).map(({ path }) => path)
const skipped = pages.flatMap(({ path, blocks }) =>
  blocks.flatMap(({ line, skip }) => (skip === undefined ? [] : [`${path}:${line} ${skip}`])),
)

describe.concurrent('The commands of a page do what it shows', () => {
  beforeAll(() => buildConsole(() => undefined))
  const folders = [1, 2].map((number) => join(tmpdir(), `plumbline-page-${number}`))
  const slots = folders.map((folder) => ({ folder, isFree: Promise.resolve() }))
  /** Runs two pages at a time: a page waits for processes and keeps one processor busy. */
  const runInTurn = async (path: string): Promise<void> => {
    const { folder, isFree } = slots.shift() as (typeof slots)[number]
    const run = isFree.then(() => runPage(path, folder))
    slots.push({ folder, isFree: run.catch(() => undefined) })
    await run
  }
  test.each(runnable)('%s', { timeout: 600_000 }, runInTurn)
})

test('Few blocks are not run, each for a reason.', () => {
  console.log(skipped.join('\n'))
  expect(skipped.length).toBeLessThanOrEqual(12)
})

test('A block that other tests run names their file, which reads the page.', () => {
  const named = new Set(pages.flatMap(({ blocks }) => blocks.flatMap(({ by }) => by ?? [])))
  expect([...named].filter((path) => !existsSync(join(root, path)))).toEqual([])
})

describe('What a page says of its commands', () => {
  test.each([
    ['is refused for a word that nobody knows', '```sh sometimes\ntrue\n```', /"sometimes" is no word/],
    ['is refused without the reason of what is skipped', '```sh skip\ntrue\n```', /"skip" is no word/],
    ['is refused for a value that has to be typed', '```sh\necho …\n```', /cannot be run as printed/],
    ['is refused for an output without a command', '```output\n1\n```', /follows a block of "sh"/],
  ])('%s', (_title, markdown, message) => {
    expect(() => parsePage(markdown)).toThrow(message)
  })

  test('are the words of its blocks and what they print', () => {
    const markdown = '<!-- demo -->\n\n```sh exit=4\nfalse\n```\n\n```output\nno\n```\n\n```sh service\nx\n```\n'
    expect(parsePage(markdown)).toEqual({
      hasDemo: true,
      blocks: [
        { line: 3, command: 'false', exit: 4, isService: false, expected: 'no' },
        { line: 11, command: 'x', exit: 0, isService: true },
      ],
    })
  })
})

test.each([
  ['a\nb', ' a \nb\n', true],
  ['a', 'a\nb', false],
  ['…\nb', 'x\ny\nb', true],
  ['a\n…', 'a', true],
  ['a\n…\nc', 'a\nb', false],
  ['id …, done', 'id 17, done', true],
  ['{"b":[1],"a":"x…"}', '{"a":"xyz","b":[1]}', true],
  ['{"a":1}', '{"a":1,"b":2}', false],
  ['{"a":[]}', '{"a":{}}', false],
])('A page that shows %j and prints %j: %s', (expected, printed, is) => {
  expect(isExpected(expected, printed)).toBe(is)
})
