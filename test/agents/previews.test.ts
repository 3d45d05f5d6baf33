import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '#registry/json.ts'
import { registry } from '#registry/resources/index.ts'
import { type ConsoleStage, openConsole, type Person } from '../console/stage.ts'
import { billed, type Company } from '../stage/stage.ts'
import { openAgent, setAgentsOf, useRaw } from './stage.ts'

let stage: ConsoleStage
beforeAll(async () => {
  stage = await openConsole()
})
afterAll(() => stage.close())

/** A company with agents on, and its owner in the interface. */
async function open(settings: Parameters<typeof setAgentsOf>[2] = {}, options = {}) {
  const { company, ...person } = await stage.admin(options)
  await setAgentsOf(stage, company, settings)
  return { company, person }
}

const use = (company: Company, tool: string, given: JsonObject, options = {}) =>
  useRaw(stage, company, tool, given, options)

const create = (name: string): JsonObject => ({ op: 'create', records: 'clients', body: { name } })
const remove = (id: number): JsonObject => ({ op: 'delete', records: 'clients', id })

/** Previews; the id and the rest of the answer. */
async function preview(company: Company, operations: JsonObject[], why = 'asked for') {
  const { isError, data } = await use(company, 'preview', { operations, why })
  if (isError) throw new Error(JSON.stringify(data))
  return data
}

const apply = (company: Company, { preview: id }: { preview: string }) => use(company, 'apply', { preview: id })

const decide = (person: Person, id: string, word: 'approve' | 'decline', body?: JsonObject) =>
  person.ask('POST', `/console/agents/previews/${id}/${word}`, body)

/** The rows of every table of records, and of what a write leaves. */
async function counts(company: Company): Promise<{ [table: string]: number }> {
  const tables = [...registry.map(({ name }) => name), 'removals', 'tally_changes']
  const rows = await Promise.all(
    tables.map(async (table) => {
      const live = table === 'removals' || table === 'tally_changes' ? '' : ', sum(version) as versions'
      const [row] = await stage.sql(`select count(*) as rows${live} from ${table} where company_id = $1`, company.id)
      return [table, JSON.stringify(row)] as const
    }),
  )
  const history = await stage.sql<{ rows: number }>(
    'select count(*) as rows from history where company_id = $1 and records = any ($2)',
    company.id,
    registry.map(({ name }) => name),
  )
  return Object.fromEntries([...rows, ['history', history[0]?.rows]]) as { [table: string]: number }
}

