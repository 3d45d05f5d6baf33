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
import { type BackgroundRunner, repeat } from './in-background.ts'

type Pace = { batchMax: number; everyMilliseconds: number }

type Chore = Pace & {
  /** Sweeps one batch, at most `most` rows, so that no transaction is long. Returns a row for each swept one. */
  batch(most: number): Statement
}

type CompanyChore = Pace & {
  /** Selects the `id` of the next companies with rows to sweep, sorted by id. */
  companies(after: number, most: number): Statement
  batch(companyId: number, most: number): Statement
}

const minute = 60_000

/** The pace for rows that do no harm but take space. */
const slowPace: Pace = { batchMax: 1000, everyMilliseconds: 600_000 }
const slowly = (batch: Chore['batch']): Chore => ({ batch, ...slowPace })
const slowlyByCompany = (companies: CompanyChore['companies'], batch: CompanyChore['batch']): CompanyChore => ({
  ...{ companies, batch },
  ...slowPace,
})

/** Removes attempts beyond a company's budget in bytes, for companies that have sent in the last `seconds`. */
const budgetChore = (budget: number, seconds: number, everyMilliseconds: number): CompanyChore => ({
  companies: (after, most) => companiesThatSend(seconds, after, most),
  batch: (companyId, most) => freeAttempts(companyId, budget, most),
  ...{ batchMax: 2000, everyMilliseconds },
})

type RetentionSettings = {
  auditKeptDays: number
  callsKeptDays: number
  callDetailsKeptDays: number
  changesKeptDays: number
  webhookAttemptsKeptDays: number
  webhookAttemptsBytes: number
}

export const choresOf = ({ webhookAttemptsBytes, webhookAttemptsKeptDays, ...keeping }: RetentionSettings) => ({
  /** Removes expired stored responses. */
  answers: slowly(sweepAnswers),
  /** Removes expired sessions. */
  sessions: slowly(sweepSessions),
  signInAttempts: slowly((most) => sweepAttempts(most, attemptWindowSeconds)),
  /** Merges the changes of row counts. A total is their sum, so fewer of them make a list faster. */
  rowCounts: { batch: compactRowCounts, batchMax: 5000, everyMilliseconds: 2000 } satisfies Chore,
  /** Records once a minute how far the log is complete. The marks date changes and give the end of a closed epoch. */
  marks: { batch: () => markHorizon(50), batchMax: 2, everyMilliseconds: minute } satisfies Chore,
  /** Replaces old calls by sums of each day. Decisions, Metering. */
  calls: slowlyByCompany(
    (after, most) => companiesWithOldCalls(keeping.callsKeptDays, after, most),
    (companyId, most) => sweepCalls(companyId, keeping.callsKeptDays, most),
  ),
  /** Removes old sign-ins, exports and imports. */
  audit: slowlyByCompany(
    (after, most) => companiesWithOldAudit(keeping.auditKeptDays, after, most),
    (companyId, most) => sweepAudit(companyId, keeping.auditKeptDays, most),
  ),
  callDetails: slowly((most) => sweepDetails(keeping.callDetailsKeptDays, most)),
  /** Removes the call details of companies that store none any more. */
  unwantedDetails: slowlyByCompany(companiesWithUnwanted, sweepDetailsOf),
  /** Empties the contents of agents' previews when due. */
  toldPreviews: slowlyByCompany(companiesWithTold, forgetTold),
  /** Removes the previews that are older than calls are kept. */
  oldPreviews: slowlyByCompany(
    (after, most) => companiesWithOldPreviews(keeping.callsKeptDays, after, most),
    (companyId, most) => sweepPreviews(companyId, keeping.callsKeptDays, most),
  ),
  /** Removes the marks of changes that the feed no longer has. */
  oldMarks: slowly((most) => sweepMarks(keeping.changesKeptDays, most)),
  webhookAttempts: slowly((most) => sweepWebhookAttempts(webhookAttemptsKeptDays, most)),
  webhookBudget: budgetChore(webhookAttemptsBytes, 600, minute),
  /** Once an hour for companies that have not sent lately too: the budget may have been reduced. */
  fullWebhookBudget: budgetChore(webhookAttemptsBytes, 86_400 * webhookAttemptsKeptDays, 60 * minute),
  deletedWebhooks: {
    companies: (after: number, most: number) => companiesWithDeleted(webhookAttemptsKeptDays, after, most),
    batch: sweepAttemptsOfDeleted,
    ...{ batchMax: 2000, everyMilliseconds: minute },
  } satisfies CompanyChore,
  /** Empties the requests and answers that a process of an earlier version has stored. */
  olderAttempts: { batch: emptyOlderAttempts, batchMax: 1000, everyMilliseconds: minute } satisfies Chore,
})

/** Starts the chores. No result depends on when, or in which process, they run. */
export function startSweeper(database: Database, keeping: RetentionSettings, inBackground: BackgroundRunner) {
  let isStopped = false
  const sweeps = Object.values(choresOf(keeping)).map((chore) =>
    repeat(chore.everyMilliseconds, () => inBackground('sweep', () => sweep(database, chore, () => isStopped))),
  )
  return {
    stop: async (): Promise<void> => {
      isStopped = true
      await Promise.all(sweeps.map(({ stop }) => stop()))
    },
  }
}

/** Runs one chore to its end. Returns the number of swept rows. */
export async function sweep(database: Database, chore: Chore | CompanyChore, isStopped: () => boolean) {
  if (!('companies' in chore)) return sweepBatches(database, chore, isStopped)
  const { companies, batch, ...pace } = chore
  let [swept, after] = [0, 0]
  for (;;) {
    const some = await database.read<{ id: number }>(companies(after, pace.batchMax))
    for (const { id } of some) {
      swept += await sweepBatches(database, { batch: (most) => batch(id, most), ...pace }, isStopped)
      if (isStopped()) return swept
      after = id
    }
    if (some.length < pace.batchMax) return swept
  }
}

/** Runs batches until one is not full. */
async function sweepBatches(database: Database, chore: Chore, isStopped: () => boolean): Promise<number> {
  for (let swept = 0; ; ) {
    const rows = await database.read(chore.batch(chore.batchMax))
    swept += rows.length
    if (rows.length < chore.batchMax || isStopped()) return swept
  }
}
