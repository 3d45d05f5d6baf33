import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Json, JsonObject } from '#registry/json.ts'
import type { PlannedChange } from '#registry/refusals.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'

/** What plans and undo promise, for writes that are drawn. `npm run plans -- --rounds 1000` draws more of them. */
const rounds = Number(process.env.PLAN_ROUNDS ?? 20)
const seed = Number(process.env.PLAN_SEED ?? 20_261_122)
const timeout = 30_000 + rounds * 2_000

let stage: Stage
beforeAll(async () => {
  // A round waits for nothing but its own calls.
  stage = await openStage()
})
afterAll(() => stage.close())

const resources = ['clients', 'projects', 'estimates', 'equipment', 'workers', 'subcontractors'] as const
type Resource = (typeof resources)[number]

/** A write as it is drawn: which of the records that there are it is about is settled when it is its turn. */
type Drawn = {
  kind: 'create' | 'change' | 'delete' | 'upsert'
  resource: Resource
  body: JsonObject
  at: number
  link: number
  keeps: boolean
}

const word = fc.constantFrom('a', 'b', 'C', 'd e', 'Ö', '😀')
const drawn: fc.Arbitrary<Drawn> = fc.record({
  kind: fc.constantFrom('create', 'create', 'change', 'change', 'delete', 'upsert'),
  resource: fc.constantFrom(...resources),
  body: fc.record({ title: word, notes: fc.option(word), status: fc.option(fc.nat(6)) }) as fc.Arbitrary<JsonObject>,
  at: fc.nat(50),
  link: fc.nat(50),
  keeps: fc.boolean(),
})

const statuses: { readonly [resource in Resource]: readonly string[] } = {
  clients: ['ACTIVE', 'INACTIVE'],
  projects: ['ACTIVE', 'CANCELLED', 'BIDDING', 'ARCHIVED'],
  estimates: ['DRAFT', 'SENT'],
  equipment: ['ACTIVE', 'IN_USE'],
  workers: ['ACTIVE', 'ON_LEAVE'],
  subcontractors: ['ACTIVE', 'PENDING'],
}

type Call = { method: string; path: string; body?: JsonObject }

async function callOf(own: Company, { kind, resource, body, at, link }: Drawn): Promise<Call | undefined> {
  const ids = async (name: Resource): Promise<number[]> =>
    (await own.get(`/v1/${name}?fields=id`)).body.data.map(({ id }: { id: number }) => id)
  const pick = (all: readonly number[], n: number): number | null =>
    all.length === 0 ? null : (all[n % all.length] ?? null)
  const field = { projects: 'client_id', estimates: 'client_id', equipment: 'project_id', workers: 'supervisor_id' }[
    resource as string
  ]
  const target = { client_id: 'clients', project_id: 'projects', supervisor_id: 'workers' }[field ?? ''] as
    | Resource
    | undefined
  const known = await ids(resource)
  const { title, notes, status } = body
  const values: JsonObject = {
    [resource === 'estimates' ? 'title' : 'name']: title ?? null,
    notes: notes ?? null,
    ...(field && target ? { [field]: pick(await ids(target), link) } : {}),
    ...(typeof status === 'number' ? { status: statuses[resource][status % statuses[resource].length] as string } : {}),
    ...(resource === 'estimates' && link % 2 ? { lines: [{ description: 'L', unit_price_minor: link }] } : {}),
  }
  const id = pick(known, at)
  if (kind === 'create') return { method: 'POST', path: `/v1/${resource}`, body: values }
  if (kind === 'upsert') return { method: 'PUT', path: `/v1/${resource}/by/external_ref/R-${at % 3}`, body: values }
  if (id === null) return undefined
  if (kind === 'delete') return { method: 'DELETE', path: `/v1/${resource}/${id}` }
  return { method: 'PATCH', path: `/v1/${resource}/${id}`, body: values }
}

const send = (own: Company, { method, path, body }: Call, headers: Record<string, string> = {}) =>
  own.call(method, path, { ...(body ? { body } : {}), headers })
const dry = { 'X-Dry-Run': '1' }
const keeping = (hash: string) => ({ 'If-Plan': `"${hash}"` })

/** A number for all that every table holds, but for the calls and what they said. */
async function everything(): Promise<unknown> {
  const tables = await stage.sql<{ name: string }>(
    `select relname::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
     and relname not in ('calls', 'call_days', 'call_details') order by 1`,
  )
  const sums = tables.map(
    ({ name }) =>
      `select '${name}' as name, count(*) as rows, coalesce(sum(hashtextextended(t::text, 0)::numeric), 0)::text as sum from ${name} t`,
  )
  return stage.sql(sums.join(' union all '))
}

/** What lists show, but for versions and times. */
async function shown(own: Company): Promise<unknown> {
  const pages = await Promise.all(resources.map((name) => own.get(`/v1/${name}?limit=100`)))
  return pages.map(({ body }) => body.data.map(({ updated_at: _, ...record }: JsonObject) => record))
}