describe('What is previewed is applied, once', () => {
  test('A preview writes nothing and says what it would do; apply does that and no more, and says so again.', async () => {
    const { company } = await open()
    const before = await counts(company)
    const made = await preview(company, [create('Quay'), create('Wharf')])
    expect(await counts(company)).toEqual(before)
    expect(made).toMatchObject({ total: 2, more: false, needs_person: false, because: [] })
    expect(made.changes[0]).toMatchObject({ records: 'clients', id: null, action: 'created' })
    const told = await use(company, 'status', { preview: made.preview })
    expect(told.data).toMatchObject({ state: 'open', needs_person: false })

    const first = await apply(company, made)
    expect(first.data).toMatchObject({ state: 'applied', write_id: expect.any(String) })
    expect(first.data.results.map(({ status }: { status: number }) => status)).toEqual([201, 201])
    expect((await apply(company, made)).data).toEqual(first.data)
    expect((await use(company, 'status', { preview: made.preview })).data).toEqual(first.data)
    expect((await company.get('/v1/clients')).body.meta.total).toBe(2)
  })

  test('The history says by which preview it was written, and the feed too.', async () => {
    const { company } = await open()
    const { body } = await company.get('/v1/changes?after=now')
    await company.create('clients', { name: 'By hand' })
    const made = await preview(company, [create('By agent')])
    await apply(company, made)
    const data: { by: { preview_id: string | null } }[] = []
    for (let after = body.meta.next; data.length < 2; ) {
      const page = (await company.get(`/v1/changes?wait=20&after=${after}`)).body
      data.push(...page.data)
      after = page.meta.next
    }
    expect(data.map(({ by }) => by.preview_id)).toEqual([null, made.preview])
    const calls = await company.calls()
    const said = calls.map(({ route, dry_run }) => `${route} ${dry_run}`)
    expect(said).toEqual(expect.arrayContaining(['batch true', 'batch false']))
  })

  test('Two creates alike are two records.', async () => {
    const { company } = await open()
    const one = await preview(company, [create('Same')])
    const other = await preview(company, [create('Same')])
    expect(one.hash).toBe(other.hash)
    expect(one.preview).not.toBe(other.preview)
    await apply(company, one)
    // Another record of the name is nothing that the second rests on.
    expect((await apply(company, other)).data.state).toBe('applied')
    expect((await company.get('/v1/clients')).body.meta.total).toBe(2)
  })

  test('Fifty applies at once are one write.', async () => {
    const { company } = await open()
    const made = await preview(company, [create('Once')])
    const answers = await Promise.all(Array.from({ length: 50 }, () => apply(company, made)))
    expect(new Set(answers.map(({ data }) => `${data.state} ${data.write_id}`)).size).toBe(1)
    expect(answers[0]?.data.state).toBe('applied')
    expect((await company.get('/v1/clients')).body.meta.total).toBe(1)
    const [row] = await stage.sql<{ writes: number }>(
      "select count(distinct write_id) as writes from history where company_id = $1 and records = 'clients'",
      company.id,
    )
    expect(row?.writes).toBe(1)
  })

  test('An undo is previewed too, and needs a person.', async () => {
    const { company, person } = await open()
    const applied = await apply(company, await preview(company, [create('Quay')]))
    const { data: made } = await use(company, 'preview', { undo: applied.data.write_id, why: 'a mistake' })
    expect(made).toMatchObject({ total: 1, needs_person: true, because: ['undoes', 'deletes'].toSorted() })
    expect((await apply(company, made)).data.state).toBe('waiting')
    await decide(person, made.preview, 'approve', { hash: made.hash })
    expect((await apply(company, made)).data).toMatchObject({ state: 'applied', results: { records: 1 } })
    expect((await company.get('/v1/clients')).body.meta.total).toBe(0)
  })
})

describe('A person is needed', () => {
  const rows: {
    what: string
    settings?: object
    because: string
    operations: (company: Company) => Promise<JsonObject[]>
  }[] = [
    {
      what: 'for a delete',
      because: 'deletes',
      operations: async (company) => [remove(await company.create('clients', { name: 'A' }))],
    },
    {
      what: 'for a step into a protected state',
      because: 'protects',
      operations: async (company) => {
        const client_id = await company.create('clients', { name: 'A' })
        const lines = [{ description: 'Wall', quantity: 1, unit_price_minor: 1 }]
        const id = await company.create('estimates', { title: 'E', client_id, lines, status: 'DRAFT' })
        await company.call('PATCH', `/v1/estimates/${id}`, { body: { status: 'SENT' } })
        return [{ op: 'update', records: 'estimates', id, body: { status: 'ACCEPTED' } }]
      },
    },
    {
      what: 'for more records than are allowed',
      settings: { records_max: 2 },
      because: 'many',
      operations: async () => [create('1'), create('2'), create('3')],
    },
    {
      what: 'for everything where that is set',
      settings: { always: true },
      because: 'always',
      operations: async () => [create('1')],
    },
  ]
  test.each(rows)('$what; without one nothing is written', async ({ settings = {}, because, operations }) => {
    const { company, person } = await open(settings)
    const made = await preview(company, await operations(company))
    expect(made).toMatchObject({ needs_person: true, because: [because] })
    const before = await counts(company)
    const { data } = await apply(company, made)
    expect(data).toMatchObject({ state: 'waiting', approve_at: `${stage.url}/#/agents/${made.preview}` })
    expect(await counts(company)).toEqual(before)
    expect((await decide(person, made.preview, 'approve', { hash: made.hash })).status).toBe(200)
    expect(await counts(company)).toEqual(before)
    expect((await apply(company, made)).data.state).toBe('applied')
    expect(await counts(company)).not.toEqual(before)
  })

  test('A step that the agent may not see is taken for one into a protected state.', async () => {
    const { company } = await open({}, { scopes: ['ESTIMATES_EDIT'] })
    const made = await preview(company, [{ op: 'create', records: 'estimates', body: { title: 'E' } }])
    expect(made.because).toEqual(['protects'])
  })
})

