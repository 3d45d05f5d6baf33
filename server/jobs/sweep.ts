import type { Statement } from '#sql/statement.ts'
import { companiesWithOldAudit, sweepAudit } from '#sql/system/audit.ts'
import { companiesWithUnwanted, sweepDetails, sweepDetailsOf } from '#sql/system/call-details.ts'
import { companiesWithOldCalls, sweepCalls } from '#sql/system/calls.ts'
import { markHorizon, sweepMarks } from '#sql/system/changes.ts'
import { companiesWithOldPreviews, companiesWithTold, forgetTold, sweepPreviews } from '#sql/system/previews.ts'
import { compactRowCounts } from '#sql/system/row-counts.ts'
import { sweepSessions } from '#sql/system/sessions.ts'
import { sweepAttempts } from '#sql/system/sign-in.ts'
import { sweepAnswers } from '#sql/system/stored-responses.ts'
import {
  companiesThatSend,
  companiesWithDeleted,
  emptyOlderAttempts,
  freeAttempts,
  sweepAttemptsOfDeleted,
  sweepWebhookAttempts,
} from '#sql/system/webhook-room.ts'
import { attemptWindowSeconds } from '../service/attempts.ts'
import type { Database } from '../store/database.ts'
import type { BackgroundRunner } from './in-background.ts'

type Pace = { batchMax: number; everyMilliseconds: number }

export type Chore = Pace & {
  /** Sweeps one batch, at most `most` rows, so that no transaction is long. Returns a row for each swept one. */
  batch(most: number): Statement
}

/** A chore for a table that is swept company by company. */
export type CompanyChore = Pace & {
  /** Selects the `id` of the next companies with rows to sweep, sorted by id. */
  companies(after: number, most: number): Statement
  batch(companyId: number, most: number): Statement
}

const minute = 60_000

/** The pace for rows that do no harm but take space. */
const slowly: Pace = { batchMax: 1000, everyMilliseconds: 600_000 }

/** Removes expired stored responses. */
export const answersChore: Chore = { batch: sweepAnswers, ...slowly }
/** Removes expired sessions. */
const sessionsChore: Chore = { batch: sweepSessions, ...slowly }
const attemptsChore: Chore = { batch: (most) => sweepAttempts(most, attemptWindowSeconds), ...slowly }
/** Merges the changes of row counts. A total is their sum, so fewer of them make a list faster. */
export const rowCountsChore: Chore = { batch: compactRowCounts, batchMax: 5000, everyMilliseconds: 2000 }

/** Removes webhook attempts older than `keptDays`. */
const webhookAttemptsChore = (keptDays: number): Chore => ({
  batch: (most) => sweepWebhookAttempts(keptDays, most),
  ...slowly,
})
/** Removes attempts beyond a company's budget in bytes, for companies that have sent in the last `seconds`. */
export const webhookBudgetChore = (budget: number, seconds: number, everyMilliseconds: number): CompanyChore => ({
  companies: (after, most) => companiesThatSend(seconds, after, most),
  batch: (companyId, most) => freeAttempts(companyId, budget, most),
  ...{ batchMax: 2000, everyMilliseconds },
})
/** Removes attempts of deleted webhooks. */
export const deletedWebhooksChore = (keptDays: number): CompanyChore => ({
  companies: (after, most) => companiesWithDeleted(keptDays, after, most),
  batch: sweepAttemptsOfDeleted,
  ...{ batchMax: 2000, everyMilliseconds: minute },
})
/** Empties the requests and answers that a process of an earlier version has stored. */
export const olderAttemptsChore: Chore = { batch: emptyOlderAttempts, batchMax: 1000, everyMilliseconds: minute }

/** Replaces calls older than `keptDays` by sums of each day. Decisions, Metering. */
export const callsChore = (keptDays: number): CompanyChore => ({
  companies: (after, most) => companiesWithOldCalls(keptDays, after, most),
  batch: (companyId, most) => sweepCalls(companyId, keptDays, most),
  ...slowly,
})

/** Removes call details older than `keptDays`. `unwantedDetailsChore`: those of companies that store none any more. */
export const callDetailsChore = (keptDays: number): Chore => ({
  batch: (most) => sweepDetails(keptDays, most),
  ...slowly,
})
export const unwantedDetailsChore: CompanyChore = { companies: companiesWithUnwanted, batch: sweepDetailsOf, ...slowly }

