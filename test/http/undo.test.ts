import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '#registry/json.ts'
import { permissions } from '#registry/permissions.ts'
import { undo as undoing } from '#server/records/undo.ts'
import { runCommand } from '#server/records/write-record.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'

let stage: Stage
let company: Company
beforeAll(async () => {
  stage = await openStage()
  company = await stage.company()
})
afterAll(() => stage.close())

/** Writes; the id of the write. */
async function write(own: Company, method: string, path: string, body?: JsonObject): Promise<string> {
  const { headers, text } = await own.call(method, path, { body })
  if (!headers['x-write-id']) throw new Error(`${method} ${path}: ${text}`)
  return headers['x-write-id']
}
const undo = (own: Company, writeId: string, headers: Record<string, string> = {}) =>
  own.call('POST', `/v1/writes/${writeId}/undo`, { headers })
/** What lists and fetches show, but for the times of changes. */
async function shown(own: Company, resources = ['clients', 'projects', 'estimates', 'equipment', 'workers']) {
  const pages = await Promise.all(resources.map((name) => own.get(`/v1/${name}`)))
  return pages.map(({ body }) => body.data.map(({ updated_at: _, ...record }: JsonObject) => record))
}
const lines = [{ description: 'Wall', quantity: 2, unit_price_minor: 100 }]

