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
  /** One small batch, so that no transaction is long; a row back for each thing that it tidied. */
  batch(most: number): Statement
}

/** The same, for a table that is swept company by company. */
export type CompanyChore = Pace & {
  /** The next companies that have something to tidy, by their ids; a row with the `id` of each. */
  companies(after: number, most: number): Statement
  batch(companyId: number, most: number): Statement
}

const minute = 60_000

/** Of what only takes room. */
const slowly: Pace = { batchMax: 1000, everyMilliseconds: 600_000 }

/** Stored answers whose time is over. */
export const answersChore: Chore = { batch: sweepAnswers, ...slowly }
/** Sessions that are over, and attempts to sign in that are forgotten. */
const sessionsChore: Chore = { batch: sweepSessions, ...slowly }
const attemptsChore: Chore = { batch: (most) => sweepAttempts(most, attemptWindowSeconds), ...slowly }
/** Changes that a total is still the sum of: the fewer, the quicker a list. */
export const rowCountsChore: Chore = { batch: compactRowCounts, batchMax: 5000, everyMilliseconds: 2000 }

/** Attempts to send to webhooks that are older than they are kept. */
const webhookAttemptsChore = (keptDays: number): Chore => ({
  batch: (most) => sweepWebhookAttempts(keptDays, most),
  ...slowly,
})
/** Attempts of a company beyond its budget in bytes. Looks at the companies that have sent in the last `seconds`. */
export const webhookBudgetChore = (budget: number, seconds: number, everyMilliseconds: number): CompanyChore => ({
  companies: (after, most) => companiesThatSend(seconds, after, most),
  batch: (companyId, most) => freeAttempts(companyId, budget, most),
  ...{ batchMax: 2000, everyMilliseconds },
})
/** Attempts of webhooks that are deleted. */
export const deletedWebhooksChore = (keptDays: number): CompanyChore => ({
  companies: (after, most) => companiesWithDeleted(keptDays, after, most),
  batch: sweepAttemptsOfDeleted,
  ...{ batchMax: 2000, everyMilliseconds: minute },
})
/** What a process of an earlier version has kept of requests and answers. */
export const olderAttemptsChore: Chore = { batch: emptyOlderAttempts, batchMax: 1000, everyMilliseconds: minute }

/** Calls that are older than they are kept, which become sums of their days. Decisions, Metering. */
export const callsChore = (keptDays: number): CompanyChore => ({
  companies: (after, most) => companiesWithOldCalls(keptDays, after, most),
  batch: (companyId, most) => sweepCalls(companyId, keptDays, most),
  ...slowly,
})

/** What calls said, when it is older than it is kept, or its company wants nothing of it any more. */
export const callDetailsChore = (keptDays: number): Chore => ({
  batch: (most) => sweepDetails(keptDays, most),
  ...slowly,
})
export const unwantedDetailsChore: CompanyChore = { companies: companiesWithUnwanted, batch: sweepDetailsOf, ...slowly }

/** What previews of agents were about, when it is to be forgotten; and previews that are older than calls are kept. */
export const toldPreviewsChore: CompanyChore = { companies: companiesWithTold, batch: forgetTold, ...slowly }
export const oldPreviewsChore = (keptDays: number): CompanyChore => ({
  companies: (after, most) => companiesWithOldPreviews(keptDays, after, most),
  batch: (companyId, most) => sweepPreviews(companyId, keptDays, most),
  ...slowly,
})

/** Sign-ins, exports and imports that are older than they are kept. */
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

/** How far the log was whole, once a minute: that is how old a change is, and where a closed epoch ends. */
const marksChore: Chore = { batch: () => markHorizon(50), batchMax: 2, everyMilliseconds: minute }
/** Marks of changes that are no longer told. */
const oldMarksChore = (keptDays: number): Chore => ({ batch: (most) => sweepMarks(keptDays, most), ...slowly })

/** Everything that is tidied up. */
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
  // The others too, once in an hour: the budget may be smaller than it was.
  webhookBudgetChore(keeping.webhookAttemptsBytes, 86_400 * keeping.webhookAttemptsKeptDays, 60 * minute),
  deletedWebhooksChore(keeping.webhookAttemptsKeptDays),
  olderAttemptsChore,
]

/** Tidies up while the service runs. Nothing ever depends on when, or on which process does it. */
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

/** Does one chore, until nothing of it is left. */
export const doChore = (database: Database, chore: Chore | CompanyChore, isStopped: () => boolean): Promise<number> =>
  'companies' in chore ? sweepByCompany(database, chore, isStopped) : sweep(database, chore, isStopped)

/** Batch after batch until one is not full; returns how many things were tidied. */
export async function sweep(database: Database, chore: Chore, isStopped: () => boolean): Promise<number> {
  for (let swept = 0; ; ) {
    const rows = await database.read(chore.batch(chore.batchMax))
    swept += rows.length
    if (rows.length < chore.batchMax || isStopped()) return swept
  }
}

/** The same for company after company. */
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
