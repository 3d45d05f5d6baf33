import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '#registry/json.ts'
import { accounts, erasedValues, personalFields, personKinds } from '#registry/persons.ts'
import { workers } from '#registry/resources/workers.ts'
import { operator } from '#server/records/actor.ts'
import { createAccount, setAccount } from '#server/service/account.ts'
import { emptyKept, erasePerson, findMentions } from '#server/service/erase-person.ts'
import { createWebhook } from '#server/service/webhooks.ts'
import { sendDue } from '#server/webhooks/start.ts'
import { updateHeld } from '#sql/records/update.ts'
import { runInOrder } from '#sql/statement.ts'
import { insertDetails } from '#sql/system/call-details.ts'
import { type ConsoleStage, openConsole, type Person } from '../console/stage.ts'
import type { TestResponse } from '../stage/http.ts'
import type { Company } from '../stage/stage.ts'
import { eventually, untilTold } from '../stage/wait.ts'
import { openReceiver, type Receiver } from '../webhooks/receiver.ts'
import { type Dump, dumpAll, linesWith } from './dump.ts'

/** Somebody who was created, changed, refused, sent, imported, deleted and undone, and is erased. Decisions, Persons. */
let stage: ConsoleStage
let receiver: Receiver
beforeAll(async () => {
  stage = await openConsole({ WEBHOOK_NETWORKS: '127.0.0.1', WEBHOOK_TIMEOUT_MS: '2000' })
  receiver = await openReceiver()
  // A receiver that answers with what it was sent, as pages of errors do.
  receiver.behave(({ text }) => ({ status: 500, headers: { 'X-Echo': text.slice(0, 200) }, body: text }))
})
afterAll(async () => {
  await receiver.close()
  await stage.close()
})

const kindOf = (name: string) => personKinds.find((kind) => kind.name === name) ?? accounts

type Erased = { companyId: number; kind: string; id: number }
const erase = async ({ companyId, kind, id }: Erased) => {
  await emptyKept(stage.app.database, companyId)
  return stage.inTransaction((transaction) =>
    erasePerson(transaction, operator(companyId), { companyId, kind: kindOf(kind), id, reason: 'asked by letter' }),
  )
}

const unique = 'Quixworth'
const before = {
  name: `Zébulon ${unique}-Ärmel`,
  email: 'zebulon.quixworth@example.com',
  phone: '+44 20 7946 9917',
  notes: `Calls himself ${unique} the Younger.`,
}
const after = { name: `Zeb ${unique.toUpperCase()}`, email: 'zeb@quixworth.example' }
const words = [unique, 'zebulon', '7946 9917', 'quixworth.example']

type SentCall = { method: string; path: string; body?: object; key: string; answer: TestResponse }
type Admin = Person & { company: Company }

