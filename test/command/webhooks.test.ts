import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testEvent } from '#registry/webhooks.ts'
import { freshDatabase } from '../stage/database.ts'
import { urlOf } from '../stage/process.ts'
import { openReceiver, type Receiver, verified } from '../webhooks/receiver.ts'
import { createStage, jsonOf, type Stage } from './stage.ts'

let stage: Stage
let database: Awaited<ReturnType<typeof freshDatabase>>
let receiver: Receiver
beforeAll(async () => {
  stage = await createStage()
  database = await freshDatabase()
  receiver = await openReceiver()
})
afterAll(async () => {
  await receiver.close()
  await database.drop()
  await stage.clear()
})

const give = (...words: string[]) =>
  stage.give(words, {
    DATABASE_URL: urlOf(database.connection),
    WEBHOOK_NETWORKS: '127.0.0.1/32',
    WEBHOOK_TIMEOUT_MS: '400',
  })
/** Returns the value that a script reads by `$(…)`. */
async function readValue(...words: string[]): Promise<string> {
  const { code, out, err } = await give(...words, '--quiet')
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toMatch(/^\S+\n$/)
  return out.trimEnd()
}

describe('--quiet prints the one value that a script goes on with', () => {
  test('An id, a token and a secret.', async () => {
    const company = await readValue('company', 'create', '--name', 'Quay')
    const account = await readValue(
      'account',
      'create',
      '--company',
      company,
      '--name',
      'A',
      '--email',
      'a@example.com',
    )
    const token = await readValue('token', 'issue', '--company', company, '--account', account)
    expect(await readValue('token', 'show', '--company', company)).toBe(token)
    expect(await readValue('token', 'rotate', '--company', company)).toMatch(/^plumb_live_[0-9a-f]{72}$/)
    const trade = await readValue('record', 'create', 'trades', '--company', company, '--json-body', '{"name":"Mason"}')
    expect([company, account, trade].map(Number)).toEqual([1, 1, 1])
  })

  test('Nothing where there is no value; the exit code says the rest.', async () => {
    expect(await give('company', 'show', '1', '--quiet')).toEqual({ code: 0, out: '', err: '' })
    expect(await give('company', 'show', '9', '--quiet')).toMatchObject({
      out: '',
      err: 'There is no company 9. "plumbline company list" shows them.\n',
    })
  })

  test('Not together with --json.', async () => {
    const { code, out, err } = await give('company', 'show', '1', '--quiet', '--json')
    expect({ code, out, err: JSON.parse(err) }).toMatchObject({
      out: '',
      err: { error: 'Give --json or --quiet, not both.' },
    })
    expect(code).not.toBe(0)
  })
})

describe('A webhook by the command', () => {
  let webhook: string
  let secret: string
  const of = ['--company', '1']
  beforeAll(async () => {
    secret = await readValue('webhooks', 'create', ...of, '--name', 'Ledger', '--url', receiver.url)
    const [created] = jsonOf(await give('webhooks', 'list', ...of, '--json')).webhooks as { id: number }[]
    webhook = String(created?.id)
  })

  test('test sends a test event, signed with the present secret, and prints status and time.', async () => {
    const { code, out } = await give('webhooks', 'test', webhook, ...of)
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(/^The test event arrived: status 204, after \d+ ms\.\n$/),
    })
    expect(receiver.got).toHaveLength(1)
    expect(verified(secret, receiver.got[0]!)).toMatchObject({ type: testEvent })
    const replacement = await readValue('webhooks', 'rotate', webhook, ...of)
    expect(jsonOf(await give('webhooks', 'test', webhook, ...of, '--json'))).toMatchObject({
      arrived: true,
      status: 204,
      failure: null,
    })
    expect(verified(replacement, receiver.got[1]!)).toMatchObject({ type: testEvent })
  })

  test.for([
    ['a refusal', { status: 500 } as const, 'status 500'],
    ['no answer', 'hang' as const, 'there was no answer \\(.+\\)'],
  ] as const)('test exits with 1 after %s.', async ([, behaviour, says]) => {
    receiver.behave(() => behaviour)
    const { code, out } = await give('webhooks', 'test', webhook, ...of)
    expect(code).toBe(1)
    expect(out).toMatch(new RegExp(`^The test event did not arrive: ${says}, after \\d+ ms\\.\n$`))
    expect((await give('webhooks', 'attempts', webhook, ...of)).out).toContain('by hand')
  })

  test('delete deletes it; then there is none.', async () => {
    expect(jsonOf(await give('webhooks', 'delete', webhook, ...of, '--json'))).toEqual({
      id: Number(webhook),
      deleted: true,
    })
    for (const name of ['test', 'delete'])
      expect(await give('webhooks', name, webhook, ...of)).toMatchObject({
        code: 1,
        err: `The company has no webhook ${webhook}.\n`,
      })
    expect((await give('webhooks', 'list', ...of)).out).toBe('Quay (company 1) has no webhooks.\n')
  })
})
