/**
 * The assignment of records to companies. The SQL that loads the records and the requests are computed from it, so a
 * run needs no look-ups.
 */
export type Layout = {
  /** Projects of all companies, except those of the large company. */
  records: number
  companies: number
  projects: readonly Block[]
  clients: readonly Block[]
  workers: readonly Block[]
  categories: readonly Block[]
  /** Companies with more projects than a page has. Lists are requested for these. */
  fullCompanies: number
  /** Projects of each of these. */
  perFullCompany: number
  /** The company of 100,000 projects, if there is one. */
  large: { company: number; records: number } | null
}

/** Records `from`…`to`, dealt in turn to the companies `first`…`first + companies - 1`, as if of many callers. */
export type Block = { from: number; to: number; first: number; companies: number }

export const companyCount = 1000
const largeRecords = 100_000
const largeFrom = 1_000_000
/** Least records of a company with a full page of 50 at every size, so that sizes can be compared. */
const fullRecordsMin = 60
const projectsPerClient = 5

export function layoutOf(records: number, companies = companyCount): Layout {
  const everyoneIsFull = records >= companies * fullRecordsMin
  const fullCompanies = everyoneIsFull ? companies : Math.max(1, Math.floor(records / 100))
  const inFull = everyoneIsFull ? records : Math.min(records, fullCompanies * fullRecordsMin)
  const perFullCompany = Math.floor(inFull / fullCompanies)
  const largeCompany = companies + 1
  const large = records >= largeFrom ? { company: largeCompany, records: largeRecords } : null
  const clientsEach = Math.max(fullRecordsMin, perFullCompany) / projectsPerClient
  return {
    records,
    companies,
    projects: blocks([
      [inFull, 1, fullCompanies],
      [records - inFull, fullCompanies + 1, companies - fullCompanies],
      [large?.records ?? 0, largeCompany, 1],
    ]),
    clients: blocks([
      [companies * Math.floor(clientsEach), 1, companies],
      [(large?.records ?? 0) / projectsPerClient, largeCompany, 1],
    ]),
    workers: blocks([
      [10 * companies, 1, companies],
      [10, largeCompany, 1],
    ]),
    categories: blocks([
      [5 * companies, 1, companies],
      [5, largeCompany, 1],
    ]),
    fullCompanies,
    perFullCompany,
    large,
  }
}

/** Returns the company of the record `id`, and its ordinal in the company, from 0. */
export function placeOf(blocksOfKind: readonly Block[], id: number): { company: number; ordinal: number } {
  const block = blocksOfKind.find(({ from, to }) => from <= id && id <= to)
  if (!block) throw new Error(`no record ${id} was loaded`)
  const steps = id - block.from
  return { company: block.first + (steps % block.companies), ordinal: Math.floor(steps / block.companies) }
}

/** Returns the id of the `ordinal`-th record of a company. Starts again with the first one after the last. */
export function idOf(blocksOfKind: readonly Block[], company: number, ordinal: number): number {
  const block = blockOf(blocksOfKind, company)
  return block.from + (company - block.first) + block.companies * (ordinal % countPerCompany(block))
}

export const blockOf = (blocksOfKind: readonly Block[], company: number): Block => {
  const block = blocksOfKind.find(({ first, companies }) => first <= company && company < first + companies)
  if (!block) throw new Error(`company ${company} has no such records`)
  return block
}

/** Returns the number of records that every company of a block has. */
export const countPerCompany = ({ from, to, companies }: Block): number => Math.floor((to - from + 1) / companies)

function blocks(parts: readonly (readonly [count: number, first: number, companies: number])[]): Block[] {
  let from = 1
  return parts
    .filter(([count]) => count > 0)
    .map(([count, first, companies]) => {
      const block = { from, to: from + count - 1, first, companies }
      from += count
      return block
    })
}
