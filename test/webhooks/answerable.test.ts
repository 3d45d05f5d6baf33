import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { permissions } from '#registry/permissions.ts'
import { setAccount } from '#server/service/account.ts'
import { sendDue } from '#server/webhooks/start.ts'
import { type ConsoleStage, openConsole, type Person, password } from '../console/stage.ts'
import type { Company } from '../stage/stage.ts'
import { untilTold } from '../stage/wait.ts'
import { openReceiver, type Receiver } from './receiver.ts'

/** A webhook sends what the account that answers for it may see, and stops when that account loses the right. */

let stage: ConsoleStage
let receiver: Receiver
beforeAll(async () => {
  stage = await openConsole({ WEBHOOK_NETWORKS: '127.0.0.1', WEBHOOK_TIMEOUT_MS: '5000' })
  receiver = await openReceiver()
})
afterEach(() => receiver.behave(() => ({ status: 204 })))
afterAll(async () => {
  await receiver.close()
  await stage.close()
})

const without = (...codes: string[]): string[] => permissions.filter((code) => !codes.includes(code))

type OthersWebhook = { admin: Person & { company: Company }; maker: Person; path: string; id: number }

/** A webhook that somebody made who is not the administrator. */
async function made(events: string[] = ['clients.created', 'workers.created']): Promise<OthersWebhook> {
  const admin = await stage.admin()
  const maker = await stage.person(admin.company)
  const input = { name: 'Ledger', url: receiver.url, events, payload: 'full', ordered: true, password }
  const { body } = await maker.ask('POST', '/console/webhooks', input)
  const { id } = body.data.webhook
  return { admin, maker, id, path: `/console/webhooks/${id}` }
}

/** Turns until nothing is due. */
async function sendAll(): Promise<void> {
  await untilTold(stage)
  while ((await sendDue(stage.app)) > 0) {
    // The next.
  }
}

const namesGot = (): string[] => receiver.got.map(({ data }) => data?.record?.name)

const change = ({ admin, maker }: OthersWebhook, body: object) =>
  admin.ask('PATCH', `/console/accounts/${maker.id}`, { ...body, own_password: password })
const byCommand = ({ admin, maker }: OthersWebhook, body: object) =>
  stage.inTransaction((transaction) => setAccount(transaction, admin.company.id, maker.id, body))

const roads: { road: string; take(made: OthersWebhook): Promise<unknown>; detail: string }[] = [
  {
    road: 'the account is disabled in Settings',
    take: (made) => change(made, { disabled: true }),
    detail: 'account_disabled',
  },
  {
    road: 'a permission is taken in Settings',
    take: (made) => change(made, { permissions: without('WORKERS_VIEW') }),
    detail: 'WORKERS_VIEW',
  },
  {
    road: 'the account is disabled by the command',
    take: (made) => byCommand(made, { disabled: true }),
    detail: 'account_disabled',
  },
  {
    road: 'a permission is taken by the command',
    take: (made) => byCommand(made, { permissions: without('CLIENTS_VIEW') }),
    detail: 'CLIENTS_VIEW',
  },
  {
    road: 'an older process beside this one disables the account',
    take: ({ maker }) => stage.sql('update accounts set disabled_at = now() where id = $1', maker.id),
    detail: 'account_disabled',
  },
  {
    road: 'an older process beside this one takes a permission',
    take: ({ maker }) =>
      stage.sql(`update accounts set permissions = array_remove(permissions, 'WORKERS_VIEW') where id = $1`, maker.id),
    detail: 'WORKERS_VIEW',
  },
]

describe('Where who answers for a webhook loses a right, nothing more is sent, and who takes over gets what waits', () => {
  test.each(roads)('$road [V14.2.3]', async ({ take, detail }) => {
    const hook = await made()
    const { admin, maker, path, id } = hook
    expect(await admin.data(path)).toMatchObject({ answers: { id: maker.id, name: 'Femi' }, disabled_because: null })
    const [before, after] = [`Before ${id}`, `After ${id}`]
    await admin.company.create('clients', { name: before })
    await sendAll()
    expect(namesGot()).toContain(before)

    await take(hook)
    await admin.company.create('clients', { name: after })
    await sendAll()
    expect(namesGot()).not.toContain(after)
    expect(await admin.data(path)).toMatchObject({ disabled_because: 'rights', disabled_detail: detail })
    expect(await admin.data('/console/webhooks/troubles')).toMatchObject([
      { id, disabled_because: 'rights', disabled_detail: detail, is_unanswered: false },
    ])
    expect((await admin.data(`${path}/history`))[0]).toMatchObject({ action: 'gave_up_rights' })

    const taken = (await admin.ask('POST', `${path}/enable`, { password })).body.data
    expect(taken).toMatchObject({ answers: { id: admin.id }, disabled_because: null, disabled_detail: null })
    await sendAll()
    expect(namesGot().filter((name) => name === after)).toHaveLength(1)
  })
})

test('At most what is under way arrives after a right was lost, of many that wait.', async () => {
  const hook = await made()
  const { company } = hook.admin
  for (let count = 0; count < 6; count++) await company.create('clients', { name: `Under way ${hook.id}/${count}` })
  await untilTold(stage)
  receiver.behave(async ({ data }) => {
    if (data.record.name === `Under way ${hook.id}/1`) await change(hook, { disabled: true })
    return { status: 204 }
  })
  await sendDue(stage.app)
  expect(namesGot().filter((name) => name?.startsWith(`Under way ${hook.id}/`))).toHaveLength(2)
})