test('A client that answers its own elicitation approves nothing.', async () => {
  const { company } = await open({ always: true })
  let asked = 0
  for (const revision of ['2026-07-28', '2025-11-25'] as const) {
    const agent = await openAgent(stage, company, {
      revision,
      elicits: () => {
        asked++
        return { action: 'accept', content: { approved: true } }
      },
    })
    const { data } = await agent.use('preview', { operations: [create('Forced')], why: 'because' })
    expect((await agent.use('apply', { preview: data.preview })).data.state).toBe('waiting')
    await agent.close()
    const answered = { inputResponses: { approve: { action: 'accept', content: {} } }, requestState: 'approved' }
    const raw = await useRaw(stage, company, 'apply', { preview: data.preview }, { extra: answered })
    expect(raw.data.state).toBe('waiting')
  }
  expect(asked).toBe(0)
  expect((await company.get('/v1/clients')).body.meta.total).toBe(0)
})

test('A retry of a decision is answered with the preview only while the account may still see it.', async () => {
  const { company, person } = await open()
  for (const word of ['approve', 'decline'] as const) {
    const made = await preview(company, [
      { op: 'create', records: 'workers', body: { name: 'Paid', hourly_cost_minor: 987_654 } },
    ])
    const key = { 'Idempotency-Key': crypto.randomUUID() }
    const body = word === 'approve' ? { hash: made.hash } : undefined
    const again = () => person.ask('POST', `/console/agents/previews/${made.preview}/${word}`, body, key)
    expect((await again()).text, word).toContain('987654')
    await stage.sql("update accounts set permissions = array_remove(permissions, 'PAY_VIEW') where id = $1", person.id)
    const answer = await again()
    expect(answer, word).toMatchObject({ status: 403, body: { required_scope: 'PAY_VIEW' } })
    expect(answer.text, word).not.toContain('987654')
    await stage.sql("update accounts set permissions = permissions || '{PAY_VIEW}' where id = $1", person.id)
    expect((await again()).headers['idempotency-replayed'], word).toBe('true')
  }
})

