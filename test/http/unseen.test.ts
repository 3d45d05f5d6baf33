import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '#registry/json.ts'
import { permissions } from '#registry/permissions.ts'
import { setAgentsOf, useRaw } from '../agents/stage.ts'
import { type ConsoleStage, openConsole, type Person } from '../console/stage.ts'
import type { TestResponse } from '../stage/http.ts'
import type { Company } from '../stage/stage.ts'

/** Whoever may write a resource and not read it is told no difference by any write. Decisions, Field rights. */

let stage: ConsoleStage
let company: Company
let person: Person
let id: number
beforeAll(async () => {
  stage = await openConsole()
  company = await stage.company({ scopes: ['CLIENTS_EDIT', 'CLIENTS_DELETE', 'PROJECTS_VIEW', 'PROJECTS_EDIT'] })
  id = await company.create('clients', { name: 'Hidden', external_ref: 'H-1', credit_limit_minor: 5_500 })
  person = await stage.person(company, ['CLIENTS_EDIT', 'MONEY_VIEW'])
})
afterAll(() => stage.close())

const dry = { 'X-Dry-Run': '1' }
const right = { credit_limit_minor: 5_500, name: 'Hidden' }
const wrong = { credit_limit_minor: 5_600, name: 'Hidden' }
const namesSent = ['name', 'credit_limit_minor']

/** How each way of changing a record is previewed with a body. */
const ways: {
  way: string
  ask: (body: object) => Promise<TestResponse>
  told: (body: TestResponse['body']) => object
}[] = [
  {
    way: 'an update',
    ask: (body) => company.call('PATCH', `/v1/clients/${id}`, { body, headers: dry }),
    told: ({ data }) => data,
  },
  {
    way: 'an upsert',
    ask: (body) => company.call('PUT', '/v1/clients/by/external_ref/H-1', { body, headers: dry }),
    told: ({ data }) => data,
  },
  ...(['all', 'each'] as const).map((mode) => ({
    way: `a batch of the mode ${mode}`,
    ask: (body: object) =>
      company.call('POST', '/v1/batch', {
        body: { mode, operations: [{ op: 'update', records: 'clients', id, body }] },
        headers: dry,
      }),
    told: ({ data }: TestResponse['body']) => data.operations[0].data,
  })),
]

describe('In a dry-run without VIEW, changed is the names sent, in the order of the record, whether or not something differs', () => {
  test.each(ways)('$way', async ({ ask, told }) => {
    const [guessed, missed] = [await ask(right), await ask(wrong)]
    for (const answer of [guessed, missed]) {
      expect(answer.status).toBe(200)
      expect(answer.headers).not.toHaveProperty('etag')
      expect(told(answer.body)).toMatchObject({ id, dry_run: true, changed: namesSent })
      expect(answer.body.plan).toMatchObject({ total: 1, changes: [{ records: 'clients', id, action: 'updated' }] })
      expect(answer.body.plan.changes[0]).not.toHaveProperty('fields')
    }
    const alike = ({ body: { plan, ...rest } }: TestResponse) => ({ ...rest, plan: { ...plan, hash: '' } })
    expect(alike(guessed)).toEqual(alike(missed))
  })

  test('a plan counts a record once, however many operations are about it, and none that the batch makes', async () => {
    const operations = [
      { op: 'update', records: 'clients', id, body: right },
      { op: 'update', records: 'clients', id, body: { notes: 'Twice' } },
      { op: 'create', records: 'clients', body: { name: 'New', external_ref: 'H-2' } },
      { op: 'upsert', records: 'clients', external_ref: 'H-2', body: { name: 'New' } },
    ]
    const { status, body } = await company.call('POST', '/v1/batch', {
      body: { mode: 'all', operations },
      headers: dry,
    })
    expect(status).toBe(200)
    expect(body.plan).toMatchObject({
      total: 2,
      changes: [
        { records: 'clients', id, action: 'updated' },
        { records: 'clients', id: null, action: 'created' },
      ],
    })
  })

  test('a call that keeps to a plan is told no difference either when the plan is no longer true', async () => {
    const ifPlan = { 'If-Plan': `"sha256-${'A'.repeat(43)}"` }
    const answers = [right, wrong].map((body) => company.call('PATCH', `/v1/clients/${id}`, { body, headers: ifPlan }))
    for (const { status, body } of await Promise.all(answers)) {
      expect([status, body.code]).toEqual([412, 'plan_changed'])
      expect(body.plan).toMatchObject({ total: 1, changes: [{ records: 'clients', id, action: 'updated' }] })
    }
  })

  test('what is seen goes on to be told', async () => {
    const project = await company.create('projects', { name: 'Seen' })
    const { body } = await company.call('PATCH', `/v1/projects/${project}`, { body: { name: 'Seen' }, headers: dry })
    expect(body).toMatchObject({ data: { changed: [] }, plan: { total: 0, changes: [] } })
  })

  test('as soon as the account loses the right, too', async () => {
    const all = await stage.company({ scopes: ['CLIENTS_EDIT', 'CLIENTS_VIEW'] })
    const client = await all.create('clients', right)
    const preview = async () =>
      (await all.call('PATCH', `/v1/clients/${client}`, { body: right, headers: dry })).body.data.changed
    expect(await preview()).toEqual([])
    await all.setAccount({ permissions: ['CLIENTS_EDIT', 'MONEY_VIEW'] })
    expect(await preview()).toEqual(namesSent)
  })
})

