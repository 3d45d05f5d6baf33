import type { WorkName } from '../works.ts'

/** What is measured at each size, in this order: creates are how it gets there, updates leave more behind than reads. */
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
