import type { Adapter, BenchRequest, ExpectedResponse, MakeRequest, RunTarget } from '../adapter.ts'
import { createRandom } from '../load/random.ts'
import {
  anyCompany,
  anyFullCompany,
  anyProject,
  firstDay,
  lastDay,
  newProject,
  newProjects,
  otherStatus,
  searchWord,
  status,
} from '../scenario/choices.ts'
import { idOf } from '../scenario/layout.ts'
import { batchRows } from '../works.ts'

/** The requests of Plumbline. */
export const adapter: Adapter = {
  fetch: (about) => (_, random) => fetchAny(about, random),
  'not-modified': (about) => createConditionalRequest(about, fetchAny),
  list: (about) => (_, random) => page(about, random, ''),
  filtered: (about) => (_, random) => page(about, random, `?status=${status}`),
  q: (about) => (_, random) => page(about, random, `?q=${searchWord}`),
  walk: (about) => (_, random) => page(about, random, '?after_id=0', { ends: '}}' }),
  several: (about) => (_, random) => page(about, random, `?status_in=${status},${otherStatus}`),
  ids: (about) => (_, random) => {
    const company = anyFullCompany(about.layout, random)
    const ids = Array.from({ length: 50 }, (_, ordinal) => idOf(about.layout.projects, company, ordinal))
    return page(about, () => (company - 0.5) / about.layout.fullCompanies, `?id_in=${ids.join(',')}`)
  },
  days: (about) => (_, random) =>
    page(about, random, `?start_date_from=${firstDay}&start_date_to=${lastDay}`, { bytesMin: 400 }),
  choices: (about) => (_, random) => ({
    method: 'GET',
    path: '/v1/choices/projects/category_id',
    headers: callerOf(about, anyFullCompany(about.layout, random)),
    expect: { status: 200, begins: '{"data":[{"id":' },
  }),
  me: (about) => (_, random) => ({
    method: 'GET',
    path: '/v1/me',
    headers: callerOf(about, anyFullCompany(about.layout, random)),
    expect: { status: 200, begins: '{"data":{"company":{"id":' },
  }),
  'delete-dry-run': (about) => (_, random) => {
    const { id, company } = anyProject(about.layout, random)
    return {
      method: 'DELETE',
      path: `/v1/projects/${id}?dry_run=1`,
      headers: callerOf(about, company),
      expect: { status: 200, begins: `{"data":{"id":${id},"deleted":false,"dry_run":true,` },
    }
  },
  update: (about) => (count, random) => {
    const { id, company } = anyProject(about.layout, random)
    return {
      method: 'PATCH',
      path: `/v1/projects/${id}`,
      headers: { ...callerOf(about, company), ...json },
      body: JSON.stringify({ budget_minor: count }),
      expect: { status: 200, begins: `{"data":{"id":${id},"updated":true,` },
    }
  },
  create: (about) => (count, random) => create(about, count, random, {}),
  'create-keyed': (about) => (count, random) => create(about, count, random, { 'Idempotency-Key': `bench-${count}` }),
  'create-shown': (about) => (count, random) => create(about, count, random, { Prefer: 'return=representation' }, '}}'),
  batch: (about) => (count, random) => {
    const company = anyCompany(about.layout, random)
    const operations = newProjects(about.layout, company, count).map((body) => ({
      op: 'create',
      records: 'projects',
      body,
    }))
    return {
      method: 'POST',
      path: '/v1/batch',
      headers: { ...callerOf(about, company), ...json, 'Idempotency-Key': `bench-batch-${count}` },
      body: JSON.stringify({ mode: 'all', operations }),
      expect: { status: 200, begins: `{"data":{"mode":"all","dry_run":false,"done":${batchRows},"refused":0,` },
    }
  },
  changes: (about) => (_, random) => changes(about, random),
  'changes-not-modified': (about) => createConditionalRequest(about, changes),
}

const json = { 'Content-Type': 'application/json' }

const callerOf = ({ tokens }: RunTarget, company: number) => ({ Authorization: `Bearer ${tokens[company]}` })

function fetchAny(about: RunTarget, random: () => number): BenchRequest {
  const { id, company } = anyProject(about.layout, random)
  return {
    method: 'GET',
    path: `/v1/projects/${id}`,
    headers: callerOf(about, company),
    expect: { status: 200, begins: `{"data":{"id":${id},`, ends: '}}', bytesMin: 500 },
  }
}

function page(
  about: RunTarget,
  random: () => number,
  query: string,
  expected: Partial<ExpectedResponse> = {},
): BenchRequest {
  return {
    method: 'GET',
    path: `/v1/projects${query}`,
    headers: callerOf(about, anyFullCompany(about.layout, random)),
    expect: { status: 200, begins: '{"data":[{"id":', ends: ',"limit":50,"offset":0}}', bytesMin: 4000, ...expected },
  }
}

function create(
  about: RunTarget,
  count: number,
  random: () => number,
  headers: { [name: string]: string },
  ends = ',"created":true,"dry_run":false}}',
): BenchRequest {
  const company = anyCompany(about.layout, random)
  return {
    method: 'POST',
    path: '/v1/projects',
    headers: { ...callerOf(about, company), ...json, ...headers },
    body: JSON.stringify(newProject(about.layout, company, count)),
    expect: { status: 201, begins: '{"data":{"id":', ends },
  }
}

const changes = (about: RunTarget, random: () => number): BenchRequest => ({
  method: 'GET',
  path: '/v1/changes?limit=50',
  headers: callerOf(about, anyFullCompany(about.layout, random)),
  expect: { status: 200, begins: '{"data":[' },
})

const tagsAsked = 200

/** Reads the present ETags of the records first. */
async function createConditionalRequest(
  about: RunTarget,
  ask: (about: RunTarget, random: () => number) => BenchRequest,
): Promise<MakeRequest> {
  const random = createRandom(304)
  const known = Array.from({ length: tagsAsked }, () => ask(about, random))
  const tags: string[] = []
  for (const { path, headers } of known) tags.push(await tagOf(`${about.url}${path}`, headers ?? {}))
  return (_, any) => {
    const index = Math.floor(any() * tagsAsked)
    const { headers, ...wanted } = known[index] as BenchRequest
    return { ...wanted, headers: { ...headers, 'If-None-Match': tags[index] as string }, expect: { status: 304 } }
  }
}

async function tagOf(url: string, headers: { readonly [name: string]: string }): Promise<string> {
  const answer = await fetch(url, { headers })
  await answer.arrayBuffer()
  const tag = answer.headers.get('etag')
  if (!answer.ok || tag === null) throw new Error(`GET ${url} answered ${answer.status} without a tag`)
  return tag
}
