import { once } from 'node:events'
import { access } from 'node:fs/promises'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OpenApp } from '#server/app.ts'
import { createCompany } from '#server/service/company.ts'
import { createStage, jsonOf, type Stage } from './stage.ts'

/** The examples of help name ids of a database that answers at once, and nothing is started to find them. */

let stage: Stage
let bare: Stage
let opened: OpenApp
let silent: Server
let ids: { [word: string]: string }

const words = ['company', 'account', 'webhook', 'write'] as const
const unknown = Object.fromEntries(words.map((word) => [word, '<id>']))

beforeAll(async () => {
  stage = await createStage()
  bare = await createStage()
  silent = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  opened = await stage.open()
  await opened.app.database.transaction((transaction) =>
    createCompany(transaction, { fields: { name: 'Show' }, isDemo: true }),
  )
  const give = async (...given: string[]) => jsonOf(await stage.give([...given, '--json'], networks))
  const networks = { WEBHOOK_NETWORKS: '127.0.0.1/32' }
  const { company_id: company } = await give('company', 'create', '--name', 'Quay')
  const of = ['--company', String(company)]
  const { account_id: account } = await give('account', 'create', ...of, '--name', 'Ida', '--email', 'ida@quay.example')
  const at = ['--url', 'http://127.0.0.1:8788']
  const { id: webhook } = await give('webhooks', 'create', ...of, '--name', 'Ledger', ...at)
  await give('record', 'create', 'trades', ...of, '--json-body', '{"name":"Mason"}')
  const [row] = await opened.app.database.read<{ write_id: string }>({
    text: `select write_id from history where records = 'trades'`,
    values: [],
  })
  const known = { company, account, webhook, write: row?.write_id }
  ids = Object.fromEntries(Object.entries(known).map(([word, id]) => [word, String(id)]))
})
afterAll(async () => {
  silent.close()
  await opened.close()
  await bare.clear()
  await stage.clear()
})

/** Returns each id as an example of help has it. */
async function readExamples(at: Stage, more: { [name: string]: string }) {
  const help = async (...given: string[]): Promise<string> => {
    const { code, out, err } = await at.give([...given, '--help'], more)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).not.toMatch(/\{[a-z]+\}/)
    return out
  }
  const find = (text: string, name: RegExp) => name.exec(text)?.[1]
  return {
    company: find(await help('token', 'show'), /\n {2}plumbline token show --company (\S+)/),
    account: find(await help('account', 'set'), /\n {2}plumbline account set (\S+) --disable/),
    webhook: find(await help('webhooks', 'test'), /\n {2}plumbline webhooks test (\S+)/),
    write: find(await help('undo'), /\n {2}plumbline undo (\S+) --company \S+ --dry-run/),
  }
}

const cases: { title: string; of: () => Stage; more: () => { [name: string]: string }; isKnown: boolean }[] = [
  { title: 'a running bundled database', of: () => stage, more: () => ({}), isKnown: true },
  {
    title: 'a database of DATABASE_URL',
    of: () => bare,
    more: () => ({ DATABASE_URL: urlOf('plumbline') }),
    isKnown: true,
  },
  { title: 'no database', of: () => bare, more: () => ({}), isKnown: false },
  {
    title: 'a DATABASE_URL that does not answer',
    of: () => bare,
    more: () => ({ DATABASE_URL: silentUrl() }),
    isKnown: false,
  },
  {
    title: 'a DATABASE_URL that refuses',
    of: () => bare,
    more: () => ({ DATABASE_URL: urlOf('not_there') }),
    isKnown: false,
  },
  { title: 'wrong settings', of: () => stage, more: () => ({ PORT: 'many' }), isKnown: false },
]

/** Returns the address of a server that accepts connections and sends nothing. */
function silentUrl(): string {
  return `postgres://a:b@127.0.0.1:${(silent.address() as AddressInfo).port}/x`
}

/** Returns the address of a database on the bundled server. */
function urlOf(database: string): string {
  const { host, port, user, password } = opened.connection as { [part: string]: string }
  return `postgres://${user}:${password}@/${database}?host=${encodeURIComponent(host as string)}&port=${port}`
}

test.for(cases)('With $title, the examples of help say what is known.', async ({ of, more, isKnown }) => {
  // Another process may hold the processor for longer than help waits.
  await expect.poll(() => readExamples(of(), more())).toEqual(isKnown ? ids : unknown)
})

test('Help waits 300 ms for a database that does not answer, and starts none.', async () => {
  const begun = performance.now()
  await bare.give(['token', 'show', '--help'], { DATABASE_URL: silentUrl() })
  const waited = performance.now() - begun
  expect(waited).toBeGreaterThan(250)
  // A busy machine adds its own time. The connection itself may take 5 s.
  expect(waited).toBeLessThan(4000)
  await expect(access(join(bare.folder, 'data'))).rejects.toThrow('ENOENT')
})
