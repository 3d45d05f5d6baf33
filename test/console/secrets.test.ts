import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ConsoleOperation } from '#derive/console/operation.ts'
import { consoleOperations } from '#derive/console/operations.ts'
import { permissions } from '#registry/permissions.ts'
import { allowsMore } from '#registry/tokens.ts'
import { lackedToRepresent, needToRepresent } from '#server/service/account-rights.ts'
import { setAgents } from '#server/service/agents.ts'
import { rotateToken, showToken } from '#server/service/token.ts'
import { hashToken } from '#server/service/token-text.ts'
import { rotateWebhook } from '#server/service/webhooks.ts'
import type { TestResponse } from '../stage/http.ts'
import type { Company } from '../stage/stage.ts'
import { openReceiver, type Receiver } from '../webhooks/receiver.ts'
import { type ConsoleStage, openConsole, type Person, password } from './stage.ts'

/** A secret that acts for an account goes only to somebody who holds all that the account holds. */

let stage: ConsoleStage
let receiver: Receiver
beforeAll(async () => {
  stage = await openConsole({ WEBHOOK_NETWORKS: '127.0.0.1' })
  receiver = await openReceiver()
})
afterAll(async () => {
  await receiver.close()
  await stage.close()
})

type Owner = Person & { company: Company }

const without = (...codes: string[]): string[] => permissions.filter((code) => !codes.includes(code))
const secret = /plumb_live_\d*[0-9a-f]{8}|whsec_/
const hold = (person: Person, held: readonly string[]) =>
  stage.sql('update accounts set permissions = $2 where id = $1', person.id, held)

const makeWebhook = async (person: Person, events = ['clients.created']): Promise<number> => {
  const wanted = { name: 'Ledger', url: receiver.url, events, payload: 'full', ordered: true, password }
  const { status, body, text } = await person.ask('POST', '/console/webhooks', wanted)
  if (status !== 201) throw new Error(text)
  return body.data.webhook.id
}

const refused = (answer: TestResponse, missing: string, note: string) => {
  expect(answer, `${note}: ${answer.text}`).toMatchObject({
    status: 403,
    body: { code: 'insufficient_scope', required_scope: missing },
  })
  expect(answer.body.detail, note).toContain(missing)
  expect(answer.text, note).not.toMatch(secret)
}

/** Every operation that shows a secret, as the list of them says. An operation that is added there is tried by itself. */
const showing = Object.entries(consoleOperations as { [name: string]: ConsoleOperation })
  .filter(([, { showsSecret }]) => showsSecret)
  .map(([name, operation]) => ({ name, ...operation, needs: operation.needs as string }))
type Showing = (typeof showing)[number]

/** A company with what the operations need: a token of an account that holds everything, and its webhook. */
async function openOwner() {
  const owner = await stage.admin()
  return { owner, webhook: await makeWebhook(owner) }
}

/** Does an operation with a value for each member of its body, by its name. */
async function does(
  { owner, webhook }: Awaited<ReturnType<typeof openOwner>>,
  person: Person,
  { name, method, path, body = {} }: Showing,
  headers: { readonly [name: string]: string } = {},
): Promise<TestResponse> {
  // A company has one token.
  if (name === 'token.issue' && !headers['Idempotency-Key'])
    await stage.sql(
      'update tokens set revoked_at = now() where company_id = $1 and revoked_at is null',
      owner.company.id,
    )
  const values: { readonly [member: string]: unknown } = {
    ...{ label: 'Export', scopes: ['CLIENTS_VIEW'], allowlist: [], account_id: owner.id },
    ...{ name: 'Books', url: receiver.url, events: ['clients.created'], payload: 'full', ordered: true, password },
  }
  const members = Object.entries(body).filter(([member, type]) => member in values || !String(type).endsWith('?'))
  for (const [member] of members) expect(values, `${name} needs a value for ${member} here`).toHaveProperty(member)
  const given = Object.fromEntries(members.map(([member]) => [member, values[member]]))
  return person.ask(method, `/console${path.replace('{id}', String(webhook))}`, given, headers)
}

/** What the account of a shown secret holds. A secret of a kind that is not known here fails the test. */
async function heldBySecret({ body, text }: TestResponse): Promise<string[]> {
  const { token, webhook } = body.data
  const [row] = token
    ? await stage.sql<{ permissions: string[] }>(
        'select a.permissions from tokens t join accounts a on a.id = t.account_id where t.hash = $1',
        hashToken(token),
      )
    : await stage.sql<{ permissions: string[] }>(
        'select a.permissions from webhook_endpoints w join accounts a on a.id = w.account_id where w.id = $1',
        webhook?.id ?? null,
      )
  if (!row) throw new Error(`For whom does the secret act? ${text}`)
  return row.permissions
}

