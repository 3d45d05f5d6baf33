import type { DataRoute } from '#derive/routes.ts'
import { isWrite } from '#derive/routes.ts'
import type { Definition } from '#registry/definition.ts'
import { bodyBytesMax } from '#registry/limits.ts'
import type { RefusalCode } from '#registry/refusals.ts'
import { planLimit } from '#registry/subscription.ts'
import { cursorOf } from '#server/service/changes.ts'
import { lockOf } from '#server/writes/idempotency.ts'
import type { TestResponse } from './http.ts'
import { billed, type Company, type Stage } from './stage.ts'

/** A call in the making: as it is, it succeeds. */
export type Draft = {
  route: DataRoute
  id: number | null
  /** What the path names a record by, where that is not its id. */
  named: string | null
  /** What it names is a deletion already. */
  deleted?: true
  query: string[]
  headers: [string, string][]
  body: string | undefined
  token: string
}

/**
 * A scenario that earns a refusal: history that has to be there first, rights that are taken away afterwards, and what is wrong
 * with the call. Two scenarios can be combined, which shows which refusal comes first.
 */
export type Scenario = {
  prepare?: (stage: Stage, company: Company, draft: Draft) => Promise<unknown>
  close?: (company: Company) => Promise<unknown>
  mutate?: (draft: Draft) => void
  /** Something that must hold during the call. */
  during?: (stage: Stage, company: Company, call: () => Promise<TestResponse>) => Promise<TestResponse>
}

/** So few calls of a token in a minute that a test can use them up, and enough for every other one. */
export const tokenLimit = { TOKEN_REQUESTS_PER_MINUTE: '20' }

const key = 'one-key-for-both'
const withKey = (draft: Draft): void => {
  if (!draft.headers.some(([name]) => name === 'Idempotency-Key')) draft.headers.push(['Idempotency-Key', key])
}
const retyped = (draft: Draft, type: string): void => {
  draft.headers = draft.headers.map(([name, value]) => [name, name === 'Content-Type' ? type : value])
}
const set = (draft: Draft, parts: Partial<Draft>): void => void Object.assign(draft, parts)

