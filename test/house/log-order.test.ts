import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Company, openStage, type Stage } from '../stage/stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage({ DATABASE_CONNECTIONS: '32' })
})
afterAll(() => stage.close())

const writers = 32
const each = 30

/** Most writers meet on the record itself; of the others this process lets one at a time have it. */
const goingAlone = (writer: number) => (writer % 8 > 0 ? { Prefer: 'return=representation' } : {})

/** Updates the record, again where the wait for it was longer than the service waits: a 503 has changed nothing. */
async function update(own: Company, id: number, writer: number, notes: string): Promise<void> {
  const call = () => own.call('PATCH', `/v1/clients/${id}`, { body: { notes }, headers: goingAlone(writer) })
  let { status, text } = await call()
  while (status === 503) ({ status, text } = await call())
  expect(status, text).toBe(200)
}

/** Changes of one record whose place lies before that of the change that they follow. */
const fallen = (place: string): Promise<unknown[]> =>
  stage.sql(
    `select 1 from (
      select version, ${place} as place, id, lag(${place}) over by_version as before, lag(id) over by_version as id_before
      from history join xids on (xids.history_id = history.id) where records = 'clients'
      window by_version as (order by version)
    ) changes where (place, id) < (before, id_before)`,
  )

test('The position never falls along the versions of a record, where the plain transaction id does', async () => {
  const own = await stage.company()
  const id = await own.create('clients', { name: 'Contested' })
  // Beside each change, the id that its transaction got when it first held something, as a token's row.
  await stage.sql('create table xids (history_id bigint primary key, place xid8 not null)')
  await stage.sql(`create function note_xid() returns trigger language plpgsql as
    'begin insert into xids values (new.id, pg_current_xact_id()); return new; end'`)
  await stage.sql('create trigger note_xid after insert on history for each row execute function note_xid()')
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      for (let round = 0; round < each; round++) await update(own, id, writer, `${writer} ${round}`)
    }),
  )
  const [last] = await stage.sql<{ version: number }>('select version from clients where id = $1', id)
  expect(last?.version).toBe(writers * each + 1)
  expect(await fallen('pos')).toEqual([])
  expect((await fallen('xids.place')).length).toBeGreaterThan(0)
})

test('Ids of the log are given one by one, so that they rise along the versions', async () => {
  const [row] = await stage.sql<{ cache: number }>(
    "select seqcache as cache from pg_sequence where seqrelid = pg_get_serial_sequence('history', 'id')::regclass",
  )
  expect(row?.cache).toBe(1)
})
