import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exitCodes, exitOf } from '#server/commands/exit-codes.ts'
import { freshDatabase, run } from '../stage/database.ts'
import { urlOf } from '../stage/process.ts'
import { type CommandOutput, createStage, type Stage } from './stage.ts'
import { createWholeProgram } from './whole-program.ts'

/** Exit codes and JSON errors, over all commands. */

let stage: Stage
let database: Awaited<ReturnType<typeof freshDatabase>>
beforeAll(async () => {
  stage = await createStage()
  database = await freshDatabase()
  await writeFile(join(stage.folder, 'clients.csv'), 'Name\nA\n')
  await writeFile(join(stage.folder, 'bad.csv'), 'Name;Status\nA;Asleep\nB;Active\n')
  await writeFile(
    join(stage.folder, 'erased.jsonl'),
    '{"company":1,"kind":"workers","id":1,"at":"2026-01-01T00:00:00Z"}\n',
  )
})
afterAll(async () => {
  await database.drop()
  await stage.clear()
})

const nowhere = 'postgres://erp@127.0.0.1:1/erp'
const write = '019b1c2e-7f3a-7c11-8a5e-0c9d5b1f2a44'
const of = ['--company', '9']

type Ends = { exit: number; code?: string }
const failed = { exit: 1, code: 'failed' }
const notFound = { exit: 1, code: 'not_found' }
const unavailable = { exit: 3, code: 'unavailable' }
const configInvalid = { exit: 2, code: 'config_invalid' }

/**
 * Every command, given well, and how it ends: for a company that does not exist or the like, with a database that cannot
 * be reached, and with a setting that is wrong. `{folder}` is the folder of the test.
 */