/** Leaves traces of somebody wherever there can be any; the calls with a key, and what they were answered. */
async function leaveTraces(admin: Admin, kind: 'workers' | 'clients'): Promise<{ id: number; sent: SentCall[] }> {
  const { company } = admin
  const sent: SentCall[] = []
  const own: JsonObject =
    kind === 'workers' ? { employee_no: 'QUIXWORTH-1' } : { kind: 'INDIVIDUAL', tax_id: 'QUIXWORTH-1' }
  const call = async (method: string, path: string, body?: object): Promise<TestResponse> => {
    const key = crypto.randomUUID()
    const answer = await company.call(method, path, { body, headers: { 'Idempotency-Key': key } })
    sent.push({ method, path, ...(body ? { body } : {}), key, answer })
    return answer
  }
  await stage.inTransaction((transaction) =>
    createWebhook(
      transaction,
      { actor: company.actor, keys: stage.app.secret, now: new Date() },
      { name: 'Ledger', url: receiver.url, events: 'all', payload: 'full', ordered: false },
    ),
  )
  const { body } = await call('POST', `/v1/${kind}`, { ...before, ...own, external_ref: `CRM-${kind}` })
  const { id } = body.data
  // Refused: bodies and answers of it are kept by the log of calls.
  expect((await call('POST', `/v1/${kind}`, { name: before.name, email: 'no address of Quixworth' })).status).toBe(422)
  expect((await call('PATCH', `/v1/${kind}/${id}`, after)).status).toBe(200)
  await call('GET', `/v1/${kind}?q=${unique}`)
  // One operation is refused by what another record has, and its answer is kept by the key.
  const twin = kind === 'workers' ? { employee_no: 'quixworth-1' } : { tax_id: 'quixworth-1' }
  const batch = await call('POST', '/v1/batch', {
    mode: 'each',
    operations: [
      { op: 'update', records: kind, id, body: { notes: `${unique} again` } },
      { op: 'create', records: kind, body: { name: `Twin of ${unique}`, ...twin } },
    ],
  })
  const batchKey = sent.at(-1)?.key
  expect(batch.body.data.operations.map(({ status }: { status: number }) => status)).toEqual([200, 422])
  // As a refusal that names a value is kept.
  const refused = {
    ...batch.body.data.operations[1].problem,
    ...{
      detail: `"${unique}" \\ is taken`,
      errors: [{ field: 'name', code: 'not_unique', message: `is "${unique}"` }],
    },
  }
  await company.call('DELETE', `/v1/${kind}/999999`, { headers: { 'Idempotency-Key': 'refused' } })
  for (const table of ['answers', 'batch_answers'])
    await stage.sql(
      `update ${table} set body = $2 where company_id = $1 and key = $3 ${table === 'answers' ? '' : 'and n = 1'}`,
      company.id,
      JSON.stringify({ n: 1, status: 422, problem: refused }),
      table === 'answers' ? 'refused' : batchKey,
    )
  const imported = await admin.ask('POST', `/console/imports/${kind}`, {
    ...{ file_name: 'list.csv', fingerprint: 'f', settings: { match: null }, rows: 1 },
  })
  const operations = [{ op: 'update', id, body: { phone: '+44 20 7946 9918', notes: `Imported ${unique}` } }]
  const tried = await admin.ask('POST', `/console/records/${kind}/batch?dry_run=1`, { operations })
  const part = { from: 0, to: 1, operations }
  const write = await admin.ask('POST', `/console/imports/${kind}/${imported.body.data.write_id}/batches`, part, {
    'If-Plan': `"${tried.body.plan.hash}"`,
    'Idempotency-Key': 'import-1',
  })
  expect(write.status, write.text).toBe(200)
  const gone = await call('DELETE', `/v1/${kind}/${id}`)
  expect(gone.status).toBe(200)
  const undone = await call('POST', `/v1/writes/${gone.headers['x-write-id']}/undo`)
  expect(undone.status, undone.text).toBe(200)
  await untilTold(stage)
  while ((await sendDue(stage.app)) > 0) {
    // The next.
  }
  expect(receiver.got.some(({ text }) => text.includes(unique))).toBe(true)
  await company.calls()
  return { id, sent }
}

/** Every key is heard again with its status and the same id. */
async function replayAll({ company }: Admin, sent: readonly SentCall[]): Promise<void> {
  for (const { method, path, body, key, answer } of sent) {
    if (method === 'GET' || (answer.status === 422 && path !== '/v1/batch')) continue
    const again = await company.call(method, path, { body, headers: { 'Idempotency-Key': key } })
    expect(again.headers['idempotency-replayed'], path).toBe('true')
    expect([again.status, again.body.data?.id], path).toEqual([answer.status, answer.body.data?.id])
  }
}

/** The rows of a table but those that `which` names. */
const othersIn = (dump: Dump, table: string, which: (row: { [column: string]: unknown }) => boolean): string[] =>
  (dump.get(`public.${table}`) ?? []).filter((row) => !which(JSON.parse(row)))