/** How each way of writing is answered; `id` is the record, `reference` its external reference. */
type Target = { id: number; reference: string }
const done: { way: string; write: (target: Target, body: object) => Promise<TestResponse> }[] = [
  { way: 'an update', write: ({ id }, body) => company.call('PATCH', `/v1/clients/${id}`, { body }) },
  {
    way: 'an update with the record preferred',
    write: ({ id }, body) =>
      company.call('PATCH', `/v1/clients/${id}`, { body, headers: { Prefer: 'return=representation' } }),
  },
  {
    way: 'an upsert',
    write: ({ reference }, body) => company.call('PUT', `/v1/clients/by/external_ref/${reference}`, { body }),
  },
  ...(['all', 'each'] as const).flatMap((mode) => [
    {
      way: `an update in a batch of the mode ${mode}`,
      write: ({ id }: Target, body: object) =>
        company.call('POST', '/v1/batch', {
          body: { mode, operations: [{ op: 'update', records: 'clients', id, body }] },
        }),
    },
    {
      way: `an upsert in a batch of the mode ${mode}`,
      write: ({ reference }: Target, body: object) =>
        company.call('POST', '/v1/batch', {
          body: { mode, operations: [{ op: 'upsert', records: 'clients', external_ref: reference, body }] },
        }),
    },
  ]),
  {
    way: 'an update in the interface',
    write: ({ id }, body) => person.ask('PATCH', `/console/records/clients/${id}`, body),
  },
  {
    way: 'a try of an import',
    write: ({ id }, body) =>
      person.ask('POST', '/console/records/clients/batch?dry_run=1', { operations: [{ op: 'update', id, body }] }),
  },
]

let made = 0
/** A record of which the caller does not know the values. */
async function unknownRecord(): Promise<Target> {
  const reference = `U-${++made}`
  return { id: await company.create('clients', { ...right, external_ref: reference }), reference }
}

/** All that an answer says, without what differs between any two records or writes. */
const saidIn = ({ status, text, headers }: TestResponse, { id, reference }: Target): unknown => {
  const plain = (said: string) =>
    said
      .replaceAll(reference, 'REF')
      .replace(new RegExp(`\\b${id}\\b`, 'g'), 'ID')
      .replace(/sha256-[\w-]{43}/g, 'HASH')
      .replace(/(\d+)-[\w-]{22}/g, '$1-TAG')
  return {
    status,
    text: plain(text),
    etag: headers.etag && plain(headers.etag as string),
    write: 'x-write-id' in headers,
  }
}