/** What a write did, told from the log and from the records themselves. */
async function done(own: Company, writeId: string): Promise<PlannedChange[]> {
  const rows = await stage.sql<{ records: string; record_id: number; action: string; changes: JsonObject | null }>(
    'select records, record_id, action, changes from history where company_id = $1 and write_id = $2 order by id',
    own.id,
    writeId,
  )
  const byRecord = Map.groupBy(rows, ({ records, record_id }) => `${records} ${record_id}`)
  return Promise.all(
    [...byRecord.values()].map(async (of): Promise<PlannedChange> => {
      const [first] = of as [(typeof rows)[number]]
      const end = of.find(({ action }) => action !== 'changed')?.action ?? 'updated'
      const action = end as PlannedChange['action']
      if (action === 'created') {
        const { data } = (await own.get(`/v1/${first.records}/${first.record_id}`)).body
        const fields = Object.entries<Json>(data)
          .filter(
            ([name, value]) =>
              value !== null && !['id', 'created_at', 'updated_at', 'currency', 'number'].includes(name),
          )
          .map(([name, value]): [string, Json] => [name, [null, value]])
        return { records: first.records, id: null, action, fields: Object.fromEntries(fields) }
      }
      const fields: { [name: string]: Json } = {}
      for (const { changes } of of)
        for (const [name, change] of Object.entries(changes ?? {})) {
          const [old, now] = change as [Json, Json]
          fields[name] = [(fields[name] as Json[] | undefined)?.[0] ?? old, now]
        }
      return { records: first.records, id: first.record_id, action, fields }
    }),
  )
}

const inOrder = (changes: readonly PlannedChange[]) =>
  changes.toSorted((one, other) => `${one.records} ${one.id}`.localeCompare(`${other.records} ${other.id}`))

test(
  `In ${rounds} rounds of writes: a dry-run changes nothing, the call does what its plan says, and undo restores what was`,
  async () => {
    const counts = { applied: 0, undone: 0, refused: 0 }
    await fc.assert(
      fc.asyncProperty(fc.array(drawn, { minLength: 1, maxLength: 8 }), async (writes) => {
        const own = await stage.company()
        for (const write of writes) {
          const call = await callOf(own, write)
          if (!call) continue
          const before = await everything()
          const preview = await send(own, call, dry)
          expect(await everything()).toEqual(before)
          if (preview.status !== 200) {
            // What the preview refuses, the call refuses.
            expect((await send(own, call)).body.code).toBe(preview.body.code)
            counts.refused++
            continue
          }
          const was = await shown(own)
          const answer = await send(own, call, keeping(preview.body.plan.hash))
          expect(answer.status, answer.text).toBeLessThan(300)
          const writeId = answer.headers['x-write-id'] as string
          expect(inOrder(await done(own, writeId))).toEqual(inOrder(preview.body.plan.changes))
          counts.applied++
          if (write.keeps) continue

          const is = await shown(own)
          const undone = await own.call('POST', `/v1/writes/${writeId}/undo`)
          if (undone.status === 200) {
            expect(await shown(own)).toEqual(was)
            counts.undone++
          } else {
            // Nothing was written, or a step of a status does not go back.
            expect([404, 422], undone.text).toContain(undone.status)
            expect(await shown(own)).toEqual(is)
          }
        }
      }),
      { numRuns: rounds, seed },
    )
    expect(counts.applied).toBeGreaterThan(rounds)
    expect(counts.undone).toBeGreaterThan(rounds / 4)
    if (process.env.PLAN_ROUNDS) console.log(counts)
  },
  timeout,
)

test(
  `In ${rounds} rounds: two callers apply plans made before each other’s change, one succeeds, the other hears plan_changed`,
  async () => {
    const own = await stage.company()
    for (let round = 0; round < rounds; round++) {
      const id = await own.create('clients', { name: 'C' })
      const pairs: Call[][] = [
        ['A', 'B'].map((name) => ({ method: 'PATCH', path: `/v1/clients/${id}`, body: { name } })),
        [{ name: 'A' }, { notes: 'B' }].map((body) => ({ method: 'PATCH', path: `/v1/clients/${id}`, body })),
        ['A', 'B'].map((name) => ({ method: 'PUT', path: `/v1/clients/by/external_ref/N-${round}`, body: { name } })),
      ]
      const calls = pairs[round % pairs.length] as Call[]
      const plans = await Promise.all(calls.map((call) => send(own, call, dry)))
      const answers = await Promise.all(calls.map((call, n) => send(own, call, keeping(plans[n]?.body.plan.hash))))
      const heard = answers.map(({ status, body }) => (status < 300 ? 'done' : body.code)).toSorted()
      expect(heard, `round ${round}`).toEqual(['done', 'plan_changed'])
    }
  },
  timeout,
)
