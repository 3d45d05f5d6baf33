import type { BenchRequest, MakeRequest, RunTarget } from '../adapter.ts'
import { adapter } from '../adapters/product.ts'
import { anyFullCompany, searchWord, status } from '../scenario/choices.ts'
import { blockOf, countPerCompany, idOf, type Layout } from '../scenario/layout.ts'

/** A read whose cost is measured. Its answer has the same length at every size, so that costs compare. */
export type Call = {
  name: string
  /** Whether the cost must stay level: true if it finds the same number of records at every size. */
  level: boolean
  make: (about: RunTarget) => MakeRequest
}

export const callsOfAnyone: readonly Call[] = [
  { name: 'fetch', level: true, make: (about) => adapter.fetch?.(about) as MakeRequest },
  { name: 'first page, total', level: true, make: (about) => adapter.list?.(about) as MakeRequest },
  {
    name: 'of one client',
    level: true,
    make: createListCall((layout, company) => `client_id=${idOf(layout.clients, company, 3)}`),
  },
  { name: 'q, one match', level: true, make: (about) => (_, random) => byCode(about, random) },
  { name: 'of one status', level: false, make: createListCall(() => `status=${status}&limit=10`) },
  { name: 'q, a sixth match', level: false, make: createListCall(() => `q=${searchWord}&limit=10`) },
]

/** The reads of one company with 100,000 records. They may take at most `most` milliseconds in the database. */
export const callsOfLarge: readonly {
  name: string
  query: (layout: Layout, company: number) => string
  most: number
}[] = [
  { name: 'first page, total', query: () => '', most: 2 },
  { name: 'of one status', query: () => `status=${status}`, most: 15 },
  { name: 'of one client', query: (layout, company) => `client_id=${idOf(layout.clients, company, 3)}`, most: 15 },
  {
    name: 'q, one match',
    query: (layout, company) => `q=${codeOf(idOf(layout.projects, company, 77_777))}`,
    most: 15,
  },
  { name: 'q, a sixth match', query: () => `q=${searchWord}`, most: 15 },
  { name: 'page at 90,000', query: () => 'offset=90000', most: 15 },
]

export const ofCompany = ({ tokens }: RunTarget, company: number, query: string): BenchRequest => ({
  method: 'GET',
  path: `/v1/projects?${query}`,
  headers: { Authorization: `Bearer ${tokens[company]}` },
  expect: { status: 200, begins: '{"data":[{"id":' },
})

function createListCall(query: (layout: Layout, company: number) => string): Call['make'] {
  return (about) => (_, random) => {
    const company = anyFullCompany(about.layout, random)
    return ofCompany(about, company, query(about.layout, company))
  }
}

function byCode(about: RunTarget, random: () => number): BenchRequest {
  const { projects } = about.layout
  const company = anyFullCompany(about.layout, random)
  const ordinal = Math.floor(random() * countPerCompany(blockOf(projects, company)))
  return ofCompany(about, company, `q=${codeOf(idOf(projects, company, ordinal))}`)
}

const codeOf = (id: number): string => `P-${String(id).padStart(8, '0')}`