type Row = { words: string[]; refused?: Ends; away?: Ends; misconfigured?: Ends }
const rows: Row[] = [
  { words: ['serve'] },
  { words: ['migrate', '--back-to', '0000-none'], refused: notFound },
  { words: ['demo'] },
  { words: ['demo', 'remove', '--yes'] },
  { words: ['company', 'create', '--name', ' '], refused: { exit: 1, code: 'validation_failed' } },
  { words: ['company', 'list'] },
  { words: ['account', 'list', ...of], refused: notFound },
  { words: ['undo', write, ...of, '--dry-run'], refused: notFound },
  { words: ['company', 'set', '9', '--plan', 'PRO'], refused: notFound },
  { words: ['company', 'show', '9'], refused: notFound },
  { words: ['account', 'create', ...of, '--name', 'A', '--email', 'a@example.com'], refused: notFound },
  { words: ['account', 'set', '9', '--enable'], refused: notFound },
  { words: ['token', 'issue', ...of, '--account', '1'], refused: notFound },
  { words: ['token', 'show', ...of], refused: notFound },
  { words: ['token', 'rotate', ...of], refused: notFound },
  { words: ['token', 'revoke', ...of], refused: notFound },
  { words: ['token', 'allow', 'none', ...of], refused: notFound },
  { words: ['agents', 'enable', ...of], refused: notFound },
  { words: ['agents', 'disable', ...of], refused: notFound },
  { words: ['agents', 'show', ...of], refused: notFound },
  { words: ['webhooks', 'list', ...of], refused: notFound },
  { words: ['webhooks', 'create', ...of, '--name', 'A', '--url', 'https://example.com'], refused: notFound },
  { words: ['webhooks', 'test', '9', ...of], refused: notFound },
  { words: ['webhooks', 'rotate', '9', ...of], refused: notFound },
  { words: ['webhooks', 'attempts', '9', ...of], refused: notFound },
  { words: ['webhooks', 'replay', '9', ...of, '--from', '2026-03-31'], refused: notFound },
  { words: ['webhooks', 'enable', '9', ...of], refused: notFound },
  { words: ['webhooks', 'disable', '9', ...of], refused: notFound },
  { words: ['webhooks', 'delete', '9', ...of], refused: notFound },
  { words: ['key', 'rotate'] },
  {
    words: ['record', 'create', 'trades', ...of, '--json-body', '{'],
    refused: { exit: 1, code: 'malformed_json' },
    away: { exit: 1, code: 'malformed_json' },
    misconfigured: { exit: 1, code: 'malformed_json' },
  },
  { words: ['record', 'create', 'trades', ...of, '--json-body', '{"name":"A"}'], refused: notFound },
  { words: ['person', 'export', 'workers', '9', ...of], refused: notFound },
  { words: ['person', 'erase', 'workers', '9', ...of, '--reason', 'asked'], refused: notFound },
  { words: ['person', 'erase', '--from', '{folder}/erased.jsonl'] },
  {
    words: ['person', 'erase', '--from', '{folder}/none'],
    refused: { exit: 1, code: 'file_not_found' },
    away: { exit: 1, code: 'file_not_found' },
    misconfigured: { exit: 1, code: 'file_not_found' },
  },
  { words: ['import', 'clients', '{folder}/clients.csv', ...of], refused: notFound },
  {
    words: ['import', 'clients', '{folder}/none.csv', ...of],
    refused: { exit: 1, code: 'file_not_found' },
    away: { exit: 1, code: 'file_not_found' },
    misconfigured: { exit: 1, code: 'file_not_found' },
  },
  {
    words: ['import', 'clients', '{folder}', ...of],
    refused: { exit: 1, code: 'file_not_readable' },
    away: { exit: 1, code: 'file_not_readable' },
    misconfigured: { exit: 1, code: 'file_not_readable' },
  },
  { words: ['undo', write, ...of], refused: notFound },
  { words: ['changes', ...of], refused: notFound },
  { words: ['listen', ...of, '--forward-to', 'http://localhost:9000'], refused: notFound },
  { words: ['backup', '{folder}/backup'], refused: failed, away: failed },
  { words: ['backup', 'verify', '{folder}/none'], refused: failed, away: failed },
  { words: ['restore', '{folder}/none'], refused: failed, away: failed },
  { words: ['export', ...of, '--to', '{folder}/archive.tar'], refused: notFound },
  { words: ['export', 'clients', ...of, '--out', '{folder}/clients.csv'], refused: notFound },
  { words: ['import-company', '{folder}/none.tar'], refused: failed },
  { words: ['usage'] },
  { words: ['audit', ...of], refused: notFound },
  { words: ['doctor'], away: { exit: 1 }, misconfigured: { exit: 1 } },
  { words: ['config'], away: { exit: 0 } },
  { words: ['completion', 'bash'], away: { exit: 0 }, misconfigured: { exit: 0 } },
]

const given = ({ words }: Row): string[] => words.map((word) => word.replace('{folder}', stage.folder))
const titled = rows.map((row) => ({ ...row, title: `plumbline ${row.words.join(' ')}` }))

/** An error is one JSON object on the standard error, whose codes are those of the table. */
function expectEnd({ code, err }: CommandOutput, { exit, code: name }: Ends): void {
  const error = err === '' ? {} : JSON.parse(err)
  expect({ exit: code, code: error.code, exit_code: error.exit_code }, err).toEqual({
    exit,
    code: name,
    exit_code: name && exit,
  })
  if (name === undefined) return
  expect(error.error).toMatch(/\S/)
  expect(exitCodes[exitOf(error.code)].code).toBe(exit)
}

const leaves = (command: Command, path: string[] = []): string[] =>
  command.commands
    .filter((inner) => inner.name() !== 'help')
    .flatMap((inner) => {
      const name = [...path, inner.name()]
      const below = leaves(inner, name)
      // "demo" and "backup" do something by themselves, too.
      return below.length === 0 || ['demo', 'backup'].includes(inner.name()) ? [name.join(' '), ...below] : below
    })

const commandsWith = (option: string, command: Command, path: string[] = []): string[] => [
  ...(command.options.some(({ long }) => long === option) ? [path.join(' ')] : []),
  ...command.commands.flatMap((inner) => commandsWith(option, inner, [...path, inner.name()])),
]

const allCommands = async (): Promise<string[]> => leaves(await createWholeProgram())

