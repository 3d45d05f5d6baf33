import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { agentAnswerBytesMax, agentRequestBytesMax } from '#registry/agents.ts'
import { servedResources } from '#registry/resources/index.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'
import { untilTold } from '../stage/wait.ts'
import { openAgent, revisions, sendRaw, setAgentsOf, useRaw } from './stage.ts'

let stage: Stage
let company: Company
beforeAll(async () => {
  stage = await openStage({ TOKEN_REQUESTS_PER_MINUTE: '100000' })
  company = await stage.company()
  await setAgentsOf(stage, company)
})
afterAll(() => stage.close())

describe.each(revisions)('Revision %s', (revision) => {
  test('It lists the tools, uses them, and tells the client in the log of calls.', async () => {
    const own = await stage.company()
    await setAgentsOf(stage, own)
    await own.create('clients', { name: 'Quay House', status: 'ACTIVE' })
    const agent = await openAgent(stage, own, { revision })
    const { tools } = await agent.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['describe', 'find', 'get', 'changes', 'preview', 'apply', 'status'])
    expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThanOrEqual(8 * 1024)
    const { data, text, isError } = await agent.use('find', { records: 'clients', q: 'quay' })
    expect(isError).toBe(false)
    expect(data).toMatchObject({ total: 1, more: false, data: [{ name: 'Quay House', status: 'ACTIVE' }] })
    expect(JSON.parse(text)).toEqual(data)
    await agent.close()
    await own.calls()
    const calls = await stage.sql(
      'select route, client from calls where company_id = $1 and client is not null',
      own.id,
    )
    const client = revision === revisions[0] ? 'test-agent 1.2' : 'old-agent/7'
    expect(calls).toEqual([{ route: 'clients.list', client }])
  })
})

describe('Before a tool is found, a request is refused by a problem with its status', () => {
  const oversized = 'x'.repeat(agentRequestBytesMax)
  const rows: { what: string; status: number; code: string; ask: () => ReturnType<typeof sendRaw> }[] = [
    { what: 'no token', status: 401, code: 'unauthorized', ask: () => list({ token: null }) },
    {
      what: 'an unknown token',
      status: 401,
      code: 'unauthorized',
      ask: () => list({ token: `${company.token.slice(0, -1)}x` }),
    },
    {
      what: 'a page of another origin',
      status: 403,
      code: 'cross_site_request',
      ask: () => list({ headers: { Origin: 'https://elsewhere.example' } }),
    },
    {
      what: 'a body of too many bytes',
      status: 413,
      code: 'payload_too_large',
      ask: () => list({ raw: `"${oversized}"` }),
    },
    { what: 'a body that is no JSON', status: 400, code: 'malformed_json', ask: () => list({ raw: '{' }) },
    { what: 'a member twice', status: 400, code: 'malformed_json', ask: () => list({ raw: '{"id":1,"id":2}' }) },
    { what: 'a list of messages', status: 400, code: 'malformed_json', ask: () => list({ raw: '[]' }) },
    { what: 'another method', status: 405, code: 'method_not_allowed', ask: () => list({ method: 'GET' }) },
    {
      what: 'a company without the API',
      status: 402,
      code: 'feature_off',
      ask: async () => {
        const own = await stage.company({ addOns: [] })
        await setAgentsOf(stage, own)
        return sendRaw(stage, own, 'tools/list')
      },
    },
    {
      what: 'an address that the token is not for',
      status: 403,
      code: 'ip_not_allowed',
      ask: async () => {
        const own = await stage.company({ allowlist: ['192.0.2.1'] })
        await setAgentsOf(stage, own)
        return sendRaw(stage, own, 'tools/list')
      },
    },
    {
      what: 'agents that are off, after the token was found good',
      status: 403,
      code: 'agents_off',
      ask: async () => sendRaw(stage, await stage.company(), 'tools/list'),
    },
  ]
  const list = (options: Parameters<typeof sendRaw>[4]) => sendRaw(stage, company, 'tools/list', {}, options)

  test.each(rows)('$what', async ({ ask, status, code }) => {
    const answer = await ask()
    expect(answer).toMatchObject({ status, body: { code } })
    expect(answer.headers['content-type']).toContain('application/problem+json')
  })

  test('An Origin of its own passes.', async () => {
    expect((await list({ headers: { Origin: stage.url } })).status).toBe(200)
  })
})

