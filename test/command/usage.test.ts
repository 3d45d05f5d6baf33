import type { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { version } from '#server/config/config.ts'
import { createStage, type Stage } from './stage.ts'
import { createWholeProgram } from './whole-program.ts'

let stage: Stage
beforeAll(async () => {
  stage = await createStage()
})
afterAll(() => stage.clear())

const mistakes: { given: string; says: string }[] = [
  { given: 'compny', says: `Unknown command 'compny' (did you mean company?): see "plumbline --help".` },
  { given: 'company', says: 'plumbline company needs one of create, set, list, show: see "plumbline company --help".' },
  { given: 'company creat', says: `Unknown command 'creat' (did you mean create?): see "plumbline company --help".` },
  {
    given: 'company create',
    says: `Required option '--name <name>' not specified: see "plumbline company create --help".`,
  },
  { given: 'company create --nam X', says: `Unknown option '--nam': see "plumbline company create --help".` },
  {
    given: 'company create --name',
    says: `Option '--name <name>' argument missing: see "plumbline company create --help".`,
  },
  { given: 'company show', says: `Missing required argument 'id': see "plumbline company show --help".` },
  {
    given: 'company show 1 2',
    says: `Too many arguments for 'show' (expected 1, got 2: 1, 2): see "plumbline company show --help".`,
  },
  { given: 'company show x', says: 'The id must be a positive whole number and not "x".' },
  { given: 'company show 0', says: 'The id must be a positive whole number and not "0".' },
  { given: 'company show 1e3', says: 'The id must be a positive whole number and not "1e3".' },
  { given: 'token show --company 1x', says: '--company must be a positive whole number and not "1x".' },
  {
    given: 'token allow --company 1 10.0.0.1,,10.0.0.2',
    says: 'The list of addresses must be names with one comma between two of them, or none, and not "10.0.0.1,,10.0.0.2".',
  },
  { given: 'account set 1 --disable --enable', says: 'Give --disable or --enable, not both.' },
  {
    given: 'serve --procesess 3',
    says: `Unknown option '--procesess' (did you mean --processes?): see "plumbline serve --help".`,
  },
  {
    given: 'listen --company 1 --forward-to https://example.com/hooks',
    says: '--forward-to must be an address of this machine, like http://localhost:8788/hooks, and not "https://example.com/hooks"; "plumbline webhooks create" sends to others.',
  },
  {
    given: 'listen --company 1 --forward-to http://127.0.0.1.nip.io/hooks',
    says: '--forward-to must be an address of this machine, like http://localhost:8788/hooks, and not "http://127.0.0.1.nip.io/hooks"; "plumbline webhooks create" sends to others.',
  },
  {
    given: 'listen --company 1 --forward-to http://localhost:8788 --secret whsec_c2hvcnQ=',
    says: '--secret must be "whsec_" with 24 to 64 bytes in base64, as the first line of a run says it.',
  },
  { given: 'usage --days 401', says: '--days must be a whole number from 1 to 400 and not "401".' },
  { given: 'usage --top 0', says: '--top must be a whole number from 1 to 1000 and not "0".' },
  { given: 'usage --top 1e2', says: '--top must be a whole number from 1 to 1000 and not "1e2".' },
  { given: 'serve --processes many', says: 'PROCESSES must be auto or a whole number from 1 to 32.' },
  {
    given: 'record create horses --company 1 --json-body {}',
    says: 'There is no kind of record called "horses"; there are projects, workers, clients, estimates, subcontractors, equipment, trades, categories, tasks, contacts, time_entries, invoices, payments, contracts, equipment_logs.',
  },
]

describe('A usage mistake is one sentence on the standard error, and exit code 2', () => {
  test.for(mistakes)('plumbline $given', async ({ given, says }) => {
    expect(await stage.give(given.split(' '))).toEqual({ code: 2, out: '', err: `${says}\n` })
  })

  test.for(mistakes)('plumbline $given --json', async ({ given, says }) => {
    const { code, out, err } = await stage.give(['--json', ...given.split(' ')])
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(JSON.parse(err)).toEqual({
      error: says,
      code: given.includes('many') ? 'config_invalid' : 'usage',
      exit_code: 2,
    })
  })
})

test('No command at all shows the help.', async () => {
  const { code, out, err } = await stage.give([])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toContain('Usage: plumbline')
})

test('--version prints the version.', async () => {
  expect(await stage.give(['--version'])).toEqual({ code: 0, out: `${version}\n`, err: '' })
})

const paths = (command: Command, path: string[] = []): string[][] => [
  path,
  ...command.commands
    .filter((inner) => inner.name() !== 'help')
    .flatMap((inner) => paths(inner, [...path, inner.name()])),
]

test('--help explains every command with its options and, where it does something, an example.', async () => {
  const all = paths(await createWholeProgram())
  expect(all).toContainEqual(['token', 'rotate'])
  for (const path of all) {
    const { code, out } = await stage.give([...path, '--help'])
    expect(code).toBe(0)
    expect(out, path.join(' ')).toContain(`Usage: ${['plumbline', ...path].join(' ')}`)
    expect(out, path.join(' ')).toContain('--json')
    if (!out.includes('Commands:')) expect(out, path.join(' ')).toMatch(/\nExamples?:\n {2}\S*.*plumbline/)
  }
})
