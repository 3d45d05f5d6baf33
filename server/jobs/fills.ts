import { hasPaper } from '#registry/definition.ts'
import { registry } from '#registry/resources/index.ts'
import { recordsToFix } from '#sql/records/fixed.ts'
import { recordsWithoutPaper } from '#sql/records/papers.ts'
import type { Statement } from '#sql/statement.ts'
import { companiesAfter } from '#sql/system/companies.ts'
import { createServiceActor, type WriteContext } from '../records/actor.ts'
import { fixRecords } from '../records/fix.ts'
import { fillPapers } from '../records/papers.ts'
import type { Database } from '../store/database.ts'
import { type BackgroundRunner, repeat } from './in-background.ts'
import { paidBefore } from './paid-before.ts'

/** Parts that earlier versions did not write: a fill adds them to the records of every company, once for each start. */
export type Fill = {
  /** Selects the `id` of the next records that lack the part, sorted by id. */
  due(companyId: number, most: number, after: number): Statement
  /** Adds the part, as the service, in one transaction. Whether a record still lacks it is seen again under its lock. */
  write(context: WriteContext, ids: readonly number[]): Promise<void>
}

/** The fills of costs that are fixed while a record is in a state. */
const costs: readonly Fill[] = registry.flatMap((definition): Fill[] =>
  definition.computed?.fixed
    ? [
        {
          due: (companyId, most, after) => recordsToFix(companyId, definition, { most, after }),
          write: (context, ids) => fixRecords(context, definition, ids),
        },
      ]
    : [],
)

/** The fills of papers of what is in the books. They run last, so that a paper shows what the others add. */
const papers: readonly Fill[] = registry.filter(hasPaper).map((definition) => ({
  due: (companyId, most, after) => recordsWithoutPaper(companyId, definition, { most, after }),
  write: (context, ids) => fillPapers(context, definition, ids),
}))

/** All fills, in the order in which they run. */
const fills: readonly Fill[] = [...costs, paidBefore, ...papers]

const everyMs = 60_000

/** Records of one transaction: few enough that others do not wait for long. */
const recordsMax = 500
const companiesMax = 1000

/** Starts the fills, a minute after the start. What fails is tried again; once all have run nothing is left to do. */
export function startFills(database: Database, inBackground: BackgroundRunner) {
  let isStopped = false
  let isDone = false
  const run = async (): Promise<void> => {
    await fillAll(database, () => isStopped)
    isDone = true
  }
  const { stop } = repeat(everyMs, async () => {
    if (!isDone) await inBackground('fill', run)
  })
  return {
    stop: (): Promise<void> => {
      isStopped = true
      return stop()
    },
  }
}

/** Runs all fills to their end. */
export async function fillAll(database: Database, isStopped: () => boolean = () => false): Promise<void> {
  for (let after = 0; !isStopped(); ) {
    const companies = await database.read<{ id: number }>(companiesAfter(after, companiesMax))
    for (const { id } of companies) for (const fill of fills) await fillCompany(database, id, fill, isStopped)
    if (companies.length < companiesMax) return
    after = companies.at(-1)?.id ?? after
  }
}

async function fillCompany(database: Database, companyId: number, { due, write }: Fill, isStopped: () => boolean) {
  for (let after = 0; !isStopped(); ) {
    const rows = await database.read<{ id: number }>(due(companyId, recordsMax, after))
    const ids = rows.map(({ id }) => id)
    const actor = createServiceActor(companyId)
    if (ids.length > 0) await database.transaction((transaction) => write({ transaction, actor }, ids))
    if (ids.length < recordsMax) return
    after = ids.at(-1) ?? after
  }
}