test('A request counts against the rate of its token, once with the call that it makes.', async () => {
  const limited = await openStage({ TOKEN_REQUESTS_PER_MINUTE: '3' })
  try {
    const own = await limited.company()
    await setAgentsOf(limited, own)
    expect((await sendRaw(limited, own, 'tools/list')).status).toBe(200)
    expect((await useRaw(limited, own, 'describe', {})).isError).toBe(false)
    expect((await useRaw(limited, own, 'describe', { records: 'clients' })).isError).toBe(false)
    const refused = await sendRaw(limited, own, 'tools/list')
    expect(refused).toMatchObject({ status: 429, body: { code: 'too_many_requests' } })
    expect((await own.calls()).map(({ route }) => route)).toEqual(['me'])
  } finally {
    await limited.close()
  }
})

test('There is nothing to subscribe to, so that an answer always ends.', async () => {
  for (const notifications of [{ toolsListChanged: true }, { resourceSubscriptions: ['a:b'] }, {}]) {
    const { text } = await sendRaw(stage, company, 'subscriptions/listen', { notifications })
    expect(text).toContain('"resultType":"complete"')
  }
})

describe('Arguments are judged by name', () => {
  const rows = [
    { tool: 'find', given: { records: 'clients', colour: 1 }, field: 'colour', code: 'unknown_field' },
    { tool: 'find', given: {}, field: 'records', code: 'required' },
    { tool: 'find', given: { records: 'invoices' }, field: 'records', code: 'wrong_type' },
    { tool: 'find', given: { records: 'clients', limit: 51 }, field: 'limit', code: 'wrong_type' },
    {
      tool: 'find',
      given: { records: 'clients', where: { colour: 'red' } },
      field: 'where.colour',
      code: 'unknown_field',
    },
    { tool: 'get', given: { records: 'clients' }, field: 'id', code: 'required' },
    {
      tool: 'get',
      given: { records: 'clients', id: 1, external_ref: 'a' },
      field: 'external_ref',
      code: 'not_allowed',
    },
    { tool: 'get', given: { records: 'clients', id: 1, history: 21 }, field: 'history', code: 'wrong_type' },
    { tool: 'preview', given: { why: 'x' }, field: 'operations', code: 'required' },
    { tool: 'preview', given: { operations: [{}] }, field: 'why', code: 'required' },
    { tool: 'preview', given: { operations: [], why: 'x' }, field: 'operations', code: 'wrong_type' },
    { tool: 'apply', given: { preview: '1' }, field: 'preview', code: 'wrong_type' },
  ]
  test.each(rows)('$tool: $field', async ({ tool, given, field, code }) => {
    const { isError, data } = await useRaw(stage, company, tool, given)
    expect(isError).toBe(true)
    expect(data.code).toBe('validation_failed')
    expect(data.errors).toContainEqual({ field, code, message: expect.any(String) })
  })

  test('An unknown tool is an error of the protocol.', async () => {
    const answer = await sendRaw(stage, company, 'tools/call', { name: 'delete_all', arguments: {} })
    expect(answer.body.error).toMatchObject({ code: -32602 })
  })
})