test('One function decides, for whatever a secret acts: an account, or a link or role that has no account of its own.', () => {
  const role = { name: 'Bookkeeping', permissions: ['CLIENTS_VIEW', 'PAY_VIEW', 'CLIENTS_VIEW', 'TAX_VIEW'] }
  const by = (holds?: string[]) => ({ accountId: 7, holds })
  expect(lackedToRepresent(by(['CLIENTS_VIEW']), role)).toEqual(['PAY_VIEW', 'TAX_VIEW'])
  expect(lackedToRepresent(by(role.permissions), role)).toEqual([])
  expect(lackedToRepresent(by(), role)).toEqual([])
  expect(lackedToRepresent(by([]), { ...role, accountId: 7 })).toEqual([])
  expect(lackedToRepresent({ accountId: null, holds: [] }, role)).toHaveLength(3)
  expect(() => needToRepresent(by([]), role)).toThrow(
    'This acts for Bookkeeping with CLIENTS_VIEW, PAY_VIEW and TAX_VIEW',
  )
})

test('There are operations that show a secret.', () => {
  expect(showing.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['token.issue', 'token.show', 'token.rotate', 'webhooks.create', 'webhooks.rotate']),
  )
})

describe('A secret is shown only to an account that holds all that the account of the secret holds', () => {
  test.each(showing)('$name [V8.2.1] [V8.2.3]', async (operation) => {
    const there = await openOwner()
    const { owner } = there
    const everything = await stage.person(owner.company)
    const shown = await does(there, everything, operation)
    expect(shown.status, shown.text).toBeLessThan(300)
    expect(shown.text).toMatch(secret)

    const person = await stage.person(owner.company)
    for (const code of without(operation.needs)) {
      for (const held of [without(code), [operation.needs, code]]) {
        await hold(person, held)
        const answer = await does(there, person, operation)
        const note = `${operation.name} by ${held.length > 2 ? `all but ${code}` : held.join()}`
        if (answer.status < 300) {
          const lacked = (await heldBySecret(answer)).filter((one) => !held.includes(one))
          expect(lacked, note).toEqual([])
          // The company of this test has room for one more.
          if (answer.body.data.webhook)
            await stage.sql('delete from webhook_endpoints where id = $1', answer.body.data.webhook.id)
        } else if (held.length > 2) refused(answer, code, note)
        else refused(answer, answer.body.required_scope, note)
      }
    }
  })
})

describe('A retry shows a secret again only while the account still may see it', () => {
  test.each(showing)('$name', async (operation) => {
    const there = await openOwner()
    const [person, other] = [await stage.person(there.owner.company), await stage.person(there.owner.company)]
    if (operation.name === 'token.issue') await there.owner.company.revoke()
    const key = { 'Idempotency-Key': crypto.randomUUID() }
    const first = await does(there, person, operation, key)
    expect(first.status, first.text).toBeLessThan(300)

    await hold(person, without('CLIENTS_VIEW'))
    refused(await does(there, person, operation, key), 'CLIENTS_VIEW', 'after the right is lost')
    // The key of another account is another key.
    await hold(other, without('CLIENTS_VIEW'))
    const othersAnswer = await does(there, other, operation, key)
    expect(othersAnswer.status, othersAnswer.text).toBeGreaterThanOrEqual(400)
    expect(othersAnswer.text).not.toMatch(secret)

    await hold(person, permissions)
    const again = await does(there, person, operation, key)
    expect(again).toMatchObject({ status: first.status, body: first.body })
    expect(again.headers['idempotency-replayed']).toBe('true')
  })
})

