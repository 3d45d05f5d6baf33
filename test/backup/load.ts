import { definitionOf, registry } from '#registry/resources/index.ts'
import type { App } from '#server/app.ts'
import { operator } from '#server/records/actor.ts'
import { createRecord } from '#server/records/write-record.ts'

/** A write that was answered, and where the database was before it began and after it was answered. */
export type AnsweredWrite = { name: string; before: Place; after: Place }

/** By PostgreSQL's log, flushed, and by its clock. */
type Place = { position: bigint; at: Date }

export type Load = { answered: AnsweredWrite[]; stop(): Promise<AnsweredWrite[]> }

/** Writers that make records one after the other, by the services, until they are stopped. */
export function startLoad(app: App, companyId: number, writers: number, run: string): Load {
  const answered: AnsweredWrite[] = []
  let stopped = false
  const trades = definitionOf(registry, 'trades')
  if (!trades) throw new Error('there are no trades')
  const write = async (writer: number): Promise<void> => {
    for (let turn = 0; !stopped; turn++) {
      const name = `${run} ${writer} ${turn}`
      const before = await placeOf(app)
      await app.database.transaction((transaction) => createRecord(transaction, operator(companyId), trades, { name }))
      answered.push({ name, before, after: await placeOf(app) })
    }
  }
  const writing = Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))
  return {
    answered,
    async stop() {
      stopped = true
      await writing
      return answered
    },
  }
}

export async function placeOf({ database }: App): Promise<Place> {
  const [row] = await database.read<{ position: string; at: Date }>({
    text: 'select pg_current_wal_flush_lsn()::text as position, clock_timestamp() as at',
    values: [],
  })
  if (!row) throw new Error('the database said nothing')
  return { position: positionOf(row.position), at: row.at }
}

export const positionOf = (text: string): bigint => {
  const [high = '', low = ''] = text.split('/')
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}

/** What a restored database lacks of what it must have, and has of what it must not have. */
export function differences(
  answered: readonly AnsweredWrite[],
  found: ReadonlySet<string>,
  { has, lacks }: { has(one: AnsweredWrite): boolean; lacks(one: AnsweredWrite): boolean },
): { expected: number; lost: string[]; tooMuch: string[] } {
  const must = answered.filter(has)
  return {
    expected: must.length,
    lost: must.flatMap(({ name }) => (found.has(name) ? [] : [name])),
    tooMuch: answered.filter(lacks).flatMap(({ name }) => (found.has(name) ? [name] : [])),
  }
}