describe('The tools that read', () => {
  test('describe tells what the token may do, and of each resource its fields, filters and rules.', async () => {
    const own = await stage.company({ scopes: ['CLIENTS_VIEW', 'PROJECTS_VIEW', 'PROJECTS_EDIT'] })
    await setAgentsOf(stage, own)
    const { data } = await useRaw(stage, own, 'describe', {})
    expect(data.company).toMatchObject({ id: own.id, name: 'Harbor' })
    const may = Object.fromEntries(
      data.resources.map((one: { records: string; may: string[] }) => [one.records, one.may]),
    )
    expect(may).toMatchObject({ clients: ['VIEW'], projects: ['VIEW', 'EDIT'], workers: [] })
    for (const { name, fields } of servedResources) {
      const { data: one } = await useRaw(stage, own, 'describe', { records: name })
      expect(one.fields.map((field: { name: string }) => field.name)).toEqual(Object.keys(fields))
    }
  })

  test('find walks by id, and passes over nothing.', async () => {
    const own = await stage.company()
    await setAgentsOf(stage, own)
    const ids: number[] = []
    for (let n = 0; n < 7; n++)
      ids.push(await own.create('clients', { name: `Client ${n}`, status: n % 2 ? 'ACTIVE' : 'INACTIVE' }))
    const seen: number[] = []
    let after: number | null = 0
    while (after !== null) {
      const { data } = await useRaw(stage, own, 'find', { records: 'clients', limit: 3, after_id: after })
      expect(data.total).toBe(7)
      seen.push(...data.data.map(({ id }: { id: number }) => id))
      after = data.after_id
    }
    expect(seen).toEqual(ids)
    const { data } = await useRaw(stage, own, 'find', {
      records: 'clients',
      where: { status: 'ACTIVE' },
      fields: ['name'],
    })
    expect(data.data).toHaveLength(3)
    expect(Object.keys(data.data[0])).toEqual(['id', 'name'])
    const many = await useRaw(stage, own, 'find', { records: 'clients', where: { id_in: ids.slice(0, 2) } })
    expect(many.data.total).toBe(2)
  })

  test('get shows a record by id or by reference, with its ETag and its last changes.', async () => {
    const id = await company.create('clients', { name: 'Quay', external_ref: 'Q-1' })
    await company.call('PATCH', `/v1/clients/${id}`, { body: { name: 'Quay 2' } })
    const { headers } = await company.get(`/v1/clients/${id}`)
    const one = await useRaw(stage, company, 'get', { records: 'clients', id, history: 5 })
    expect(one.data).toMatchObject({ data: { id, name: 'Quay 2' }, etag: headers.etag })
    expect(one.data.history.map(({ action }: { action: string }) => action)).toEqual(['updated', 'created'])
    expect((await useRaw(stage, company, 'get', { records: 'clients', external_ref: 'q-1' })).data.data.id).toBe(id)
    const none = await useRaw(stage, company, 'get', { records: 'clients', id: 1_000_000_000 })
    expect(none).toMatchObject({ isError: true, data: { code: 'not_found' } })
  })

  test('changes goes on from a cursor, and loses none where a page has no room.', async () => {
    const own = await stage.company()
    await setAgentsOf(stage, own)
    const { data: now } = await useRaw(stage, own, 'changes', { after: 'now' })
    for (let n = 0; n < 30; n++) await own.create('clients', { name: `Client ${n}`, notes: 'long '.repeat(200) })
    await untilTold(stage)
    let [after, more, seen] = [now.next, true, 0]
    while (more) {
      const { data } = await useRaw(stage, own, 'changes', { after, limit: 50, records: ['clients'] })
      seen += data.data.length
      ;({ next: after, more } = data)
    }
    expect(seen).toBe(30)
  })

  test('An answer has its size: fewer rows and more, texts cut and marked.', async () => {
    const own = await stage.company()
    await setAgentsOf(stage, own)
    const line = { description: 'ä'.repeat(400), quantity: 1, unit_price_minor: 1 }
    const id = await own.create('estimates', { title: 'Big', lines: Array.from({ length: 400 }, () => line) })
    for (let n = 0; n < 60; n++)
      await own.create('clients', { name: `${n} ${'"'.repeat(150)}`, notes: 'x'.repeat(9000) })
    const asked = [
      ['find', { records: 'clients', fields: ['name', 'notes'], limit: 50 }],
      ['find', { records: 'estimates', fields: ['lines'] }],
      ['get', { records: 'estimates', id, history: 20 }],
      ['changes', { after: (await useRaw(stage, own, 'changes', { after: 'now' })).data.next }],
    ] as const
    for (const [tool, given] of asked) {
      const answer = await sendRaw(stage, own, 'tools/call', { name: tool, arguments: given as never })
      expect(Buffer.byteLength(answer.text), tool).toBeLessThanOrEqual(agentAnswerBytesMax)
      expect(answer.body.result.isError, answer.text.slice(0, 300)).toBeUndefined()
    }
    const { data } = await useRaw(stage, own, 'find', { records: 'clients', fields: ['notes'], limit: 50 })
    expect(data.more).toBe(true)
    expect(data.data[0].notes).toMatch(/x{500}… \[cut: 9000 characters\]/)
  })

  test('A scope that is missing is refused as in /v1.', async () => {
    const own = await stage.company({ scopes: ['CLIENTS_VIEW'] })
    await setAgentsOf(stage, own)
    const { isError, data } = await useRaw(stage, own, 'find', { records: 'projects' })
    expect(isError).toBe(true)
    expect(data).toMatchObject({ code: 'insufficient_scope', required_scope: 'PROJECTS_VIEW' })
  })
})