describe('A write is taken back', () => {
  const rows: { what: string; write: (own: Company, ids: Ids) => Promise<string>; action: string }[] = [
    { what: 'a create', action: 'deleted', write: (own) => write(own, 'POST', '/v1/clients', { name: 'New' }) },
    {
      what: 'a create of what is erased when it goes',
      action: 'erased',
      write: (own) => write(own, 'POST', '/v1/estimates', { title: 'E' }),
    },
    {
      what: 'an update',
      action: 'changed',
      write: (own, { project }) =>
        write(own, 'PATCH', `/v1/projects/${project}`, { name: 'N', notes: null, address: { city: 'Ulm' } }),
    },
    {
      what: 'an update whose sums follow',
      action: 'changed',
      write: (own, { estimate }) => write(own, 'PATCH', `/v1/estimates/${estimate}`, { lines: [], tax_pct: 7 }),
    },
    {
      what: 'a deletion with all that it unlinked',
      action: 'restored',
      write: (own, { client }) => write(own, 'DELETE', `/v1/clients/${client}`),
    },
    {
      what: 'a deletion of what equipment was in use on',
      action: 'restored',
      write: (own, { project }) => write(own, 'DELETE', `/v1/projects/${project}`),
    },
    {
      what: 'the erasure of a draft',
      action: 'restored',
      write: (own, { draft }) => write(own, 'DELETE', `/v1/estimates/${draft}`),
    },
    {
      what: 'an upsert',
      action: 'deleted',
      write: (own) => write(own, 'PUT', '/v1/clients/by/external_ref/U-1', { name: 'U' }),
    },
  ]
  type Ids = { client: number; project: number; estimate: number; draft: number }
  async function app(own: Company): Promise<Ids> {
    const client = await own.create('clients', { name: 'C', external_ref: 'C-1' })
    const project = await own.create('projects', {
      name: 'P',
      client_id: client,
      status: 'CANCELLED',
      notes: 'n',
      code: 'P-1',
    })
    await own.create('equipment', { name: 'Saw', project_id: project, status: 'IN_USE' })
    await own.record('contacts', { client_id: client, name: 'Ines' })
    const estimate = await own.create('estimates', { title: 'E', lines, discount_pct: 10 })
    const draft = await own.create('estimates', { title: 'Draft', lines, number: 'D-1', external_ref: 'D' })
    return { client, project, estimate, draft }
  }
  test.each(rows)('$what, and the undo itself, and that again', async ({ write: written, action }) => {
    const own = await stage.company()
    const ids = await app(own)
    const before = await shown(own)
    const writeId = await written(own, ids)
    const after = await shown(own)
    expect(after).not.toEqual(before)

    const undone = await undo(own, writeId)
    expect(undone).toMatchObject({
      status: 200,
      body: { data: { write_id: writeId, undone: true, dry_run: false, remaining: 0 } },
    })
    expect(await shown(own)).toEqual(before)
    const [row] = await stage.sql(
      'select action from history where company_id = $1 and write_id = $2 and action <> $3',
      own.id,
      undone.headers['x-write-id'],
      action === 'changed' ? '' : 'changed',
    )
    expect(row?.action).toBe(action)

    const redone = await undo(own, undone.headers['x-write-id'] as string)
    expect(redone.status, redone.text).toBe(200)
    expect(await shown(own)).toEqual(after)
    const again = await undo(own, redone.headers['x-write-id'] as string)
    expect(again.status, again.text).toBe(200)
    expect(await shown(own)).toEqual(before)
  })

  test('what comes back is a newer version of the same record', async () => {
    const own = await stage.company()
    const { draft } = await app(own)
    const writeId = await write(own, 'DELETE', `/v1/estimates/${draft}`)
    await undo(own, writeId)
    const { data } = (await own.get(`/v1/estimates/${draft}/history`)).body
    expect(data.map(({ action, version }: JsonObject) => [action, version])).toEqual([
      ['restored', 3],
      ['erased', 2],
      ['created', 1],
    ])
    expect((await own.call('PATCH', `/v1/estimates/${draft}`, { body: { title: 'Goes on' } })).status).toBe(200)
  })

  test('what others changed meanwhile stays', async () => {
    const own = await stage.company()
    const { project } = await app(own)
    const writeId = await write(own, 'PATCH', `/v1/projects/${project}`, { name: 'Mine' })
    await own.call('PATCH', `/v1/projects/${project}`, { body: { notes: 'Theirs' } })
    expect((await undo(own, writeId)).status).toBe(200)
    expect((await own.get(`/v1/projects/${project}`)).body.data).toMatchObject({ name: 'P', notes: 'Theirs' })
  })

  test('a write of many records newest first, about a thousand at a time, and goes on', async () => {
    const own = await stage.company()
    const writeId = crypto.randomUUID()
    const actor = { ...own.actor, writeId }
    const { createRecords } = await import('#server/records/create.ts')
    const { noneLate, shortSet } = await import('#server/records/write-set.ts')
    const { definitionOf, registry } = await import('#registry/resources/index.ts')
    const clients = definitionOf(registry, 'clients')
    if (!clients) throw new Error('no clients')
    const rows = Array.from({ length: 1003 }, (_, n) => ({ body: { name: `C${n}` } }))
    await stage.inTransaction((transaction) => createRecords(shortSet(transaction, actor, noneLate()), clients, rows))
    // The operator wrote it, so a token hears nothing of it.
    expect((await undo(own, writeId)).status).toBe(404)
    const once = () =>
      stage.inTransaction((transaction) =>
        runCommand(
          transaction,
          { ...own.actor, accountId: own.accountId, channel: 'console', writeId: crypto.randomUUID() },
          undoing(own.id, writeId),
        ),
      )
    expect(await once()).toMatchObject({ records: 1000, remaining: 3 })
    expect((await own.get('/v1/clients')).body.data.map(({ name }: JsonObject) => name)).toEqual(['C0', 'C1', 'C2'])
    expect(await once()).toMatchObject({ records: 3, remaining: 0 })
    expect((await own.get('/v1/clients')).body.meta.total).toBe(0)
    await expect(once()).rejects.toMatchObject({ code: 'undo_conflict' })
  })
})