test('Every command has a row in the table of this file.', async () => {
  const hasRow = (name: string) => titled.some(({ title }) => `${title} `.startsWith(`plumbline ${name} `))
  const all = await allCommands()
  expect(all.length).toBeGreaterThan(30)
  expect(all.filter((name) => !hasRow(name))).toEqual([])
})

/** The commands of a row such as "| `token issue`, `show` | …": the words after the first name are of the same group. */
function commandsOfRow(row: string, all: readonly string[]): string[] {
  const names = [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name as string)
  const group = names[0]?.split(' ')[0]
  return names.map((name) => (all.includes(`${group} ${name}`) ? `${group} ${name}` : name))
}

test('docs/operations.md has every command, and no other.', async () => {
  const page = await readFile(join(import.meta.dirname, '../../docs/operations.md'), 'utf8')
  const [table] = page.slice(page.indexOf('| `serve` |')).split('\n\n')
  const all = await allCommands()
  const named = (table as string).split('\n').flatMap((row) => commandsOfRow(row, all))
  expect(named.sort()).toEqual(all.sort())
})

describe('A refusal or failure ends with 1 and says its code', () => {
  test.for(titled.filter(({ refused }) => refused))('$title', async (row) => {
    const more = { DATABASE_URL: urlOf(database.connection) }
    expectEnd(await stage.give([...given(row), '--json'], more), row.refused as Ends)
  })

  test('Fields that are wrong are in errors, as the API names them.', async () => {
    const more = { DATABASE_URL: urlOf(database.connection) }
    const { err } = await stage.give(['company', 'create', '--name', ' ', '--plan', 'GOLD', '--json'], more)
    expect(JSON.parse(err).errors).toEqual([
      expect.objectContaining({ field: 'name', message: expect.any(String) }),
      expect.objectContaining({ field: 'plan' }),
    ])
  })
})

describe('Usage ends with 2', () => {
  test.for(titled)('$title --nonsense', async (row) => {
    expectEnd(await stage.give([...given(row), '--nonsense', '--json']), { exit: 2, code: 'usage' })
  })

  test.for(titled)('$title, with a setting that is not valid', async (row) => {
    expectEnd(await stage.give([...given(row), '--json'], { PORT: 'x' }), row.misconfigured ?? configInvalid)
  })
})

describe('A database that cannot be reached ends with 3', () => {
  test.for(titled)('$title', async (row) => {
    expectEnd(
      await stage.give([...given(row), '--json'], { DATABASE_URL: nowhere, PORT: '0' }),
      row.away ?? unavailable,
    )
  })
})

test('Rows that are refused end with 4; the answer says which, the error how many.', async () => {
  const more = { DATABASE_URL: urlOf(database.connection) }
  const company = (await stage.give(['company', 'create', '--name', 'Quay', '--quiet'], more)).out.trim()
  const words = ['import', 'clients', join(stage.folder, 'bad.csv'), '--company', company, '--json']
  const ended = await stage.give(words, more)
  expectEnd(ended, { exit: 4, code: 'rows_refused' })
  expect(JSON.parse(ended.out)).toMatchObject({ refused: 1, created: 1, write_id: null })
  expect((await stage.give([...words, '--skip-refused'], more)).code).toBe(0)
})

test('Ctrl-C ends with 130.', async () => {
  const more = { DATABASE_URL: urlOf(database.connection) }
  const company = (await stage.give(['company', 'create', '--name', 'Quay', '--quiet'], more)).out.trim()
  await stage.give(['record', 'create', 'projects', '--company', company, '--json-body', '{"name":"A"}'], more)
  const following = stage.start(['changes', '--company', company, '--follow'], more)
  await following.shows('projects.created')
  following.child.kill('SIGINT')
  expect((await following.ended).code).toBe(130)
})

