import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendDue } from '#server/webhooks/start.ts'
import type { Company } from '../stage/stage.ts'
import { eventually, untilTold } from '../stage/wait.ts'
import { openReceiver, type Receiver, verified } from '../webhooks/receiver.ts'
import { type ConsoleStage, openConsole, type Person, password } from './stage.ts'

/** Settings, Webhooks, as the pages ask for them. */
let stage: ConsoleStage
let receiver: Receiver
let admin: Person & { company: Company }
beforeAll(async () => {
  stage = await openConsole({ WEBHOOK_NETWORKS: '127.0.0.1', WEBHOOK_TIMEOUT_MS: '500' })
  receiver = await openReceiver()
  admin = await stage.admin()
})
afterAll(async () => {
  await receiver.close()
  await stage.close()
})

const wanted = (change: object = {}) => ({
  ...{ name: 'Ledger', url: receiver.url, events: ['clients.created'], payload: 'full', ordered: true, password },
  ...change,
})
const make = async (person: Person, change: object = {}) => {
  const answer = await person.ask('POST', '/console/webhooks', wanted(change))
  if (answer.status !== 201) throw new Error(answer.text)
  return answer.body.data as { webhook: { id: number }; secret: string }
}

test('A webhook is made, tested, changed, rotated, switched off and on, replayed and deleted; its history says by whom', async () => {
  // A replay goes back from where the webhook has come to: it begins behind the first change of the company.
  await untilTold(stage)
  const { webhook, secret } = await make(admin)
  const path = `/console/webhooks/${webhook.id}`
  expect(secret).toMatch(/^whsec_[\w+/]{43}=$/)
  const listed = await admin.get('/console/webhooks')
  expect(listed.text).not.toContain('whsec_')
  expect(listed.body.data).toMatchObject([{ id: webhook.id, name: 'Ledger', failing_since: null, waiting: 0 }])

  const tested = (await admin.ask('POST', `${path}/test`)).body.data
  expect(tested).toMatchObject({ event: 'webhooks.test', arrived: true, by_hand: true, status: 204 })
  expect(verified(secret, receiver.got[0] as never)).toMatchObject({ type: 'webhooks.test' })
  expect((await admin.ask('PATCH', path, { name: 'Books', password })).body.data).toMatchObject({ name: 'Books' })
  const rotated = (await admin.ask('POST', `${path}/rotate`, { password })).body.data
  expect(rotated.secret).not.toBe(secret)
  expect((await admin.ask('POST', `${path}/disable`)).body.data).toMatchObject({ disabled_because: 'by_hand' })
  expect((await admin.ask('POST', `${path}/enable`, { password })).body.data).toMatchObject({ disabled_because: null })
  const replay = () =>
    admin.ask('POST', `${path}/replay`, { from: new Date(Date.now() - 60_000).toISOString(), password })
  expect((await replay()).body.data).toMatchObject({ is_replaying: true })
  expect(await replay()).toMatchObject({ status: 409, body: { code: 'replay_active' } })
  expect((await admin.ask('DELETE', path)).body.data).toEqual({ id: webhook.id, deleted: true })
  expect((await admin.get(path)).status).toBe(404)

  const history = await admin.data(`${path}/history`)
  expect(history.map(({ action }: { action: string }) => action)).toEqual(
    ['created', 'changed', 'rotated', 'disabled', 'enabled', 'replayed', 'deleted'].reverse(),
  )
  expect(history.at(-2)).toMatchObject({ who: { account_id: admin.id }, changes: { name: ['Ledger', 'Books'] } })
})

