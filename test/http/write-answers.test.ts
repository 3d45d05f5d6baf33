import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { registry } from '#registry/resources/index.ts'
import { type ConsoleStage, openConsole, type Person } from '../console/stage.ts'
import type { TestResponse } from '../stage/http.ts'
import type { Company } from '../stage/stage.ts'

/**
 * What writes answer, header by header, and the rows that they leave in the log, the stored answers, the log of calls and
 * the row counts. Whichever way a write takes inside, these files stay the same. Ids, times and keys of our own are
 * replaced by their kind and order.
 */
let stage: ConsoleStage
beforeAll(async () => {
  stage = await openConsole({ TOKEN_REQUESTS_PER_MINUTE: '1000' })
  // Every id of a record says of which resource it is.
  for (const [index, { name }] of registry.entries())
    await stage.sql(`select setval('${name}_id_seq', ${(index + 1) * idsOfResource})`)
})
afterAll(() => stage.close())

const idsOfResource = 100_000_000

type Write = {
  title: string
  method?: 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  path: string
  body?: unknown
  headers?: { readonly [name: string]: string }
}
type Case = { title: string; writes: readonly Write[] }

const key = (text: string) => ({ 'Idempotency-Key': text })
const dryRun = { 'X-Dry-Run': '1' }
const batch = (title: string, mode: 'all' | 'each', operations: readonly object[], headers = {}): Write => ({
  ...{ title, path: '/v1/batch', body: { mode, operations }, headers },
})