describe('A command that takes something away asks on a terminal', () => {
  /** With words of a sentence that says what it takes away. */
  const asking: { words: string[]; named: RegExp }[] = [
    { words: ['token', 'rotate'], named: /the token "API" of Quay \(company \d+\)/ },
    { words: ['webhooks', 'delete', '1'], named: /webhook 1, "Ledger", of Quay \(company \d+\)/ },
    { words: ['person', 'erase', 'workers', '1', '--reason', 'asked'], named: /worker 1 of Quay \(company \d+\)/ },
    { words: ['token', 'revoke'], named: /the token "API" of Quay \(company \d+\)/ },
    { words: ['key', 'rotate'], named: /secrets? of all companies/ },
    { words: ['demo', 'remove', '--with-own'], named: /Quay \(company \d+\), \d+ records?/ },
  ]
  const isOfCompany = (words: readonly string[]): boolean => !['key', 'demo'].includes(words[0] as string)
  const kept = async (): Promise<string> => {
    const rows = await run(
      database.connection,
      `select (select json_agg(t order by id) from tokens t) as tokens, (select json_agg(c) from companies c) as companies,
        (select json_agg(w) from webhook_endpoints w) as webhooks, (select json_agg(w) from workers w) as workers`,
    )
    return JSON.stringify(rows)
  }

  test('Every command with --yes is one of them.', async () => {
    const all = commandsWith('--yes', await createWholeProgram())
    expect(all.sort()).toEqual(asking.map(({ words }) => words.slice(0, 2).join(' ')).sort())
  })

  test('Another answer than "y" changes nothing and ends with 1; "y", --yes and a script are not stopped.', async () => {
    const more = { DATABASE_URL: urlOf(database.connection), WEBHOOK_NETWORKS: '127.0.0.1/32' }
    const company = (await stage.give(['company', 'create', '--name', 'Quay', '--quiet'], more)).out.trim()
    const own = ['--company', company]
    const make = async (...words: string[]) =>
      expect(await stage.give([...words, ...own], more)).toMatchObject({ code: 0 })
    await make('account', 'create', '--name', 'A', '--email', 'quay@example.com')
    const account = ((await run(database.connection, 'select max(id) as id from accounts')) as { id: number }[])[0]?.id
    await make('token', 'issue', '--account', `${account}`)
    await make('webhooks', 'create', '--name', 'Ledger', '--url', 'http://127.0.0.1:9000')
    await make('record', 'create', 'trades', '--json-body', '{"name":"Mason"}')
    await make('record', 'create', 'workers', '--json-body', '{"name":"Ann","email":"a@example.com","trade_id":1}')
    await run(database.connection, `update companies set is_demo = true where id = ${company}`)
    for (const { words, named } of asking) {
      const all = isOfCompany(words) ? [...words, ...own] : words
      const before = await kept()
      for (const typed of ['n\n', '\n', 'maybe\n', '']) {
        const no = await stage.answer(all, typed, more)
        expect(no, words.join(' ')).toMatchObject({ code: 1, out: '' })
        expect(no.err).toMatch(named)
        expect(no.err).toMatch(/Type "y" to go on: Nothing was changed\.\n$/)
      }
      expect(await kept()).toBe(before)
      expect(await stage.answer(all, 'y\n', more), words.join(' ')).toMatchObject({ code: 0 })
      expect(await kept()).not.toBe(before)
    }
  })

  test('--yes and a script are not asked.', async () => {
    const more = { DATABASE_URL: urlOf(database.connection) }
    for (const { words } of asking) {
      const all = isOfCompany(words) ? [...words, ...of] : words
      expect((await stage.answer([...all, '--yes'], '', more)).err).not.toContain('Type "y"')
      expect((await stage.give(all, more)).err).not.toContain('Type "y"')
    }
  })
})

test('--help and docs/operations.md have the same table.', async () => {
  const { out } = await stage.give(['--help'])
  const page = await readFile(join(import.meta.dirname, '../../docs/operations.md'), 'utf8')
  for (const { code, meaning } of Object.values(exitCodes)) {
    expect(out).toMatch(new RegExp(`^ {2}${code} +${meaning.slice(0, 20)}`, 'm'))
    expect(page).toContain(`| ${code} | ${meaning} |`)
  }
})