/** Empties the contents of agents' previews when due. `oldPreviewsChore`: removes those older than calls are kept. */
export const toldPreviewsChore: CompanyChore = { companies: companiesWithTold, batch: forgetTold, ...slowly }
export const oldPreviewsChore = (keptDays: number): CompanyChore => ({
  companies: (after, most) => companiesWithOldPreviews(keptDays, after, most),
  batch: (companyId, most) => sweepPreviews(companyId, keptDays, most),
  ...slowly,
})

/** Removes sign-ins, exports and imports older than `keptDays`. */
export const auditChore = (keptDays: number): CompanyChore => ({
  companies: (after, most) => companiesWithOldAudit(keptDays, after, most),
  batch: (companyId, most) => sweepAudit(companyId, keptDays, most),
  ...slowly,
})

type RetentionSettings = {
  auditKeptDays: number
  callsKeptDays: number
  callDetailsKeptDays: number
  changesKeptDays: number
  webhookAttemptsKeptDays: number
  webhookAttemptsBytes: number
}

/** Records once a minute how far the log is complete. The marks date changes and give the end of a closed epoch. */
const marksChore: Chore = { batch: () => markHorizon(50), batchMax: 2, everyMilliseconds: minute }
/** Removes the marks of changes that the feed no longer has. */
const oldMarksChore = (keptDays: number): Chore => ({ batch: (most) => sweepMarks(keptDays, most), ...slowly })

/** Returns all chores. */
export const choresOf = (keeping: RetentionSettings): readonly (Chore | CompanyChore)[] => [
  answersChore,
  sessionsChore,
  attemptsChore,
  rowCountsChore,
  marksChore,
  callsChore(keeping.callsKeptDays),
  auditChore(keeping.auditKeptDays),
  callDetailsChore(keeping.callDetailsKeptDays),
  unwantedDetailsChore,
  toldPreviewsChore,
  oldPreviewsChore(keeping.callsKeptDays),
  oldMarksChore(keeping.changesKeptDays),
  webhookAttemptsChore(keeping.webhookAttemptsKeptDays),
  webhookBudgetChore(keeping.webhookAttemptsBytes, 600, minute),
  // Once an hour for companies that have not sent lately too: the budget may have been reduced.
  webhookBudgetChore(keeping.webhookAttemptsBytes, 86_400 * keeping.webhookAttemptsKeptDays, 60 * minute),
  deletedWebhooksChore(keeping.webhookAttemptsKeptDays),
  olderAttemptsChore,
]

/** Starts the chores. No result depends on when, or in which process, they run. */
export function startSweeper(database: Database, keeping: RetentionSettings, inBackground: BackgroundRunner) {
  let stopped = false
  const isStopped = (): boolean => stopped
  const running = new Map<Chore | CompanyChore, Promise<unknown>>()
  const timers = choresOf(keeping).map((chore) => {
    const work = async (): Promise<void> => {
      if (running.has(chore)) return
      const tidying = inBackground('sweep', () => doChore(database, chore, isStopped))
      running.set(chore, tidying)
      await tidying
      running.delete(chore)
    }
    return setInterval(() => void work(), chore.everyMilliseconds).unref()
  })
  return {
    stop: async (): Promise<void> => {
      stopped = true
      for (const timer of timers) clearInterval(timer)
      await Promise.all(running.values())
    },
  }
}

/** Runs one chore to its end. Returns the number of swept rows. */
export const doChore = (database: Database, chore: Chore | CompanyChore, isStopped: () => boolean): Promise<number> =>
  'companies' in chore ? sweepByCompany(database, chore, isStopped) : sweep(database, chore, isStopped)

/** Runs batches until one is not full. Returns the number of swept rows. */
export async function sweep(database: Database, chore: Chore, isStopped: () => boolean): Promise<number> {
  for (let swept = 0; ; ) {
    const rows = await database.read(chore.batch(chore.batchMax))
    swept += rows.length
    if (rows.length < chore.batchMax || isStopped()) return swept
  }
}

/** Runs the batches of one company after the other. Returns the number of swept rows. */
export async function sweepByCompany(
  database: Database,
  { companies, batch, ...pace }: CompanyChore,
  isStopped: () => boolean,
): Promise<number> {
  let [swept, after] = [0, 0]
  for (;;) {
    const some = await database.read<{ id: number }>(companies(after, pace.batchMax))
    for (const { id } of some) {
      swept += await sweep(database, { batch: (most) => batch(id, most), ...pace }, isStopped)
      if (isStopped()) return swept
      after = id
    }
    if (some.length < pace.batchMax) return swept
  }
}