/** `{clients.1}` in a path, a body or a header is the id of the first client that the case created. */
const cases: readonly Case[] = [
  {
    title: 'create',
    writes: [
      { title: 'without a key', path: '/v1/clients', body: { name: 'Quay' } },
      { title: 'with a key', path: '/v1/clients', body: { name: 'Pier', tax_id: 'T-1' }, headers: key('c-1') },
      { title: 'again with the key', path: '/v1/clients', body: { name: 'Pier', tax_id: 'T-1' }, headers: key('c-1') },
      { title: 'another body with the key', path: '/v1/clients', body: { name: 'Dock' }, headers: key('c-1') },
      { title: 'as a preview', path: '/v1/clients', body: { name: 'Mole' }, headers: dryRun },
      {
        title: 'a preview with the key',
        path: '/v1/clients',
        body: { name: 'Mole' },
        headers: { ...dryRun, ...key('c-1') },
      },
      { title: 'with mistakes', path: '/v1/clients', body: { name: '', kind: 'NOBODY' }, headers: key('c-2') },
      { title: 'the mistakes again', path: '/v1/clients', body: { name: '', kind: 'NOBODY' }, headers: key('c-2') },
      {
        title: 'with a value that is taken',
        path: '/v1/clients',
        body: { name: 'Twin', tax_id: 't-1' },
        headers: key('c-3'),
      },
      {
        title: 'with a number of its own',
        path: '/v1/estimates',
        body: { title: 'Wall', client_id: '{clients.1}' },
        headers: key('c-4'),
      },
      { title: 'with the next number', path: '/v1/estimates', body: { title: 'Roof', client_id: '{clients.1}' } },
      {
        title: 'with references',
        path: '/v1/projects',
        body: { name: 'Site', client_id: '{clients.1}', code: 'P-1' },
        headers: key('c-5'),
      },
      {
        title: 'with a reference to nothing',
        path: '/v1/projects',
        body: { name: 'Site', client_id: 7 },
        headers: key('c-6'),
      },
      { title: 'with an unknown member', path: '/v1/projects', body: { name: 'Site', colour: 'red' } },
      {
        title: 'by a plan that has moved on',
        path: '/v1/clients',
        body: { name: 'Mole' },
        headers: { 'If-Plan': `"sha256-${'A'.repeat(43)}"` },
      },
    ],
  },
  {
    title: 'update',
    writes: [
      { title: 'a client to change', path: '/v1/clients', body: { name: 'Quay', external_ref: 'CRM-1' } },
      { title: 'another', path: '/v1/clients', body: { name: 'Pier' } },
      { title: 'without a key', method: 'PATCH', path: '/v1/clients/{clients.1}', body: { notes: 'Rings twice' } },
      {
        title: 'with a key',
        method: 'PATCH',
        path: '/v1/clients/{clients.1}',
        body: { notes: 'Rings once' },
        headers: key('u-1'),
      },
      {
        title: 'again with the key',
        method: 'PATCH',
        path: '/v1/clients/{clients.1}',
        body: { notes: 'Rings once' },
        headers: key('u-1'),
      },
      {
        title: 'with nothing new',
        method: 'PATCH',
        path: '/v1/clients/{clients.1}',
        body: { notes: 'Rings once' },
        headers: key('u-2'),
      },
      {
        title: 'three fields',
        method: 'PATCH',
        path: '/v1/clients/{clients.1}',
        body: { name: 'Quay & Sons', email: 'q@quay.example', phone: '555 0100' },
        headers: key('u-3'),
      },
      {
        title: 'under an old tag',
        method: 'PATCH',
        path: '/v1/clients/{clients.1}',
        body: { notes: null },
        headers: { 'If-Match': `"1-${'A'.repeat(22)}"`, ...key('u-4') },
      },
      {
        title: 'under any tag',
        method: 'PATCH',
        path: '/v1/clients/{clients.1}',
        body: { notes: null },
        headers: { 'If-Match': '*', ...key('u-5') },
      },
      {
        title: 'as a preview',
        method: 'PATCH',
        path: '/v1/clients/{clients.1}',
        body: { name: 'Quayside' },
        headers: dryRun,
      },
      {
        title: 'with a mistake',
        method: 'PATCH',
        path: '/v1/clients/{clients.1}',
        body: { email: 'nowhere' },
        headers: key('u-6'),
      },
      {
        title: 'to a value that is taken',
        method: 'PATCH',
        path: '/v1/clients/{clients.2}',
        body: { external_ref: 'crm-1' },
      },
      { title: 'of nobody', method: 'PATCH', path: '/v1/clients/7', body: { notes: 'x' }, headers: key('u-7') },
      { title: 'a foreman', path: '/v1/workers', body: { name: 'Ada' } },
      { title: 'a mason', path: '/v1/workers', body: { name: 'Ben', supervisor_id: '{workers.1}' } },
      {
        title: 'in a circle',
        method: 'PATCH',
        path: '/v1/workers/{workers.1}',
        body: { supervisor_id: '{workers.2}' },
        headers: key('u-8'),
      },
    ],
  },
  {
    title: 'upsert',
    writes: [
      {
        title: 'of a new record',
        method: 'PUT',
        path: '/v1/clients/by/external_ref/CRM-7',
        body: { name: 'Quay' },
        headers: key('p-1'),
      },
      {
        title: 'again with the key',
        method: 'PUT',
        path: '/v1/clients/by/external_ref/CRM-7',
        body: { name: 'Quay' },
        headers: key('p-1'),
      },
      {
        title: 'of the same record',
        method: 'PUT',
        path: '/v1/clients/by/external_ref/crm-7',
        body: { name: 'Quayside' },
      },
      {
        title: 'with nothing new',
        method: 'PUT',
        path: '/v1/clients/by/external_ref/CRM-7',
        body: { name: 'Quayside' },
      },
      {
        title: 'as a preview',
        method: 'PUT',
        path: '/v1/clients/by/external_ref/CRM-8',
        body: { name: 'Pier' },
        headers: dryRun,
      },
      {
        title: 'with a mistake',
        method: 'PUT',
        path: '/v1/clients/by/external_ref/CRM-8',
        body: { name: '' },
        headers: key('p-2'),
      },
      {
        title: 'where there must be one',
        method: 'PUT',
        path: '/v1/clients/by/external_ref/CRM-9',
        body: { name: 'Dock' },
        headers: { 'If-Match': '*' },
      },
    ],
  },
  {
    title: 'delete',
    writes: [
      { title: 'a client', path: '/v1/clients', body: { name: 'Quay', external_ref: 'D-1' } },
      { title: 'its project', path: '/v1/projects', body: { name: 'Site', client_id: '{clients.1}' } },
      { title: 'a worker', path: '/v1/workers', body: { name: 'Ada' } },
      { title: 'who is managed', path: '/v1/workers', body: { name: 'Ben', supervisor_id: '{workers.1}' } },
      { title: 'as a preview', method: 'DELETE', path: '/v1/workers/{workers.1}', headers: dryRun },
      {
        title: 'of a worker whom another refers to',
        method: 'DELETE',
        path: '/v1/workers/{workers.1}',
        headers: key('d-1'),
      },
      { title: 'again with the key', method: 'DELETE', path: '/v1/workers/{workers.1}', headers: key('d-1') },
      { title: 'of what is gone', method: 'DELETE', path: '/v1/workers/{workers.1}', headers: key('d-2') },
      {
        title: 'of a client with a project',
        method: 'DELETE',
        path: '/v1/clients/by/external_ref/D-1',
        headers: key('d-3'),
      },
      { title: 'taken back', path: '/v1/writes/{write.d-1}/undo', headers: key('d-4') },
      { title: 'taken back again', path: '/v1/writes/{write.d-1}/undo' },
    ],
  },
  {
    title: 'batch',
    writes: [
      batch(
        'all of it',
        'all',
        [
          { op: 'create', records: 'clients', as: 'quay', body: { name: 'Quay', external_ref: 'B-1' } },
          { op: 'create', records: 'clients', body: { name: 'Pier' } },
          { op: 'create', records: 'projects', body: { name: 'Site', client_id: { $ref: 'quay' } } },
          { op: 'create', records: 'estimates', body: { title: 'Wall', client_id: { $ref: 'quay' } } },
        ],
        key('b-1'),
      ),
      batch(
        'all of it again',
        'all',
        [
          { op: 'create', records: 'clients', as: 'quay', body: { name: 'Quay', external_ref: 'B-1' } },
          { op: 'create', records: 'clients', body: { name: 'Pier' } },
          { op: 'create', records: 'projects', body: { name: 'Site', client_id: { $ref: 'quay' } } },
          { op: 'create', records: 'estimates', body: { title: 'Wall', client_id: { $ref: 'quay' } } },
        ],
        key('b-1'),
      ),
      batch(
        'one of them wrong',
        'all',
        [
          { op: 'create', records: 'clients', body: { name: 'Dock' } },
          { op: 'create', records: 'clients', body: { name: '' } },
          { op: 'update', records: 'clients', id: 7, body: { notes: 'x' } },
        ],
        key('b-2'),
      ),
      batch(
        'each by itself',
        'each',
        [
          { op: 'create', records: 'clients', body: { name: 'Dock' } },
          { op: 'create', records: 'clients', body: { name: '', email: 'x' } },
          { op: 'update', records: 'clients', id: '{clients.1}', body: { notes: 'Rings' } },
          { op: 'upsert', records: 'clients', external_ref: 'b-1', body: { notes: 'Rings' } },
        ],
        key('b-3'),
      ),
      batch(
        'updates, an upsert and a deletion',
        'all',
        [
          { op: 'update', records: 'clients', id: '{clients.1}', body: { notes: 'Twice' } },
          { op: 'update', records: 'clients', external_ref: 'B-1', body: { phone: '555 0100' } },
          { op: 'update', records: 'clients', id: '{clients.2}', body: { name: 'Pier' } },
          { op: 'upsert', records: 'clients', external_ref: 'B-2', body: { name: 'Mole' } },
          { op: 'delete', records: 'projects', id: '{projects.1}' },
        ],
        key('b-4'),
      ),
      batch(
        'as a preview',
        'all',
        [
          { op: 'create', records: 'clients', body: { name: 'Weir' } },
          { op: 'update', records: 'clients', id: '{clients.1}', body: { notes: null } },
        ],
        dryRun,
      ),
      batch('one value twice', 'all', [
        { op: 'create', records: 'clients', body: { name: 'One', tax_id: 'T-9' } },
        { op: 'create', records: 'clients', body: { name: 'Two', tax_id: 't-9' } },
      ]),
      { title: 'taken back', path: '/v1/writes/{write.b-4}/undo', headers: key('b-5') },
    ],
  },
]