describe('The token', () => {
  const show = (person: Person, path = 'show') => person.ask('POST', `/console/token/${path}`, { password })

  test('is refused by name of everything that is missing', async () => {
    const owner = await stage.admin()
    const clerk = await stage.person(owner.company, without('PAY_VIEW', 'MONEY_VIEW', 'TAX_VIEW'))
    for (const path of ['show', 'rotate']) {
      const answer = await show(clerk, path)
      refused(answer, 'PAY_VIEW', path)
      expect(answer.body.detail).toMatch(/with PAY_VIEW, MONEY_VIEW and TAX_VIEW, which you do not hold/)
    }
    expect(await clerk.data('/console/token')).toMatchObject({ lacking: ['PAY_VIEW', 'MONEY_VIEW', 'TAX_VIEW'] })
    expect(await owner.data('/console/token')).toMatchObject({ lacking: [] })
    expect((await owner.company.get('/v1/me')).status).toBe(200)
    expect((await show(clerk, 'revoke')).status).toBe(200)
  })

  test('is always shown to its own account, also where that has lost a scope since', async () => {
    const owner = await stage.admin()
    await owner.company.revoke()
    const wanted = { label: 'Own', scopes: ['CLIENTS_VIEW', 'WORKERS_VIEW'], password }
    const { token } = (await owner.ask('POST', '/console/token', wanted)).body.data
    await hold(owner, without('WORKERS_VIEW'))
    expect(await owner.data('/console/token')).toMatchObject({ lacking: [] })
    expect((await show(owner)).body).toEqual({ data: { token } })
    // To others it is one that may have the scope again.
    const colleague = await stage.person(owner.company, without('WORKERS_VIEW'))
    refused(await show(colleague), 'WORKERS_VIEW', 'a scope that its account has lost')
    expect((await show(owner, 'rotate')).status).toBe(200)
  })

  test('gets a scope or an address more only from somebody to whom it may be shown, and less from whoever manages the API', async () => {
    const owner = await stage.admin({ scopes: ['CLIENTS_VIEW'] })
    const clerk = await stage.person(owner.company, without('PAY_VIEW'))
    const change = (scopes: string[]) => clerk.ask('PATCH', '/console/token', { scopes, password })
    const allow = (allowlist: string[]) => clerk.ask('PUT', '/console/token/allowlist', { allowlist, password })
    refused(await change(['CLIENTS_VIEW', 'WORKERS_VIEW']), 'PAY_VIEW', 'a scope more')
    expect((await allow(['127.0.0.0/8'])).status).toBe(200)
    expect((await allow(['127.0.0.1', '127.0.0.2/31'])).status).toBe(200)
    for (const more of [[], ['127.0.0.0/8'], ['127.0.0.1', '192.0.2.1']])
      refused(await allow(more), 'PAY_VIEW', more.join())
    expect((await change([])).status).toBe(200)
    expect((await owner.ask('PUT', '/console/token/allowlist', { allowlist: [], password })).status).toBe(200)
  })

  test.each([
    [[], ['10.0.0.0/8'], false],
    [['10.0.0.0/8'], [], true],
    [['10.0.0.0/8'], ['10.255.0.0/16', '10.0.0.1/32'], false],
    [['10.0.0.0/8'], ['11.0.0.0/8'], true],
    [['10.0.0.0/8', '192.0.2.7/32'], ['192.0.2.7/32'], false],
    [['192.0.2.7/32'], ['192.0.2.6/31'], true],
    [['0.0.0.0/0'], ['203.0.113.0/24'], false],
    [['203.0.113.0/24'], ['0.0.0.0/0'], true],
    [['255.255.255.254/31'], ['255.255.255.255/32'], false],
  ])('from %j to %j allows more addresses: %j', (before, after, isMore) => {
    expect(allowsMore(before, after)).toBe(isMore)
  })
})