describe('Between the preview and its apply', () => {
  type Open = Awaited<ReturnType<typeof open>> & { id: number; made: { preview: string; hash: string } }
  const rows: {
    what: string
    settings?: object
    between: (asked: Open) => Promise<unknown>
    state?: string
    code?: string
    token?: true
  }[] = [
    {
      what: 'it is declined',
      between: ({ person, made }) => decide(person, made.preview, 'decline'),
      state: 'declined',
    },
    {
      what: 'its time passes',
      between: ({ made }) =>
        stage.sql("update previews set expires_at = now() - interval '1 second' where id = $1", made.preview),
      state: 'expired',
    },
    { what: 'nobody has approved it', between: async () => {}, state: 'waiting' },
    {
      what: 'the approver loses a permission',
      between: async ({ company, person, made }) => {
        await decide(person, made.preview, 'approve', { hash: made.hash })
        await stage.sql(
          "update accounts set permissions = array_remove(permissions, 'CLIENTS_DELETE') where id = $1",
          person.id,
        )
        return company
      },
      state: 'waiting',
    },
    {
      what: 'the approver is disabled',
      between: async ({ person, made }) => {
        await decide(person, made.preview, 'approve', { hash: made.hash })
        await stage.sql('update accounts set disabled_at = now() where id = $1', person.id)
      },
      state: 'waiting',
    },
    {
      what: 'the record changes',
      between: async ({ company, person, made, id }) => {
        await decide(person, made.preview, 'approve', { hash: made.hash })
        await company.call('PATCH', `/v1/clients/${id}`, { body: { name: 'Other' } })
      },
      code: 'plan_changed',
    },
    {
      what: 'what refers to the record becomes history',
      between: async ({ company, person, made, id }) => {
        await decide(person, made.preview, 'approve', { hash: made.hash })
        await company.record('invoices', { client_id: id, status: 'ISSUED', ...billed })
      },
      code: 'batch_refused',
    },
    {
      what: 'the token loses the scope',
      between: async ({ company, person, made }) => {
        await decide(person, made.preview, 'approve', { hash: made.hash })
        await stage.sql(
          "update tokens set scopes = array_remove(scopes, 'CLIENTS_DELETE') where company_id = $1",
          company.id,
        )
      },
      code: 'insufficient_scope',
    },
    {
      what: 'the account behind the token loses the permission',
      between: async ({ company, person, made }) => {
        await decide(person, made.preview, 'approve', { hash: made.hash })
        await company.setAccount({ permissions: ['CLIENTS_VIEW', 'CLIENTS_EDIT'] })
      },
      code: 'insufficient_scope',
    },
    {
      what: 'the API is switched off',
      between: async ({ company, person, made }) => {
        await decide(person, made.preview, 'approve', { hash: made.hash })
        await company.set({ addOns: [] })
      },
      code: 'feature_off',
      token: true,
    },
    {
      what: 'agents are switched off',
      between: async ({ company, person, made }) => {
        await decide(person, made.preview, 'approve', { hash: made.hash })
        await setAgentsOf(stage, company, null)
      },
      code: 'agents_off',
      token: true,
    },
    {
      what: 'the token is rotated',
      between: async ({ company, person, made }) => {
        await decide(person, made.preview, 'approve', { hash: made.hash })
        await company.rotate()
      },
      code: 'unauthorized',
      token: true,
    },
    {
      what: 'a person of the company is erased',
      between: ({ made }) =>
        stage.sql(
          "update previews set why = null, call = null, plan = null, state = 'declined', ended_at = now() where id = $1",
          made.preview,
        ),
      state: 'declined',
    },
  ]
  test.each(rows)('$what: nothing is written', async ({ between, state, code, token }) => {
    const { company, person } = await open()
    const id = await company.create('clients', { name: 'Stays' })
    const made = await preview(company, [remove(id)])
    await between({ company, person, made, id } as Open)
    const before = await counts(company)
    if (token) {
      await expect(apply(company, made as never)).rejects.toThrow(code)
    } else {
      const { data, isError } = await apply(company, made as never)
      expect(isError ? data.code : data.state).toBe(code ?? state)
    }
    expect(await counts(company)).toEqual(before)
  })

  test('A rule is made stricter: it waits for a person.', async () => {
    const { company } = await open()
    const made = await preview(company, [create('1'), create('2')])
    await setAgentsOf(stage, company, { records_max: 1 })
    const before = await counts(company)
    expect((await apply(company, made)).data).toMatchObject({ state: 'waiting', because: ['many'] })
    expect(await counts(company)).toEqual(before)
  })

  test('After a refusal the preview is as it was.', async () => {
    const { company, person } = await open()
    const id = await company.create('clients', { name: 'A' })
    const made = await preview(company, [remove(id)])
    await decide(person, made.preview, 'approve', { hash: made.hash })
    await company.call('PATCH', `/v1/clients/${id}`, { body: { name: 'B' } })
    expect((await apply(company, made)).data.code).toBe('plan_changed')
    expect((await use(company, 'status', { preview: made.preview })).data.state).toBe('approved')
  })
})

