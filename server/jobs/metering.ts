import { type CallRow, insertCalls } from '#sql/system/calls.ts'
import type { Database } from '../store/database.ts'
import type { BackgroundRunner } from './in-background.ts'
import { type Spool, startSpool } from './spool.ts'

/**
 * The calls of reads and of refusals of authorization. A write logs its own call in its own transaction. Decisions,
 * Metering: a crash loses at most a second of them.
 */
export type Meter = Spool<CallRow>

export const startMeter = (database: Database, inBackground: BackgroundRunner, onLoss: (lost: number) => void): Meter =>
  startSpool(database, { insert: insertCalls, batchMax: 1000, keptMax: 100_000, onLoss, job: 'calls', inBackground })