describe.each(['workers', 'clients'] as const)('One of %s who is erased', (kind) => {
  let [admin, other]: Admin[] = []
  let [mine, theirs]: Awaited<ReturnType<typeof leaveTraces>>[] = []
  let [was, is]: Dump[] = []
  let former: unknown[] = []
  beforeAll(async () => {
    admin = await stage.admin()
    other = await stage.admin()
    mine = await leaveTraces(admin, kind)
    theirs = await leaveTraces(other, kind)
    await admin.company.record('projects', { name: 'Extension', notes: `Ask ${after.name}.` })
    was = await dumpAll(stage)
    const done = await erase({ companyId: admin.company.id, kind, id: mine.id })
    expect(done.isDone).toBe(true)
    former = done.former
    is = await dumpAll(stage)
  })

  const of = (person: Admin | undefined) => `"company_id":${person?.company.id}`
  const ownLines = (dump: Dump | undefined, person: Admin | undefined) =>
    linesWith(dump as Dump, words).filter((line) => line.includes(`${of(person)},`) || line.includes(`${of(person)}}`))

  test('stands in no table of the company in any form, but for free text elsewhere', () => {
    const tables = new Set(ownLines(was, admin).map((line) => line.split(':')[0]))
    for (const table of [kind, 'history', 'call_details', 'webhook_attempts', 'answers', 'batch_answers', 'removals'])
      expect([...tables]).toContain(`public.${table}`)
    expect(ownLines(is, admin).map((line) => line.split(':')[0])).toEqual(['public.projects'])
  })

  test('is left as it is in another company', () => {
    expect(ownLines(was, other).length).toBeGreaterThan(5)
    expect(ownLines(is, other)).toEqual(ownLines(was, other))
    expect(theirs?.id).toBeGreaterThan(0)
  })

  test('leaves every other record, and every row of the history, where it was', () => {
    for (const name of [
      'projects',
      'workers',
      'clients',
      'contacts',
      'tokens',
      'accounts',
      'undos',
      'imports',
      'calls',
    ])
      expect(othersIn(is as Dump, name, ({ id }) => name === kind && id === mine?.id)).toEqual(
        othersIn(was as Dump, name, ({ id }) => name === kind && id === mine?.id),
      )
    const shape = (dump: Dump | undefined) =>
      (dump?.get('public.history') ?? []).map((row) => {
        const { changes, held, ...rest } = JSON.parse(row)
        return JSON.stringify({ ...rest, changed: Object.keys(changes ?? {}), held: Object.keys(held ?? {}) })
      })
    const missing = shape(was).filter((row) => !shape(is).includes(row))
    expect(missing).toEqual([])
    expect(shape(is).length - shape(was).length).toBe(2)
  })

  test('is a record with a placeholder, a new version and a change that tells the fields', async () => {
    const { body, headers } = await (admin as Admin).company.get(`/v1/${kind}/${mine?.id}`)
    expect(body.data).toMatchObject(erasedValues(kindOf(kind), mine?.id as number))
    expect(body.data.external_ref).toBe(`CRM-${kind}`)
    expect(String(headers.etag)).toMatch(/^"\d+-/)
    await untilTold(stage)
    const page = await admin?.company.get(`/v1/${kind}/${mine?.id}/history`)
    const [last] = page?.body.data ?? []
    expect(last).toMatchObject({ action: 'updated', write_id: null })
    const names = personalFields(kindOf(kind)).map(([name]) => name)
    expect(names).toEqual(expect.arrayContaining(Object.keys(last.changes)))
    expect(Object.values(last.changes).map((sides) => (sides as unknown[])[0])).toEqual(
      Object.keys(last.changes).map(() => null),
    )
    for (const word of [unique, 'Zeb', '7946']) {
      const { body: found } = await (admin as Admin).company.get(`/v1/${kind}?q=${word}`)
      expect(found.meta.total).toBe(0)
    }
  })

  test('has every key of before heard again, with its status and id', async () => {
    await replayAll(admin as Admin, mine?.sent ?? [])
    await replayAll(other as Admin, theirs?.sent ?? [])
  })

  test('is told in the history of the company with the reason', async () => {
    const [row] = await stage.sql<{ changes: object; write_id: string | null }>(
      "select changes, write_id from history where company_id = $1 and action = 'person_erased'",
      admin?.company.id,
    )
    expect(row).toEqual({
      changes: { person: [null, `${kind} ${mine?.id}`], reason: [null, 'asked by letter'] },
      write_id: null,
    })
    const settings = await admin?.data('/console/settings/history')
    expect(settings[0]).toMatchObject({ action: 'person_erased' })
  })

  test('is found in texts of other records', async () => {
    const found = await findMentions(stage.app.database, admin?.company.id as number, { former })
    expect(found).toEqual([{ records: 'projects', ids: [expect.any(Number)] }])
  })

  test('is not taken back by an undo of a write that needs a value of before', async () => {
    for (const { method, answer } of mine?.sent ?? []) {
      const writeId = answer.headers['x-write-id']
      if (writeId === undefined || method === 'DELETE') continue
      const refused = (await admin?.company.call('POST', `/v1/writes/${writeId}/undo`)) as TestResponse
      expect([409, 404], `${method} ${refused.text}`).toContain(refused.status)
    }
  })

  test('is not erased again by a second run, which changes nothing', async () => {
    const first = await dumpAll(stage)
    expect((await erase({ companyId: admin?.company.id as number, kind, id: mine?.id as number })).isDone).toBe(false)
    const [one, two] = [first, await dumpAll(stage)].map((dump) => {
      dump.delete('public.call_details')
      return [...dump]
    })
    expect(two).toEqual(one)
  })
})

describe('An account', () => {
  test('is refused while it is active, and erased once it is disabled', async () => {
    const admin = await stage.admin()
    const companyId = admin.company.id
    const made = await admin.ask('POST', '/console/accounts', {
      ...{ name: before.name, email: before.email, permissions: [] },
    })
    expect(made.status, made.text).toBe(201)
    const { id } = made.body.data
    await admin.ask('PATCH', `/console/accounts/${id}`, { name: after.name })
    await expect(erase({ companyId, kind: 'accounts', id })).rejects.toThrow('is active: disable it first')
    expect(linesWith(await dumpAll(stage), [before.email]).length).toBeGreaterThan(1)
    await stage.inTransaction((transaction) => setAccount(transaction, companyId, id, { disabled: true }))
    expect((await erase({ companyId, kind: 'accounts', id })).isDone).toBe(true)
    const own = linesWith(await dumpAll(stage), words).filter((line) => line.includes(`"company_id":${companyId},`))
    expect(own).toEqual([])
    const [row] = await stage.sql('select name, email, password_hash from accounts where id = $1', id)
    expect(row).toEqual({
      ...{ name: `Erased account ${id}`, email: `erased-${id}@erased.invalid`, password_hash: null },
    })
    expect((await erase({ companyId, kind: 'accounts', id })).isDone).toBe(false)
    // The address is free.
    await stage.inTransaction((transaction) =>
      createAccount(transaction, companyId, { name: 'Z', email: before.email, permissions: [] }),
    )
  })
})

describe('Somebody who cannot be erased', () => {
  test.each([
    [
      'a client that is a company',
      'clients',
      { name: 'Firm', kind: 'COMPANY' },
      'its kind is COMPANY and not INDIVIDUAL',
    ],
    ['a client of no kind', 'clients', { name: 'Firm' }, 'its kind is not set and not INDIVIDUAL'],
  ])('%s', async (_, kind, body, sentence) => {
    const company = await stage.company()
    const id = await company.record(kind, body)
    await expect(erase({ companyId: company.id, kind, id })).rejects.toThrow(sentence)
  })

  test('is one of another company', async () => {
    const [one, other] = [await stage.company(), await stage.company()]
    const id = await one.record('workers', { name: 'Theirs' })
    await expect(erase({ companyId: other.id, kind: 'workers', id })).rejects.toMatchObject({ code: 'not_found' })
    expect((await one.get(`/v1/workers/${id}`)).body.data.name).toBe('Theirs')
  })
})

describe('While somebody is erased', () => {
  test('a write that is under way is waited for, and one that comes writes nothing of before', async () => {
    const company = await stage.company()
    const id = await company.create('workers', { name: `Wes ${unique}` })
    const { app } = stage
    let commit = () => {}
    const held = new Promise<void>((resolve) => {
      commit = resolve
    })
    let begun = () => {}
    const isBegun = new Promise<void>((resolve) => {
      begun = resolve
    })
    // A write that has changed the record and not committed yet.
    const writing = app.database.transaction(async (transaction) => {
      const change = { name: `${unique} under way` }
      const changes = { name: [`Wes ${unique}`, change.name] }
      const updates = [{ id, version: 1, by: company.actor, values: change, changes }]
      const update = { author: company.actor, definition: workers, updates, names: Object.keys(change), isShown: false }
      await runInOrder(transaction.run, ...updateHeld(update))
      begun()
      await held
    })
    await isBegun
    const erasing = erase({ companyId: company.id, kind: 'workers', id })
    await eventually(async () => {
      if ((await stage.waiting()) < 1) throw new Error('the erasure does not wait yet')
    })
    const later = company.call('PATCH', `/v1/workers/${id}`, { body: { phone: '+44 20 7946 0000' } })
    commit()
    await writing
    expect((await erasing).isDone).toBe(true)
    expect((await later).status).toBe(200)
    await company.calls()
    const left = linesWith(await dumpAll(stage), [unique]).filter((line) =>
      line.includes(`"company_id":${company.id},`),
    )
    expect(left).toEqual([])
  })

  test('what another process still holds of calls is not written afterwards', async () => {
    const company = await stage.company()
    const id = await company.create('workers', { name: `Held ${unique}` })
    const { callDetails } = stage.app
    const row = (request_id: string, at: Date) => ({
      ...{
        company_id: company.id,
        request_id,
        at: at.toISOString(),
        method: 'GET',
        path: '/v1/workers',
        query: unique,
      },
      ...{ request_headers: {}, request_body: null, request_bytes: 0, request_state: 'left_out' as const },
      ...{ answer_headers: {}, answer_body: null, answer_bytes: 0, answer_state: 'left_out' as const },
    })
    await company.calls()
    await erase({ companyId: company.id, kind: 'workers', id })
    callDetails?.add(row('before', new Date()))
    callDetails?.add(row('after', new Date(Date.now() + 121_000)))
    await callDetails?.flush()
    const kept = await stage.sql('select request_id from call_details where company_id = $1', company.id)
    expect(kept).toEqual([{ request_id: 'after' }])
  })

  test('an insert of what calls said is waited for', async () => {
    const company = await stage.company()
    const id = await company.create('workers', { name: `Insert ${unique}` })
    await company.calls()
    let commit = () => {}
    const held = new Promise<void>((resolve) => {
      commit = resolve
    })
    const inserted = Promise.withResolvers<void>()
    const inserting = stage.app.database.transaction(async (transaction) => {
      await transaction.run(
        insertDetails([
          {
            ...{ company_id: company.id, request_id: 'r', at: new Date().toISOString(), method: 'GET', path: '/' },
            ...{ query: unique, request_headers: {}, request_body: null, request_bytes: 0, request_state: 'left_out' },
            ...{ answer_headers: {}, answer_body: null, answer_bytes: 0, answer_state: 'left_out' },
          },
        ]),
      )
      inserted.resolve()
      await held
    })
    await inserted.promise
    const erasing = erase({ companyId: company.id, kind: 'workers', id })
    await eventually(async () => {
      if ((await stage.waiting()) < 1) throw new Error('the erasure does not wait yet')
    })
    commit()
    await Promise.all([inserting, erasing])
    expect(await stage.sql('select 1 from call_details where company_id = $1', company.id)).toEqual([])
  })
})
