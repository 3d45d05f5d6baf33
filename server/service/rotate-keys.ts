import { liftTransactionTimeout } from '#sql/system/connection.ts'
import { fenceKeys, lockRotation, type SealedRow, sealAnew, sealedRows } from '#sql/system/seal.ts'
import type { Database, Transaction } from '../store/database.ts'
import { allSealed, type SealedColumn, type SealingKeys, sealText, tryOpen } from '../store/seal.ts'

/** Replaces the current key, and then removes the former one. */
export type KeyChange = { begin(): Promise<void>; end(): Promise<void> }

/** The number of secrets that were sealed anew, and of those that no key opens, which stay unchanged. */
export type Rotation = { sealedAnew: number; unopened: number }

const batchMax = 200

/**
 * Seals all secrets with the current key. During the rotation, and if it is killed at any moment, each secret opens
 * with the current or the former key. Returns undefined if another rotation is running.
 */
export const rotateKeys = (database: Database, keys: SealingKeys, change: KeyChange): Promise<Rotation | undefined> =>
  // A transaction of its own holds the lock to the end. The others are small, so that no caller waits for a row.
  database.transaction(async (held) => {
    held.send(liftTransactionTimeout())
    const [row] = await held.run<{ locked: boolean }>(lockRotation())
    if (!row?.locked) return undefined
    await change.begin()
    const beat = () => held.run(lockRotation())
    const first = await sealAll(database, keys, beat)
    // Transactions that took the former key just before are waited for; their secrets are sealed last.
    const last = await database.transaction(async (transaction) => {
      transaction.send(liftTransactionTimeout())
      await transaction.run(fenceKeys())
      return sealAll({ transaction: (work) => work(transaction) }, keys, beat)
    })
    await change.end()
    return { sealedAnew: first.sealedAnew + last.sealedAnew, unopened: last.unopened }
  })

/** Counts the secrets that a key opens, and those that none does. */
export async function countOpened(database: Database, keys: SealingKeys) {
  const all = await keys.all()
  const count = { opened: 0, unopened: 0 }
  for (const place of allSealed) {
    for await (const rows of batches(database, place)) {
      const opened = rows.filter((row) => all.some((key) => isOpenedBy(key, row, place))).length
      count.opened += opened
      count.unopened += rows.length - opened
    }
  }
  return count
}

type Transactions = { transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> }

async function sealAll(database: Transactions, keys: SealingKeys, beat: () => Promise<unknown>): Promise<Rotation> {
  const [current = '', ...former] = await keys.all()
  const rotation = { sealedAnew: 0, unopened: 0 }
  for (const place of allSealed) {
    for await (const rows of batches(database, place)) {
      const others = rows.filter((row) => !isOpenedBy(current, row, place))
      const anew = others.flatMap((row) => {
        const boundTo = place.boundTo(row.company_id, row.id)
        const text = former.map((key) => tryOpen(key, row.sealed, boundTo)).find((found) => found !== undefined)
        return text === undefined ? [] : [sealAnew(place, row, sealText(current, text, boundTo))]
      })
      if (anew.length > 0) {
        await database.transaction((transaction) => Promise.all(anew.map((statement) => transaction.run(statement))))
      }
      rotation.sealedAnew += anew.length
      rotation.unopened += others.length - anew.length
      await beat()
    }
  }
  return rotation
}

const isOpenedBy = (key: string, { company_id, id, sealed }: SealedRow, place: SealedColumn): boolean =>
  tryOpen(key, sealed, place.boundTo(company_id, id)) !== undefined

async function* batches(database: Transactions, place: SealedColumn): AsyncGenerator<SealedRow[]> {
  let after = { companyId: 0, id: 0 }
  for (;;) {
    const rows = await database.transaction((transaction) =>
      transaction.run<SealedRow>(sealedRows(place, after, batchMax)),
    )
    if (rows.length > 0) yield rows
    const last = rows.at(-1)
    if (!last || rows.length < batchMax) return
    after = { companyId: last.company_id, id: last.id }
  }
}