describe('Nothing is done where', () => {
  const rows: { what: string; prepare: (own: Company) => Promise<string>; refusal: JsonObject }[] = [
    {
      what: 'a field has another value by now',
      prepare: async (own) => {
        const id = await own.create('clients', { name: 'A', notes: 'a' })
        const writeId = await write(own, 'PATCH', `/v1/clients/${id}`, { name: 'B', notes: 'b' })
        await own.call('PATCH', `/v1/clients/${id}`, { body: { name: 'C' } })
        return writeId
      },
      refusal: { code: 'undo_conflict', conflicts: [{ records: 'clients', fields: ['name'] }] },
    },
    {
      what: 'the record is gone',
      prepare: async (own) => {
        const id = await own.create('clients', { name: 'A' })
        const writeId = await write(own, 'PATCH', `/v1/clients/${id}`, { name: 'B' })
        await own.call('DELETE', `/v1/clients/${id}`)
        return writeId
      },
      refusal: { code: 'undo_conflict', conflicts: [{ records: 'clients', fields: ['name'] }] },
    },
    {
      what: 'what was created has been changed since',
      prepare: async (own) => {
        const created = await own.call('POST', '/v1/clients', { body: { name: 'A' } })
        await own.call('PATCH', `/v1/clients/${created.body.data.id}`, { body: { notes: 'n' } })
        return created.headers['x-write-id'] as string
      },
      refusal: { code: 'undo_conflict', conflicts: [{ records: 'clients', fields: ['notes'] }] },
    },
    {
      what: 'something refers to what was created',
      prepare: async (own) => {
        const created = await own.call('POST', '/v1/clients', { body: { name: 'A' } })
        await own.create('projects', { name: 'P', client_id: created.body.data.id })
        return created.headers['x-write-id'] as string
      },
      refusal: { code: 'undo_conflict', conflicts: [{ records: 'projects', fields: ['client_id'] }] },
    },
    {
      what: 'something that would go along refers to what was created',
      prepare: async (own) => {
        const created = await own.call('POST', '/v1/clients', { body: { name: 'A' } })
        await own.record('contacts', { name: 'I', client_id: created.body.data.id })
        return created.headers['x-write-id'] as string
      },
      refusal: { code: 'undo_conflict', conflicts: [{ records: 'contacts', fields: ['client_id'] }] },
    },
    {
      what: 'what a deletion had unlinked refers to something else',
      prepare: async (own) => {
        const client = await own.create('clients', { name: 'A' })
        const project = await own.create('projects', { name: 'P', client_id: client, status: 'CANCELLED' })
        const writeId = await write(own, 'DELETE', `/v1/clients/${client}`)
        await own.call('PATCH', `/v1/projects/${project}`, {
          body: { client_id: await own.create('clients', { name: 'B' }) },
        })
        return writeId
      },
      refusal: { code: 'undo_conflict', conflicts: [{ records: 'projects', fields: ['client_id'] }] },
    },
    {
      what: 'the reference of what was deleted is taken',
      prepare: async (own) => {
        const id = await own.create('clients', { name: 'A', external_ref: 'R' })
        const writeId = await write(own, 'DELETE', `/v1/clients/${id}`)
        await own.create('clients', { name: 'B', external_ref: 'r' })
        return writeId
      },
      refusal: { code: 'validation_failed', errors: [{ field: 'external_ref', code: 'not_unique' }] },
    },
    {
      what: 'the number of what was erased is taken',
      prepare: async (own) => {
        const id = await own.create('estimates', { title: 'A', number: 'N-1' })
        const writeId = await write(own, 'DELETE', `/v1/estimates/${id}`)
        await own.create('estimates', { title: 'B', number: 'n-1' })
        return writeId
      },
      refusal: { code: 'validation_failed', errors: [{ field: 'number', code: 'not_unique' }] },
    },
    {
      what: 'what was erased refers to what is gone',
      prepare: async (own) => {
        const client = await own.create('clients', { name: 'A' })
        const id = await own.create('estimates', { title: 'A', client_id: client })
        const writeId = await write(own, 'DELETE', `/v1/estimates/${id}`)
        await own.call('DELETE', `/v1/clients/${client}`)
        return writeId
      },
      refusal: { code: 'validation_failed', errors: [{ field: 'client_id', code: 'not_found' }] },
    },
    {
      what: 'a step of the status does not go back',
      prepare: async (own) => {
        const client_id = await own.create('clients', { name: 'A' })
        const id = await own.create('estimates', { title: 'A', client_id, lines })
        return write(own, 'PATCH', `/v1/estimates/${id}`, { status: 'SENT' })
      },
      refusal: { code: 'validation_failed', errors: [{ field: 'status', code: 'transition_not_allowed' }] },
    },
    {
      what: 'the record is protected',
      prepare: async (own) => {
        const client_id = await own.create('clients', { name: 'A' })
        const id = await own.create('estimates', { title: 'A', client_id, lines, status: 'SENT' })
        return write(own, 'PATCH', `/v1/estimates/${id}`, { status: 'ACCEPTED' })
      },
      refusal: { code: 'protected', blocked_by: [{ records: 'estimates', count: 1 }] },
    },
    {
      what: 'the record has become protected since',
      prepare: async (own) => {
        const client_id = await own.create('clients', { name: 'A' })
        const id = await own.create('estimates', { title: 'A', client_id, lines, status: 'SENT' })
        const writeId = await write(own, 'PATCH', `/v1/estimates/${id}`, { notes: 'n' })
        await own.call('PATCH', `/v1/estimates/${id}`, { body: { status: 'ACCEPTED' } })
        return writeId
      },
      refusal: { code: 'protected', blocked_by: [{ records: 'estimates', count: 1 }] },
    },
    {
      what: 'it has been taken back already',
      prepare: async (own) => {
        const writeId = await write(own, 'POST', '/v1/clients', { name: 'A' })
        await undo(own, writeId)
        return writeId
      },
      refusal: { code: 'undo_conflict', conflicts: [] },
    },
  ]
  test.each(rows)('$what', async ({ prepare, refusal }) => {
    const own = await stage.company()
    const writeId = await prepare(own)
    const before = await everything(own)
    for (const headers of [{ 'X-Dry-Run': '1' }, {}]) {
      const answer = await undo(own, writeId, headers as Record<string, string>)
      expect(answer.body, answer.text).toMatchObject(refusal)
      expect(await everything(own)).toEqual(before)
    }
  })

  test.each(['', 'x', '00000000-0000-4000-8000-000000000000', "' or true --", '0'.repeat(5000)])(
    'the id names no write: %s',
    async (writeId) => {
      const answer = await company.call('POST', `/v1/writes/${encodeURIComponent(writeId)}/undo`)
      expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } })
    },
  )

  test('the write is another company’s', async () => {
    const writeId = await write(company, 'POST', '/v1/clients', { name: 'A' })
    expect((await undo(await stage.company(), writeId)).status).toBe(404)
    expect((await undo(company, writeId)).status).toBe(200)
  })

  test('a token asks for what was written otherwise, records or Settings', async () => {
    await company.record('clients', { name: 'By the operator' })
    for (const records of ['clients', 'tokens']) {
      const [row] = await stage.sql<{ write_id: string }>(
        'select write_id from history where company_id = $1 and records = $2 and token_id is null order by id desc limit 1',
        company.id,
        records,
      )
      expect((await undo(company, row?.write_id as string)).status, records).toBe(404)
    }
  })
})