describe('A write without VIEW is the same whether or not the value was there already: its answer, version, log and undo', () => {
  test.each(done)('$way', async ({ way, write }) => {
    const [one, other] = [await unknownRecord(), await unknownRecord()]
    const [guessed, missed] = [await write(one, right), await write(other, wrong)]
    expect(guessed.status, guessed.text).toBe(200)
    expect(saidIn(guessed, one)).toEqual(saidIn(missed, other))
    expect(guessed.text).toContain('"changed":["name","credit_limit_minor"]')
    const entries = async ({ id }: Target) =>
      stage.sql("select action, version from history where record_id = $1 and records = 'clients' order by id", id)
    expect(await entries(one)).toEqual(await entries(other))
    const tries = [one, other].map(async ({ id }) => {
      const sent = { body: { notes: 'x' }, headers: { 'If-Match': `"1-${'A'.repeat(22)}"` } }
      return (await company.call('PATCH', `/v1/clients/${id}`, sent)).status
    })
    expect(await Promise.all(tries)).toEqual(way.startsWith('a try') ? [200, 200] : [412, 412])
    for (const { headers } of [guessed, missed]) {
      if (!headers['x-write-id']) continue
      const path = `writes/${headers['x-write-id']}/undo`
      const undone = await (way.endsWith('interface')
        ? person.ask('POST', `/console/${path}`)
        : company.call('POST', `/v1/${path}`))
      expect([undone.status, undone.body.required_scope]).toEqual([403, 'CLIENTS_VIEW'])
    }
  })

  test('the entry of a value that was there has no changes, and is undone by who may see', async () => {
    const target = await unknownRecord()
    const { headers } = await company.call('PATCH', `/v1/clients/${target.id}`, { body: right })
    const [entry] = await stage.sql<{ changes: object }>(
      "select changes from history where record_id = $1 and records = 'clients' and version = 2",
      target.id,
    )
    expect(entry?.changes).toEqual({})
    const seeing = await stage.person(company)
    const undone = await seeing.ask('POST', `/console/writes/${headers['x-write-id']}/undo`)
    expect(undone.body.data).toMatchObject({ undone: true, records: 1, remaining: 0 })
  })

  test('a preview repeated after another write has another hash, also where the value was there', async () => {
    const hashes = async (body: object) => {
      const { id } = await unknownRecord()
      const preview = async () =>
        (await company.call('PATCH', `/v1/clients/${id}`, { body, headers: dry })).body.plan.hash as string
      const before = [await preview(), await preview()]
      await company.call('PATCH', `/v1/clients/${id}`, { body: { notes: 'Moved' } })
      return [before[0] === before[1], before[0] === (await preview())]
    }
    expect(await hashes(right)).toEqual([true, false])
    expect(await hashes(wrong)).toEqual([true, false])
  })

  test('at /mcp a preview is', async () => {
    await setAgentsOf(stage, company)
    const previewOf = async (body: JsonObject) => {
      const { id } = await unknownRecord()
      const { data } = await useRaw(stage, company, 'preview', {
        operations: [{ op: 'update', records: 'clients', id, body }],
        why: 'asked for',
      })
      const { total, changes } = data
      return { total, changes: changes.map((change: JsonObject) => ({ ...change, id: 0 })) }
    }
    expect(await previewOf(right)).toEqual(await previewOf(wrong))
  })

  test('a field of protected history is refused also where the value was there', async () => {
    const blind = await stage.company({ scopes: ['ESTIMATES_EDIT', 'CLIENTS_EDIT'] })
    const client = await blind.create('clients', { name: 'C' })
    const id = await blind.record('estimates', {
      ...{ title: 'E', client_id: client, status: 'ACCEPTED', issue_date: '2026-01-01' },
      lines: [{ description: 'Wall', unit_price_minor: 1200 }],
    })
    for (const title of ['E', 'Other']) {
      const { status, body } = await blind.call('PATCH', `/v1/estimates/${id}`, { body: { title } })
      expect([status, body.errors.map(({ field, code }: JsonObject) => [field, code])]).toEqual([
        422,
        [['title', 'locked']],
      ])
    }
  })

  test('a client who gets no new project is refused also where the project has it', async () => {
    const blind = await stage.company({ scopes: ['PROJECTS_EDIT', 'CLIENTS_EDIT'] })
    const [own, other] = [await blind.create('clients', { name: 'C' }), await blind.create('clients', { name: 'D' })]
    const id = await blind.create('projects', { name: 'P', client_id: own })
    for (const client of [own, other]) {
      await blind.call('PATCH', `/v1/clients/${client}`, { body: { status: 'BLOCKED' } })
      const { status, body } = await blind.call('PATCH', `/v1/projects/${id}`, {
        body: { client_id: client },
        headers: dry,
      })
      expect([status, body.errors?.[0].code]).toEqual([422, 'client_blocked'])
    }
  })

  test('where the record is seen, a write of what was there changes nothing', async () => {
    const project = await company.create('projects', { name: 'Seen' })
    const { headers, body } = await company.call('PATCH', `/v1/projects/${project}`, { body: { name: 'Seen' } })
    expect(body.data).toMatchObject({ updated: false, changed: [] })
    expect(headers.etag).toMatch(/^"1-/)
  })
})

test('A conflict of an undo names no field that the caller may not see', async () => {
  const own = await stage.company()
  const changed = async (records: string, first: object, then: object) => {
    const { headers, body } = await own.call('POST', `/v1/${records}`, { body: first })
    await own.call('PATCH', `/v1/${records}/${body.data.id}`, { body: then })
    return headers['x-write-id'] as string
  }
  const undo = async (writeId: string) => (await own.call('POST', `/v1/writes/${writeId}/undo`)).body
  const worker = await changed('workers', { name: 'Ana' }, { hourly_cost_minor: 4_321, notes: 'Changed' })
  const client = await changed('clients', { name: 'C' }, { notes: 'Changed' })
  await own.setAccount({ permissions: permissions.filter((one) => one !== 'PAY_VIEW' && one !== 'CLIENTS_VIEW') })
  const conflict = await undo(worker)
  expect(conflict.conflicts).toMatchObject([{ records: 'workers', fields: ['notes'] }])
  expect(JSON.stringify(conflict)).not.toContain('hourly_cost_minor')
  expect((await undo(client)).conflicts).toMatchObject([{ records: 'clients', fields: [] }])
})

test('If-Match takes the tag of a write without VIEW, since it compares versions alone', async () => {
  const { headers } = await company.call('PATCH', `/v1/clients/${id}`, { body: { notes: 'First' } })
  const again = { body: { notes: 'Second' }, headers: { 'If-Match': headers.etag as string } }
  expect((await company.call('PATCH', `/v1/clients/${id}`, again)).status).toBe(200)
  expect((await company.call('PATCH', `/v1/clients/${id}`, again)).status).toBe(412)
})