const casesOfPlan: readonly Case[] = [
  {
    title: 'plan',
    writes: [
      { title: 'the last place', path: '/v1/projects', body: { name: 'Last' }, headers: key('q-1') },
      { title: 'one too many', path: '/v1/projects', body: { name: 'One too many' }, headers: key('q-2') },
      { title: 'its key once more', path: '/v1/projects', body: { name: 'One too many' }, headers: key('q-2') },
      batch(
        'a batch beyond it',
        'all',
        [{ op: 'create', records: 'projects', body: { name: 'One too many' } }],
        key('q-3'),
      ),
      { title: 'an add-on that is off', path: '/v1/estimates', body: { title: 'Wall' } },
    ],
  },
]

const casesOfConsole: readonly Case[] = [
  {
    title: 'console',
    writes: [
      {
        title: 'create with a key',
        path: '/console/records/clients',
        body: { name: 'Quay', tax_id: 'W-1' },
        headers: key('w-1'),
      },
      {
        title: 'create again with the key',
        path: '/console/records/clients',
        body: { name: 'Quay', tax_id: 'W-1' },
        headers: key('w-1'),
      },
      {
        title: 'another body with the key',
        path: '/console/records/clients',
        body: { name: 'Pier' },
        headers: key('w-1'),
      },
      { title: 'create with a mistake', path: '/console/records/clients', body: { name: '' }, headers: key('w-2') },
      {
        title: 'create with the key of the mistake',
        path: '/console/records/clients',
        body: { name: 'Pier' },
        headers: key('w-2'),
      },
      {
        title: 'update',
        method: 'PATCH',
        path: '/console/records/clients/{clients.1}',
        body: { notes: 'Rings' },
        headers: key('w-3'),
      },
      {
        title: 'update again with the key',
        method: 'PATCH',
        path: '/console/records/clients/{clients.1}',
        body: { notes: 'Rings' },
        headers: key('w-3'),
      },
      { title: 'update of nobody', method: 'PATCH', path: '/console/records/clients/7', body: { notes: 'Rings' } },
      {
        title: 'preview of a deletion',
        method: 'DELETE',
        path: '/console/records/clients/{clients.1}',
        headers: dryRun,
      },
      { title: 'delete', method: 'DELETE', path: '/console/records/clients/{clients.1}', headers: key('w-4') },
      {
        title: 'create of a resource that /v1 does not serve',
        path: '/console/records/trades',
        body: { name: 'Mason' },
        headers: key('w-5'),
      },
    ],
  },
]