describe('The right to take back', () => {
  const rows: { what: string; lacking: string; make: (own: Company) => Promise<string> }[] = [
    {
      what: 'a create is to delete',
      lacking: 'CLIENTS_DELETE',
      make: (own) => write(own, 'POST', '/v1/clients', { name: 'A' }),
    },
    {
      what: 'an update is to edit',
      lacking: 'CLIENTS_EDIT',
      make: async (own) =>
        write(own, 'PATCH', `/v1/clients/${await own.create('clients', { name: 'A' })}`, { name: 'B' }),
    },
    {
      what: 'a deletion is to edit what comes back',
      lacking: 'CLIENTS_EDIT',
      make: async (own) => write(own, 'DELETE', `/v1/clients/${await own.create('clients', { name: 'A' })}`),
    },
    {
      what: 'a deletion is to edit what it unlinked',
      lacking: 'PROJECTS_EDIT',
      make: async (own) => {
        const client = await own.create('clients', { name: 'A' })
        await own.create('projects', { name: 'P', client_id: client, status: 'CANCELLED' })
        return write(own, 'DELETE', `/v1/clients/${client}`)
      },
    },
  ]
  test.each(rows)('$what', async ({ lacking, make }) => {
    const own = await stage.company()
    const writeId = await make(own)
    await own.setAccount({ permissions: permissions.filter((code) => code !== lacking) })
    const refused = await undo(own, writeId)
    expect(refused).toMatchObject({ status: 403, body: { code: 'insufficient_scope', required_scope: lacking } })
    expect(refused.headers['www-authenticate']).toContain(lacking)
    await own.setAccount({ permissions })
    expect((await undo(own, writeId)).status).toBe(200)
  })

  test('needs the add-on of the resource', async () => {
    const own = await stage.company()
    const writeId = await write(own, 'POST', '/v1/estimates', { title: 'E' })
    await own.set({ addOns: ['api'] })
    expect(await undo(own, writeId)).toMatchObject({ status: 402, body: { code: 'feature_off', feature: 'estimates' } })
  })
})