/** Everything that can be provoked from outside; faults of dependencies are not among it. */
export const scenarios: { readonly [code in RefusalCode]?: Scenario } = {
  invalid_header: {
    mutate: (draft) =>
      void draft.headers.push(['Content-Type', 'application/json'], ['Content-Type', 'application/json']),
  },
  invalid_idempotency_key: { mutate: (draft) => void draft.headers.unshift(['Idempotency-Key', 'with a blank']) },
  unauthorized: { mutate: (draft) => set(draft, { token: `${draft.token.slice(0, -8)}00000000` }) },
  ip_not_allowed: { close: (company) => company.allow(['10.0.0.0/8']) },
  insufficient_scope: { close: (company) => company.setAccount({ permissions: [] }) },
  feature_off: { close: (company) => company.set({ addOns: [] }) },
  // The stage has a limit that is soon reached; see `tokenLimit`. Calls count as if they had been made.
  too_many_requests: {
    prepare: async ({ app, sql }, { id }) => {
      const [token] = await sql<{ id: number }>('select id from tokens where company_id = $1', id)
      const rates = app.tokenRates as NonNullable<typeof app.tokenRates>
      while (!rates.count(id, (token as { id: number }).id).exceeded);
    },
  },
  unknown_parameter: { mutate: (draft) => void draft.query.push('nope=1') },
  invalid_parameter: {
    mutate: ({ query, route: { parameterNames } }) => {
      const [name] = parameterNames
      query.push(...(name === undefined ? ['%'] : [`${name}=0`, `${name}=0`]))
    },
  },
  invalid_dry_run: { mutate: (draft) => void draft.headers.push(['X-Dry-Run', 'perhaps']) },
  payload_too_large: {
    mutate: (draft) =>
      set(draft, { body: `${draft.body ?? ''}${' '.repeat((draft.route.body?.bytesMax ?? bodyBytesMax) + 1)}` }),
  },
  unsupported_media_type: { mutate: (draft) => retyped(draft, 'text/plain') },
  malformed_json: { mutate: (draft) => set(draft, { body: `{${draft.body ?? ''}` }) },
  idempotency_key_reuse: {
    prepare: (_stage, company) =>
      company.call('POST', '/v1/clients', { body: { name: 'Earlier' }, headers: { 'Idempotency-Key': key } }),
    mutate: withKey,
  },
  idempotency_in_progress: {
    mutate: withKey,
    during: (stage, company, call) =>
      stage.inTransaction(async (transaction) => {
        await transaction.run({
          text: 'select pg_advisory_xact_lock($1::bigint) from companies where id = $2',
          values: [lockOf(company.id, key), company.id],
        })
        return call()
      }),
  },
  cursor_gone: {
    // Of an epoch that this log has not come to.
    prepare: async (_stage, { id }, { query }) =>
      void query.push(`after=${cursorOf(id, { epoch: 99, pos: '1', id: 0, line: null })}`),
  },
  not_found: { mutate: (draft) => set(draft, { id: 999_999_999, named: 'never was' }) },
  reference_conflict: {
    // As if somebody else made a record with the reference just before, each time.
    prepare: async (stage, { id }, { route }) => {
      const { name } = resourceOf(route)
      await stage.sql(`create function taken_${name}_${id}() returns trigger language plpgsql as $$
        begin raise unique_violation using constraint = '${name}_external_ref_live',
          message = 'duplicate key value violates unique constraint "${name}_external_ref_live_0"'; end $$`)
      await stage.inTransaction(async ({ run }) => {
        if (stage.connection.workers) await run({ text: 'set local citus.enable_unsafe_triggers = on', values: [] })
        const text = `create trigger taken_${id} before insert on ${name} for each row when (new.company_id = ${id})
          execute function taken_${name}_${id}()`
        await run({ text, values: [] })
      })
    },
  },
  precondition_failed: { mutate: (draft) => void draft.headers.push(['If-Match', '"99-aaaaaaaaaaaaaaaaaaaaaa"']) },
  undo_conflict: {
    prepare: async (_stage, company, draft) => {
      const id = await company.create('clients', { name: 'One' })
      draft.named = await writeOf(company, 'PATCH', `/v1/clients/${id}`, { name: 'Two' })
      await company.call('PATCH', `/v1/clients/${id}`, { body: { name: 'Three' } })
    },
  },
  protected: {
    prepare: async (_stage, company, draft) => {
      const client_id = await company.create('clients', { name: 'C' })
      const lines = [{ description: 'L' }]
      const id = await company.create('estimates', { title: 'E', client_id, lines, status: 'SENT' })
      draft.named = await writeOf(company, 'PATCH', `/v1/estimates/${id}`, { status: 'ACCEPTED' })
    },
  },
  validation_failed: {
    // What is undone has no body; the number of what comes back is taken.
    prepare: async (_stage, company, draft) => {
      if (draft.route.definition) return
      const id = await company.create('projects', { name: 'Gone', code: 'TAKEN' })
      draft.named = await writeOf(company, 'DELETE', `/v1/projects/${id}`)
      draft.deleted = true
      await company.create('projects', { name: 'Other', code: 'TAKEN' })
    },
    mutate: (draft) => set(draft, { body: draft.body?.replace(/^(\{*)\{/, '$1{"nope":1,') }),
  },
  // The title is of no resource.
  batch_refused: { mutate: (draft) => set(draft, { body: draft.body?.replace(/"body":\{/, '"body":{"nope":1,') }) },
  plan_changed: { mutate: (draft) => void draft.headers.push(['If-Plan', `"sha256-${'A'.repeat(43)}"`]) },
  plan_limit_reached: {
    prepare: async (stage, company, draft) => {
      const { definition } = draft.route
      if (!definition && !draft.deleted) {
        const id = await company.create('projects', { name: 'Gone' })
        draft.named = await writeOf(company, 'DELETE', `/v1/projects/${id}`)
      }
      const { name } = definition ?? { name: 'projects' }
      await company.set({ plan: 'STARTER' })
      const limit = planLimit('STARTER', name)
      await stage.sql('update plan_usage set used = $3 where company_id = $1 and records = $2', company.id, name, limit)
    },
  },
  delete_blocked: { prepare: (_stage, company, draft) => protect(company, draft) },
}

/** Whether the scenarios of two refusals can be combined in one call. */
export function compatible(one: RefusalCode, other: RefusalCode): boolean {
  const pairs: [RefusalCode, RefusalCode][] = [
    // There is no history of a record that is not there.
    ['not_found', 'delete_blocked'],
    // One call takes back one write.
    ['protected', 'undo_conflict'],
    ['undo_conflict', 'validation_failed'],
    // The key of a request is in flight or answered, not both.
    ['idempotency_key_reuse', 'idempotency_in_progress'],
  ]
  return !pairs.some((pair) => pair.includes(one) && pair.includes(other))
}

/** A call of the route that succeeds, changed by these scenarios. */
export async function callIn(stage: Stage, route: DataRoute, codes: readonly RefusalCode[]): Promise<TestResponse> {
  const company = await stage.company()
  const { definition, body } = route
  const draft: Draft = {
    route,
    ...(await targetOf(company, route)),
    query: [],
    headers: isWrite(route) ? [['Content-Type', 'application/json']] : [],
    body: body ? JSON.stringify(definition ? { [definition.title]: 'Call' } : body.sent) : undefined,
    token: company.token,
  }
  const taken = codes.map((code) => scenarios[code] ?? {})
  for (const scenario of taken) await scenario.prepare?.(stage, company, draft)
  for (const scenario of taken) await scenario.close?.(company)
  for (const scenario of taken) scenario.mutate?.(draft)

  const call = () =>
    stage.send({
      method: route.method,
      path: `${somewhere(route, draft.id, draft.named)}${draft.query.length > 0 ? `?${draft.query.join('&')}` : ''}`,
      headers: [...draft.headers, ['Authorization', `Bearer ${draft.token}`]],
      body: draft.body,
    })
  const during = taken.find((scenario) => scenario.during)?.during
  return during ? during(stage, company, call) : call()
}

/** A path of the route: with the example of each parameter, and the id of a record. */
export const somewhere = (
  { path, pathParameters }: DataRoute,
  id: number | null = 1,
  named: string | null = null,
): string =>
  pathParameters.reduce(
    (rest, { name, is }) =>
      rest.replace(
        `{${name}}`,
        encodeURIComponent(is === 'Id' ? String(id) : ((is.field || is.write) && named) || is.example),
      ),
    path,
  )

async function writeOf(company: Company, method: string, path: string, body?: object): Promise<string> {
  const { status, headers, text } = await company.call(method, path, { body })
  const writeId = headers['x-write-id']
  if (writeId === undefined) throw new Error(`${method} ${path} wrote nothing: ${status} ${text}`)
  return writeId
}

/** The record that the route is about, where it is about one that has to be there. */
async function targetOf(company: Company, route: DataRoute): Promise<Pick<Draft, 'id' | 'named'>> {
  const needed = route.pathParameters.map(({ is }) => is).find((is) => is === 'Id' || is.field || is.write)
  if (!needed || !route.refusals.includes('not_found')) return { id: null, named: null }
  if (needed !== 'Id' && needed.write)
    return { id: null, named: await writeOf(company, 'POST', '/v1/clients', { name: 'Written' }) }
  const { name, title } = resourceOf(route)
  if (needed === 'Id') return { id: await company.create(name, { [title]: 'Target' }), named: null }
  const { field, example } = needed as { field: string; example: string }
  return { id: await company.create(name, { [title]: 'Target', [field]: example }), named: example }
}

function resourceOf({ id, definition }: DataRoute): Definition {
  if (!definition) throw new Error(`${id} is about no resource`)
  return definition
}

/** History that keeps the record of the draft from being deleted. */
async function protect(company: Company, { route, id }: Draft): Promise<void> {
  const definition = resourceOf(route)
  const record = id as number
  const client = async () => company.record('clients', { name: 'C' })
  switch (definition.name) {
    case 'projects':
      await company.record('invoices', { client_id: await client(), project_id: record, status: 'ISSUED', ...billed })
      return
    case 'workers': {
      const project = await company.record('projects', { name: 'P' })
      await company.record('time_entries', {
        worker_id: record,
        project_id: project,
        worked_on: '2026-01-05',
        hours: 1,
        status: 'APPROVED',
      })
      return
    }
    case 'clients':
      await company.record('invoices', { client_id: record, status: 'ISSUED', ...billed })
      return
    case 'estimates':
      await company.record('invoices', { client_id: await client(), estimate_id: record, status: 'ISSUED', ...billed })
      return
    case 'subcontractors':
      await company.record('contracts', { subcontractor_id: record, title: 'C', status: 'SIGNED' })
      return
    case 'equipment':
      await company.record('equipment_logs', { equipment_id: record, logged_on: '2026-01-05', billed: true })
      return
    default:
      throw new Error(`nothing protects ${definition.name}`)
  }
}