const callsOf = (company: Company) => (write: Write, more: { path: string; body: unknown }) =>
  company.call(write.method ?? 'POST', more.path, { body: more.body, headers: write.headers ?? {} })
const callsOfPerson = (person: Person) => (write: Write, more: { path: string; body: unknown }) =>
  person.ask(write.method ?? 'POST', more.path, more.body, write.headers ?? {})

describe('Writes answer and leave behind, byte for byte,', () => {
  test.each(cases)('for $title what stands in its file', async (one) => {
    const company = await stage.company()
    await compare(one, company, callsOf(company))
  })

  test.each(casesOfPlan)('for a full $title what stands in its file', async (one) => {
    const company = await stage.company({ plan: 'STARTER', addOns: ['api'] })
    await stage.sql(
      "insert into plan_usage (company_id, records, used) values ($1, 'projects', 24) on conflict (company_id, records) do update set used = 24",
      company.id,
    )
    await compare(one, company, callsOf(company))
  })

  test.each(casesOfConsole)('for the $title what stands in its file', async (one) => {
    const person = await stage.admin()
    await compare(one, person.company, callsOfPerson(person))
  })
})

type Call = (write: Write, more: { path: string; body: unknown }) => Promise<TestResponse>

async function compare({ title, writes }: Case, company: Company, call: Call): Promise<void> {
  const shown = makeShown(company.id)
  const created = new Map<string, number[]>()
  const writeIds = new Map<string, string>()
  const filled = <T>(value: T): T => {
    const text = JSON.stringify(value ?? null)
      .replace(/"\{(\w+)\.(\d+)\}"|\{(\w+)\.(\d+)\}/g, (_, a, b, c, d) =>
        String(created.get(a ?? c)?.[Number(b ?? d) - 1]),
      )
      .replace(/\{write\.([\w-]+)\}/g, (_, name) => writeIds.get(name) as string)
    return JSON.parse(text)
  }
  const parts: string[] = []
  for (const write of writes) {
    const before = await lastOf(company.id)
    const answer = await call(write, { path: filled(write.path), body: write.body && filled(write.body) })
    remember(created, answer)
    const sentKey = write.headers?.['Idempotency-Key']
    if (sentKey && answer.headers['x-write-id']) writeIds.set(sentKey, answer.headers['x-write-id'])
    await stage.app.meter.flush()
    parts.push(`## ${write.title}\n\n${shown(await textOf(answer))}\n${shown(await rowsSince(company.id, before))}`)
  }
  await expect(parts.join('\n')).toMatchFileSnapshot(join(import.meta.dirname, `../goldens/writes/${title}.txt`))
}

