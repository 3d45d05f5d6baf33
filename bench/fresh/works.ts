import type { WorkName } from '../works.ts'

/** The works of each size in this order: creates reach the size, and updates come last because they change the data. */
export const freshWorks = ['create-keyed', 'fetch', 'list', 'filtered', 'q', 'update'] as const satisfies WorkName[]

export type FreshWork = (typeof freshWorks)[number]

/** Calls of one work at one size. */
export type WorkResult = {
  work: FreshWork
  perSecond: number
  p50: number
  p99: number
  /** Of each call: entries read in indexes, rows read in tables. */
  entries: number
  rows: number
}

/** The least share of the analysed database's rate that a fresh one may have. */
export const ratioMin = 0.8