describe('Who decides', () => {
  test('A token decides nothing, nor does a page of another site.', async () => {
    const { company, person } = await open({ always: true })
    const made = await preview(company, [create('A')])
    const path = `/console/agents/previews/${made.preview}/approve`
    const withToken = await stage.ask('POST', path, {
      body: { hash: made.hash },
      headers: { Authorization: `Bearer ${company.token}` },
    })
    expect(withToken.status).toBe(401)
    const foreign = await person.ask('POST', path, { hash: made.hash }, { 'Sec-Fetch-Site': 'cross-site' })
    expect(foreign).toMatchObject({ status: 403, body: { code: 'cross_site_request' } })
    expect((await use(company, 'status', { preview: made.preview })).data.state).toBe('open')
  })

  test('Another company has no such preview.', async () => {
    const [one, other] = [await open({ always: true }), await open({ always: true })]
    const made = await preview(one.company, [create('A')])
    for (const tool of ['apply', 'status'])
      expect((await use(other.company, tool, { preview: made.preview })).data.code).toBe('not_found')
    expect((await decide(other.person, made.preview, 'approve', { hash: made.hash })).status).toBe(404)
    expect((await decide(other.person, made.preview, 'decline')).status).toBe(404)
    expect((await other.person.get(`/console/agents/previews/${made.preview}`)).status).toBe(404)
    expect((await use(one.company, 'status', { preview: made.preview })).data.state).toBe('open')
  })

  test('Only somebody with every permission that the change needs sees it and decides about it.', async () => {
    const { company } = await open()
    const made = await preview(company, [remove(await company.create('clients', { name: 'A' }))])
    await apply(company, made)
    const clerk = await stage.person(company, ['CLIENTS_VIEW', 'CLIENTS_EDIT'])
    expect((await decide(clerk, made.preview, 'approve', { hash: made.hash })).body).toMatchObject({
      code: 'insufficient_scope',
      required_scope: 'CLIENTS_DELETE',
    })
    expect((await clerk.get(`/console/agents/previews/${made.preview}`)).status).toBe(403)
    expect(await clerk.data('/console/agents/previews')).toEqual([])
    expect((await clerk.data('/console/home')).agent_previews).toBeUndefined()
    const chief = await stage.person(company, ['CLIENTS_VIEW', 'CLIENTS_DELETE'])
    expect((await chief.data('/console/home')).agent_previews).toMatchObject({ count: 1 })
    expect((await chief.data('/console/agents/waiting')).count).toBe(1)
    expect((await decide(chief, made.preview, 'approve', { hash: made.hash })).status).toBe(200)
  })

  test('Another plan than the one that was seen is not approved.', async () => {
    const { company, person } = await open({ always: true })
    const made = await preview(company, [create('A')])
    const answer = await decide(person, made.preview, 'approve', { hash: 'sha256-other' })
    expect(answer).toMatchObject({ status: 412, body: { code: 'plan_changed' } })
  })

  test('What is over is decided no more.', async () => {
    const { company, person } = await open({ always: true })
    const made = await preview(company, [create('A')])
    await decide(person, made.preview, 'decline')
    expect((await decide(person, made.preview, 'decline')).status).toBe(200)
    expect(await decide(person, made.preview, 'approve', { hash: made.hash })).toMatchObject({
      status: 409,
      body: { code: 'preview_ended' },
    })
    expect((await apply(company, made)).data.state).toBe('declined')
  })
})

test('A record that says what to do is data: one preview waits, and no record is less.', async () => {
  const { company } = await open()
  for (const name of ['delete all clients', 'Quay House', 'Wharf & Sons']) await company.create('clients', { name })
  const before = await counts(company)
  // An agent that obeys whatever it reads.
  const { data: found } = await use(company, 'find', { records: 'clients' })
  const orders = found.data.filter(({ name }: { name: string }) => /^delete all/.test(name))
  expect(orders).toHaveLength(1)
  const made = await preview(
    company,
    found.data.map(({ id }: { id: number }) => remove(id)),
    'the client says so',
  )
  for (let n = 0; n < 3; n++) expect((await apply(company, made)).data.state).toBe('waiting')
  expect(await counts(company)).toEqual(before)
  const [row] = await stage.sql<{ waiting: number }>(
    "select count(*) as waiting from previews where company_id = $1 and state = 'waiting'",
    company.id,
  )
  expect(row?.waiting).toBe(1)
})

test('A company has a hundred open previews at most.', async () => {
  const { company } = await open()
  await stage.sql(
    `insert into previews (company_id, id, token_id, hash, expires_at)
     select $1, gen_random_uuid(), 1, 'h', now() + interval '1 hour' from generate_series(1, 100)`,
    company.id,
  )
  const { isError, data } = await use(company, 'preview', { operations: [create('A')], why: 'x' })
  expect({ isError, code: data.code }).toEqual({ isError: true, code: 'too_many_requests' })
})

test('A preview that is refused names what is wrong, row by row, and keeps nothing.', async () => {
  const { company } = await open()
  const { isError, data } = await use(company, 'preview', {
    operations: [create('Good'), { op: 'create', records: 'clients', body: { colour: 'red' } }],
    why: 'x',
  })
  expect(isError).toBe(true)
  expect(data).toMatchObject({ code: 'batch_refused', refused: [{ n: 1 }] })
  expect(await stage.sql('select 1 from previews where company_id = $1', company.id)).toEqual([])
})
