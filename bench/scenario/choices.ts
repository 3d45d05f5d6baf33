import { batchRows } from '../works.ts'
import { idOf, type Layout, placeOf } from './layout.ts'

/** The records of requests are chosen here, the same for product, floor and other systems. */

/** Returns any project, except those of the large company. */
export function anyProject({ records, projects }: Layout, random: () => number): { id: number; company: number } {
  const id = 1 + Math.floor(random() * records)
  return { id, company: placeOf(projects, id).company }
}

/** Returns a company with more projects than a page has. */
export const anyFullCompany = ({ fullCompanies }: Layout, random: () => number): number =>
  1 + Math.floor(random() * fullCompanies)

export const anyCompany = ({ companies }: Layout, random: () => number): number => 1 + Math.floor(random() * companies)

/** A fifth of a company's projects have this status. */
export const status = 'ON_HOLD'

/** Another fifth has this status. */
export const otherStatus = 'BIDDING'

/** A fifth of a company's projects start between these days. */
export const [firstDay, lastDay] = ['2024-06-01', '2024-11-27'] as const

/** A sixth of a company's projects have this word. */
export const searchWord = 'drainage'

/** Returns a project as an integrator would send it. */
export function newProject({ clients, categories, workers }: Layout, company: number, count: number): object {
  return {
    name: `Harbour Road roof renewal ${count}`,
    code: `B-${count}`,
    description: 'Survey, roof renewal and making good at Bristol, in 3 stages.',
    status: 'BIDDING',
    client_id: idOf(clients, company, count),
    category_id: idOf(categories, company, count),
    manager_id: idOf(workers, company, count),
    address: {
      line1: '12 Harbour Road',
      line2: null,
      city: 'Bristol',
      region: null,
      postal_code: 'BS1 4DJ',
      country: 'GB',
    },
    start_date: '2026-03-02',
    end_date: '2026-09-30',
    contract_minor: 12_500_000 + (count % 1_000_000),
    budget_minor: 9_800_000,
    percent_complete: 0,
    external_ref: `CRM-${count}`,
  }
}

/** Returns the records of one batch. Their numbers occur in no other batch. */
export const newProjects = (layout: Layout, company: number, count: number): object[] =>
  Array.from({ length: batchRows }, (_, index) => newProject(layout, company, count * batchRows + index))