describe('What is refused', () => {
  const rows: { why: string; change: object; field: string; says: string }[] = [
    {
      why: 'an inner address',
      change: { url: 'https://10.0.0.7/hooks' },
      field: 'url',
      says: '10.0.0.7 is of a private',
    },
    { why: 'this machine', change: { url: 'https://[::1]/' }, field: 'url', says: 'of this machine' },
    { why: 'a platform’s own', change: { url: 'https://169.254.169.254/' }, field: 'url', says: 'link-local' },
    { why: 'an address without TLS', change: { url: 'http://1.1.1.1/' }, field: 'url', says: 'unencrypted' },
    { why: 'a password in it', change: { url: 'https://a:b@1.1.1.1/' }, field: 'url', says: 'a name or a password' },
    { why: 'no address', change: { url: 'ledger' }, field: 'url', says: 'no address like' },
    { why: 'no name', change: { name: ' ' }, field: 'name', says: '1 to 120' },
    { why: 'no events', change: { events: [] }, field: 'events', says: 'one event' },
    { why: 'a made-up event', change: { events: ['clients.sung'] }, field: 'events', says: 'clients.sung' },
    { why: 'a made-up payload', change: { payload: 'fat' }, field: 'payload', says: 'thin, full' },
    { why: 'another password', change: { password: 'not this one' }, field: 'password', says: 'password' },
  ]
  test.each(rows)('$why', async ({ change, field, says }) => {
    const answer = await admin.ask('POST', '/console/webhooks', wanted(change))
    expect(answer.status).toBe(422)
    expect(answer.body.errors).toMatchObject([{ field }])
    expect(answer.body.errors[0].message).toContain(says)
  })

  test('another address of one that there is, too', async () => {
    const { webhook } = await make(admin)
    const answer = await admin.ask('PATCH', `/console/webhooks/${webhook.id}`, { url: 'https://127.1.2.3/', password })
    expect(answer.body.errors).toMatchObject([{ field: 'url', code: 'unreachable' }])
  })

  test('records that one may not see oneself', async () => {
    const clerk = await stage.person(admin.company, ['API_MANAGE', 'CLIENTS_VIEW'])
    const answer = await clerk.ask('POST', '/console/webhooks', wanted({ events: ['workers.created'] }))
    expect(answer).toMatchObject({ status: 403, body: { required_scope: 'WORKERS_VIEW' } })
    const { webhook } = await make(admin, { events: ['workers.created'] })
    const moved = await clerk.ask('PATCH', `/console/webhooks/${webhook.id}`, { url: `${receiver.url}/2`, password })
    expect(moved.status).toBe(403)
  })

  test('what was sent of records that one may not see', async () => {
    const own = await stage.admin()
    const { webhook } = await make(own)
    const clerk = await stage.person(own.company, ['API_MANAGE', 'WORKERS_VIEW'])
    await own.company.create('clients', { name: 'Secret' })
    await eventually(async () => {
      await sendDue(stage.app)
      expect((await own.get(`/console/webhooks/${webhook.id}/attempts`)).body.meta.total).toBe(1)
    })
    const [{ id }] = await clerk.data(`/console/webhooks/${webhook.id}/attempts`)
    for (const answer of [
      await clerk.get(`/console/webhook-attempts/${id}`),
      await clerk.ask('POST', `/console/webhook-attempts/${id}/send-again`),
    ])
      expect(answer).toMatchObject({ status: 403, body: { required_scope: 'CLIENTS_VIEW' } })
    expect((await own.get(`/console/webhook-attempts/${id}`)).text).toContain('Secret')
  })

  test('a moment that is none, is to come, or is longer ago than changes are told', async () => {
    const { webhook } = await make(admin)
    for (const from of ['yesterday', '2026-03-31', '2999-01-01T00:00:00Z', '2020-01-01T00:00:00Z'])
      expect((await admin.ask('POST', `/console/webhooks/${webhook.id}/replay`, { from, password })).status, from).toBe(
        422,
      )
  })

  test('more webhooks than twenty', async () => {
    const own = await stage.admin()
    for (let count = 0; count < 20; count++) await make(own)
    const answer = await own.ask('POST', '/console/webhooks', wanted())
    expect(answer.body.errors).toMatchObject([{ field: 'name', code: 'out_of_range' }])
  })
})

test('Attempts are shown with request and answer and sent again; a webhook that fails is among the troubles', async () => {
  const own = await stage.admin()
  const { webhook } = await make(own)
  receiver.behave(() => ({ status: 500, headers: { 'X-Reason': 'night' }, body: 'closed' }))
  await own.company.create('clients', { name: 'Quay' })
  await eventually(async () => {
    await sendDue(stage.app)
    expect((await own.get(`/console/webhooks/${webhook.id}/attempts`)).body.meta.total).toBe(1)
  })
  expect(await own.data('/console/webhooks/troubles')).toMatchObject([{ id: webhook.id, disabled_because: null }])
  const [failed] = await own.data(`/console/webhooks/${webhook.id}/attempts?failed=true`)
  const opened = await own.data(`/console/webhook-attempts/${failed.id}`)
  expect(opened).toMatchObject({
    ...{ event: 'clients.created', status: 500, arrived: false, answer_body: 'closed' },
    ...{ answer_headers: { 'x-reason': 'night' }, request_headers: { 'webhook-id': failed.event_id } },
  })
  expect(JSON.parse(opened.request_body)).toMatchObject({ type: 'clients.created', data: { id: failed.event_id } })
  expect(opened.request_bytes).toBe(Buffer.byteLength(opened.request_body))
  expect(opened.request_is).toBe('same')
  const { attempts_since, created_at } = await own.data(`/console/webhooks/${webhook.id}`)
  expect(attempts_since).toBe(created_at)

  receiver.behave(() => ({ status: 400, body: `a NUL: \0` }))
  const again = (await own.ask('POST', `/console/webhook-attempts/${failed.id}/send-again`)).body.data
  expect(again).toMatchObject({
    event_id: failed.event_id,
    arrived: false,
    by_hand: true,
    answer_body: 'a NUL: \ufffd',
  })
  expect(await own.data('/console/webhooks/troubles')).toHaveLength(1)
})