test('A right that comes back starts nothing again by itself.', async () => {
  const hook = await made()
  await change(hook, { disabled: true })
  await change(hook, { disabled: false })
  await hook.admin.company.create('clients', { name: `Back ${hook.id}` })
  await sendAll()
  expect(namesGot()).not.toContain(`Back ${hook.id}`)
})

test('A webhook is left alone by the loss of a right that it does not need, and by that of somebody else.', async () => {
  const hook = await made(['clients.created'])
  await change(hook, { permissions: without('WORKERS_VIEW') })
  const other = await stage.person(hook.admin.company)
  await change({ ...hook, maker: other }, { disabled: true })
  expect(await hook.admin.data(hook.path)).toMatchObject({ disabled_because: null, answers: { id: hook.maker.id } })
})

describe('Who sends on, enables or replays has to be allowed to see all of it', () => {
  const asks = ['test', 'enable', 'replay'].map((what) => ({ what }))
  test.each(asks)('$what', async ({ what }) => {
    const { admin, path } = await made()
    const clerk = await stage.person(admin.company, ['API_MANAGE', 'CLIENTS_VIEW'])
    const body = { password: 'not this one', from: new Date().toISOString() }
    const sent = what === 'test' ? undefined : what === 'enable' ? { password: body.password } : body
    expect(await clerk.ask('POST', `${path}/${what}`, sent)).toMatchObject({
      status: 403,
      body: { required_scope: 'WORKERS_VIEW' },
    })
  })

  test.each(['enable', 'replay'])('and to give the own password to %s', async (what) => {
    const { admin, path } = await made()
    const from = what === 'replay' ? { from: new Date().toISOString() } : {}
    for (const given of [{}, { password: 'not this one' }])
      expect(await admin.ask('POST', `${path}/${what}`, { ...from, ...given })).toMatchObject({ status: 422 })
    expect(await admin.ask('POST', `${path}/${what}`, { ...from, password })).toMatchObject({ status: 200 })
  })

  test('disable and delete need no more than API_MANAGE', async () => {
    const { admin, path } = await made()
    const clerk = await stage.person(admin.company, ['API_MANAGE'])
    expect(await clerk.ask('POST', `${path}/disable`)).toMatchObject({ status: 200 })
    expect(await clerk.ask('DELETE', path)).toMatchObject({ status: 200 })
  })
})

const changes = [
  { what: 'another address', change: () => ({ url: `${receiver.url}/2` }), takesOver: true },
  { what: 'other events', change: () => ({ events: ['clients.created'] }), takesOver: true },
  { what: 'another payload', change: () => ({ payload: 'thin' }), takesOver: true },
  { what: 'another name', change: () => ({ name: 'Books' }), takesOver: false },
  { what: 'another order', change: () => ({ ordered: false }), takesOver: false },
]
test.each(changes)('Who gives a webhook $what answers for it: $takesOver', async ({ change, takesOver }) => {
  const { admin, maker, path } = await made()
  const changed = (await admin.ask('PATCH', path, { ...change(), password })).body.data
  expect(changed.answers.id).toBe(takesOver ? admin.id : maker.id)
})

test('A webhook of the operator sends on, and is named until an account takes over.', async () => {
  const { admin, path, id } = await made()
  await stage.sql('update webhook_endpoints set account_id = null where id = $1', id)
  await admin.company.create('clients', { name: `Of the operator ${id}` })
  await sendAll()
  expect(namesGot()).toContain(`Of the operator ${id}`)
  expect(await admin.data(path)).toMatchObject({ answers: null, disabled_because: null })
  expect(await admin.data('/console/webhooks/troubles')).toMatchObject([{ id, is_unanswered: true }])
  await admin.ask('POST', `${path}/enable`, { password })
  expect(await admin.data('/console/webhooks/troubles')).toEqual([])
})

test('a message has what the account may see at the moment at which it is sent, and a field right that goes stops nothing', async () => {
  const one = await made(['clients.created', 'clients.updated'])
  const { company } = one.admin
  const marks = (n: number) => ({ tax_id: `MARK${n}X`, credit_limit_minor: 98_765_400 + n })
  const told = (): string => receiver.got.map(({ text }) => text).join()
  const id = await company.create('clients', { name: 'Seen', ...marks(1) })
  await sendAll()
  expect(told()).toContain('MARK1X')
  expect(told()).toContain('98765401')

  await change(one, { permissions: without('TAX_VIEW', 'MONEY_VIEW') })
  await company.create('clients', { name: 'Cut', ...marks(2) })
  await company.call('PATCH', `/v1/clients/${id}`, { body: marks(3) })
  await company.call('PATCH', `/v1/clients/${id}`, { body: { name: 'Renamed', ...marks(4) } })
  const before = receiver.got.length
  await sendAll()
  const messages = receiver.got.slice(before)
  expect(messages.map(({ type, data }) => [type, data.record.name, data.changes && Object.keys(data.changes)])).toEqual(
    [
      ['clients.created', 'Cut', null],
      ['clients.updated', 'Renamed', []],
      ['clients.updated', 'Renamed', ['name']],
    ],
  )
  for (const n of [2, 3, 4]) for (const value of Object.values(marks(n))) expect(told()).not.toContain(String(value))
  for (const { data } of messages) expect(Object.keys(data.record)).not.toContain('tax_id')
  expect(await one.admin.data(one.path)).toMatchObject({ disabled_because: null })

  await change(one, { permissions })
  await company.call('PATCH', `/v1/clients/${id}`, { body: marks(5) })
  await sendAll()
  expect(told()).toContain('MARK5X')
})