describe('A webhook', () => {
  const from = () => new Date(Date.now() - 1000).toISOString()
  const post = (person: Person, id: number, what: string, body: object | undefined = { password }) =>
    person.ask('POST', `/console/webhooks/${id}/${what}`, body)

  test('of an account sends, by hand or again, and gives its secret, only by somebody who holds all that the account holds', async () => {
    const owner = await stage.admin()
    const id = await makeWebhook(owner)
    const tested = (await post(owner, id, 'test', undefined)).body.data
    const clerk = await stage.person(owner.company, without('PAY_VIEW'))
    const got = receiver.got.length
    refused(await post(clerk, id, 'rotate'), 'PAY_VIEW', 'rotate')
    refused(await post(clerk, id, 'replay', { from: from(), password }), 'PAY_VIEW', 'replay')
    refused(await post(clerk, id, 'test', undefined), 'PAY_VIEW', 'test')
    refused(await clerk.ask('POST', `/console/webhook-attempts/${tested.id}/send-again`), 'PAY_VIEW', 'send again')
    expect(receiver.got.length).toBe(got)
    expect(await owner.data(`/console/webhooks/${id}`)).toMatchObject({
      answers: { id: owner.id, name: 'Femi' },
      is_replaying: false,
    })
    // Enabling makes the clerk responsible: from then on it tells what the clerk may see.
    expect((await post(clerk, id, 'enable')).body.data).toMatchObject({ answers: { id: clerk.id } })
    expect((await post(clerk, id, 'rotate')).status).toBe(200)
    expect((await post(clerk, id, 'replay', { from: from(), password })).status).toBe(200)
  })

  test('that is off is replayed as it is enabled: by somebody who is responsible from then on', async () => {
    const owner = await stage.admin()
    const id = await makeWebhook(owner)
    const clerk = await stage.person(owner.company, without('PAY_VIEW'))
    expect((await post(clerk, id, 'disable', undefined)).status).toBe(200)
    const replayed = await post(clerk, id, 'replay', { from: from(), password })
    expect(replayed).toMatchObject({ status: 200, body: { data: { answers: { id: clerk.id } } } })
  })

  test('of the operator is taken over, sent and shown only by somebody who holds everything, and stopped by anybody', async () => {
    const owner = await stage.admin()
    const id = await makeWebhook(owner)
    await stage.sql('update webhook_endpoints set account_id = null where id = $1', id)
    const clerk = await stage.person(owner.company, without('COMPANY_MANAGE'))
    const missing = 'COMPANY_MANAGE'
    refused(await post(clerk, id, 'rotate'), missing, 'rotate')
    refused(await post(clerk, id, 'enable'), missing, 'enable')
    refused(await post(clerk, id, 'test', undefined), missing, 'test')
    refused(await post(clerk, id, 'replay', { from: from(), password }), missing, 'replay')
    refused(await clerk.ask('PATCH', `/console/webhooks/${id}`, { payload: 'thin', password }), missing, 'edit')
    expect((await post(clerk, id, 'disable', undefined)).status).toBe(200)
    refused(await post(clerk, id, 'enable'), missing, 'enable once it is off')
    refused(await post(clerk, id, 'replay', { from: from(), password }), missing, 'replay once it is off')
    expect((await post(owner, id, 'enable')).body.data).toMatchObject({ answers: { id: owner.id } })
    expect((await clerk.ask('DELETE', `/console/webhooks/${id}`)).status).toBe(200)
  })

  test('does not tell what its account holds', async () => {
    const owner = await stage.admin()
    await makeWebhook(owner)
    expect((await owner.data('/console/webhooks'))[0].answers).toEqual({ id: owner.id, name: 'Femi' })
  })
})

describe('Agents act for the account of the token', () => {
  const set = (person: Person, body: object) =>
    person.ask('PUT', '/console/agents', { enabled: true, records_max: 5, always: true, ...body })
  const confirmed = { own_password: password }

  test('so only somebody who holds all that it holds lets them do more, and whoever manages the API lets them do less', async () => {
    const owner = await stage.admin()
    const clerk = await stage.person(owner.company, without('PAY_VIEW'))
    refused(await set(clerk, confirmed), 'PAY_VIEW', 'on')
    expect((await set(owner, confirmed)).status).toBe(200)
    refused(await set(clerk, { ...confirmed, records_max: 6 }), 'PAY_VIEW', 'more records')
    refused(await set(clerk, { ...confirmed, always: false }), 'PAY_VIEW', 'not always')
    expect((await set(clerk, { records_max: 4 })).status).toBe(200)
    expect((await set(clerk, { enabled: false })).status).toBe(200)
    expect(await owner.data('/console/agents')).toMatchObject({ enabled: false })
  })

  test('and without a token for nobody yet', async () => {
    const owner = await stage.admin()
    await owner.company.revoke()
    const clerk = await stage.person(owner.company, ['API_MANAGE'])
    expect((await set(clerk, confirmed)).status).toBe(200)
  })
})

test('The operator’s command gets every secret: it holds no rights and needs none.', async () => {
  const owner: Owner = await stage.admin()
  const id = await makeWebhook(owner)
  const { app } = stage
  const actor = { ...owner.company.actor, accountId: null }
  const by = { actor, keys: app.secret, now: new Date() }
  await stage.inTransaction(async (transaction) => {
    expect((await showToken(transaction, actor, app.secret)).token).toBe(owner.company.token)
    expect((await rotateToken(transaction, actor, app.secret)).token).toMatch(secret)
    expect((await rotateWebhook(transaction, by, id)).secret).toMatch(secret)
    expect(await setAgents(transaction, actor, { records_max: 5, always: false })).toBeTruthy()
  })
})