/** Notes the ids of new records by their resource, which their ids tell. */
function remember(created: Map<string, number[]>, { status, body }: TestResponse): void {
  const note = (id: unknown): void => {
    if (typeof id !== 'number' || id < idsOfResource) return
    const { name } = registry[Math.floor(id / idsOfResource) - 1] as { name: string }
    const ids = created.get(name) ?? []
    if (!ids.includes(id)) created.set(name, [...ids, id])
  }
  if (status >= 300) return
  note(body.data.id)
  for (const each of body.data.operations ?? []) note(each.data?.id)
}

const headersLeftOut = ['date', 'connection', 'keep-alive', 'transfer-encoding', 'content-encoding', 'content-length']

async function textOf({ status, headers, text }: TestResponse): Promise<string> {
  const lines = Object.entries(headers)
    .filter(([name]) => !headersLeftOut.includes(name))
    .map(([name, value]) => `${name}: ${value}`)
  return [status, ...lines.toSorted(), '', text, ''].join('\n')
}

const tables = {
  history:
    'select records, record_id, action, version, changes, held, account_id is null as by_operator, token_id is not null as by_token, door, write_id, request_id, idempotency_key, removal_id is not null as of_removal from history where company_id = $1 and id > $2 order by id',
  answers:
    'select key, status, body, location, etag, request_id, write_id from answers where company_id = $1 order by completed_at, key',
  calls:
    'select route, record_id, status, code, dry_run, replayed, counted, rows, about, request_id from calls where company_id = $1 and id > $2 order by id',
  tally_changes:
    'select records, sum(change)::int as change, count(*)::int as rows from tally_changes where company_id = $1 group by records order by records',
}

type Last = { history: number; calls: number; answers: string[]; tally: string }

async function lastOf(companyId: number): Promise<Last> {
  const [ids] = await stage.sql<{ history: number; calls: number }>(
    `select coalesce((select max(id) from history where company_id = $1), 0)::int as history,
      coalesce((select max(id) from calls where company_id = $1), 0)::int as calls`,
    companyId,
  )
  const answers = await stage.sql<{ key: string }>(tables.answers, companyId)
  const tally = JSON.stringify(await stage.sql(tables.tally_changes, companyId))
  return { history: ids?.history ?? 0, calls: ids?.calls ?? 0, answers: answers.map(({ key }) => key), tally }
}

async function rowsSince(companyId: number, last: Last): Promise<string> {
  const rows = {
    history: await stage.sql(tables.history, companyId, last.history),
    answers: (await stage.sql<{ key: string }>(tables.answers, companyId)).filter(
      (one) => !last.answers.includes(one.key),
    ),
    calls: await stage.sql(tables.calls, companyId, last.calls),
    tally_changes: await stage.sql(tables.tally_changes, companyId),
  }
  if (JSON.stringify(rows.tally_changes) === last.tally) rows.tally_changes = []
  return Object.entries(rows)
    .flatMap(([table, found]) => found.map((row) => `${table} ${JSON.stringify(row)}\n`))
    .join('')
}

/** Replaces what another run would have otherwise: each by its kind and by the order in which it was met. */
function makeShown(companyId: number): (text: string) => string {
  const met = new Map<string, Map<string, number>>()
  const numbered = (kind: string, value: string): string => {
    const ofKind = met.get(kind) ?? new Map<string, number>()
    met.set(kind, ofKind)
    if (!ofKind.has(value)) ofKind.set(value, ofKind.size + 1)
    return `<${kind} ${ofKind.get(value)}>`
  }
  return (text) =>
    text
      .replace(/\\*"(\d+-[\w-]{22})\\*"/g, (_, tag) => numbered('tag', tag))
      .replace(/sha256-[\w+/=-]{43,44}/g, (hash) => numbered('plan', hash))
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (uuid) => numbered('uuid', uuid))
      .replace(/console [0-9a-f]{64}/g, (sealed) => numbered('key', sealed))
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>')
      .replace(/;t=\d+/g, ';t=<seconds>')
      .replace(/\b(\d{1,2})(\d{8})\b/g, (id) => {
        const { name } = registry[Math.floor(Number(id) / idsOfResource) - 1] as { name: string }
        return numbered(name, id)
      })
      .replaceAll(`"company_id":${companyId}`, '"company_id":<company>')
}