describe('It is a write itself', () => {
  test('with a key', async () => {
    const writeId = await write(company, 'POST', '/v1/clients', { name: 'A' })
    const [one, two] = [
      await undo(company, writeId, { 'Idempotency-Key': 'u1' }),
      await undo(company, writeId, { 'Idempotency-Key': 'u1' }),
    ]
    expect([two.status, two.text, two.headers['x-write-id']]).toEqual([200, one.text, one.headers['x-write-id']])
    expect(two.headers['idempotency-replayed']).toBe('true')
  })

  test('with a dry-run and a plan', async () => {
    const own = await stage.company()
    const id = await own.create('clients', { name: 'A' })
    const writeId = await write(own, 'PATCH', `/v1/clients/${id}`, { name: 'B' })
    const before = await everything(own)
    const { body } = await undo(own, writeId, { 'X-Dry-Run': '1' })
    expect(body).toMatchObject({
      data: { undone: false, dry_run: true, records: 1, remaining: 0 },
      plan: { changes: [{ records: 'clients', id, action: 'updated', fields: { name: ['B', 'A'] } }] },
    })
    expect(await everything(own)).toEqual(before)
    await own.call('PATCH', `/v1/clients/${id}`, { body: { notes: 'n' } })
    expect((await undo(own, writeId, { 'If-Plan': `"${body.plan.hash}"` })).body.code).toBe('plan_changed')
    expect((await undo(own, writeId)).status).toBe(200)
  })

  test('of ten at once one takes it back', async () => {
    const writeId = await write(company, 'POST', '/v1/clients', { name: 'A' })
    const answers = await Promise.all(Array.from({ length: 10 }, () => undo(company, writeId)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(409)])
  })

  test('with places of the plan', async () => {
    const own = await stage.company({ plan: 'STARTER' })
    const id = await own.create('projects', { name: 'P' })
    const writeId = await write(own, 'DELETE', `/v1/projects/${id}`)
    for (let n = 0; n < 25; n++) await own.create('projects', { name: `P${n}` })
    expect(await undo(own, writeId)).toMatchObject({ status: 402, body: { code: 'plan_limit_reached' } })
  })
})

const everything = async (own: Company) =>
  Promise.all(
    ['clients', 'projects', 'estimates', 'contacts', 'history', 'removals', 'undos', 'plan_usage', 'answers'].map(
      (name) => stage.sql(`select t::text from ${name} t where company_id = $1 order by 1`, own.id),
    ),
  )
