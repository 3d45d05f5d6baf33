import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Definition } from '#registry/definition.ts'
import { type ConsoleStage, openConsole, type Person } from '../console/stage.ts'
import { createJars } from '../stage/jars.ts'
import type { Company } from '../stage/stage.ts'

vi.mock(import('#registry/resources/index.ts'), async (original) => {
  const resources = await original()
  const { madeUp } = await import('../stage/jars.ts')
  return { ...resources, registry: [...resources.registry, ...(madeUp as readonly Definition[])] }
})

let stage: ConsoleStage
let admin: Person & { company: Company }
beforeAll(async () => {
  stage = await openConsole()
  await createJars(stage)
  admin = await stage.admin()
})
afterAll(() => stage.close())

const create = async (records: string, body: object): Promise<number> => {
  const answer = await admin.ask('POST', `/console/records/${records}`, body)
  if (answer.status !== 201) throw new Error(answer.text)
  return answer.body.data.id
}
const jarOf = async (id: number) => {
  const { paid_minor, status } = await admin.data(`/console/records/jars/${id}`)
  return [paid_minor, status]
}
const historyOf = async (id: number): Promise<[string, string[]][]> =>
  (await admin.data(`/console/records/jars/${id}/history`)).map(
    ({ write_id, changes }: { write_id: string; changes: object | null }) => [write_id, Object.keys(changes ?? {})],
  )

describe('A record that is settled follows the records that refer to it, in the same write', () => {
  test('through creates, steps, moves to another record, deletions and restores', async () => {
    const [one, other] = [await create('jars', { name: 'One' }), await create('jars', { name: 'Other' })]
    const coin = await create('coins', { jar_id: one, amount_minor: 60, fee_minor: 5 })
    expect(await jarOf(one)).toEqual([55, 'OPEN'])
    const more = await create('coins', { jar_id: one, amount_minor: 45 })
    expect(await jarOf(one)).toEqual([100, 'FULL'])
    const move = await admin.ask('PATCH', `/console/records/coins/${coin}`, { jar_id: other })
    expect([move.status, await jarOf(one), await jarOf(other)]).toEqual([200, [45, 'OPEN'], [55, 'OPEN']])
    await admin.ask('PATCH', `/console/records/coins/${more}`, { status: 'OUT' })
    expect(await jarOf(one)).toEqual([0, 'OPEN'])
    await admin.ask('DELETE', `/console/records/coins/${coin}`)
    expect(await jarOf(other)).toEqual([0, 'OPEN'])
    const [{ id: removal }] = await admin.data('/console/removals')
    expect((await admin.ask('POST', `/console/removals/${removal}/restore`)).status).toBe(200)
    expect(await jarOf(other)).toEqual([55, 'OPEN'])
    const history = await historyOf(one)
    expect(history.map(([, fields]) => fields)).toEqual([
      ['paid_minor'],
      ['paid_minor', 'status'],
      ['paid_minor', 'status'],
      ['paid_minor'],
      [],
    ])
    expect(history[1]?.[0]).toBe(move.headers['x-write-id'])
  })

  test('through a batch and its undo', async () => {
    const jar = await create('jars', { name: 'Of many' })
    const body = {
      mode: 'all',
      operations: [70, 40].map((amount_minor) => ({
        op: 'create',
        records: 'coins',
        body: { jar_id: jar, amount_minor },
      })),
    }
    const { batchCommand } = await import('#server/records/batch.ts')
    const { readBatch } = await import('#derive/batch.ts')
    const { registry } = await import('#registry/resources/index.ts')
    const { runCommand } = await import('#server/records/write-record.ts')
    const { undo } = await import('#server/records/undo.ts')
    const { operator } = await import('#server/records/actor.ts')
    const author = operator(admin.company.id)
    await stage.inTransaction((transaction) =>
      runCommand(
        transaction,
        author,
        batchCommand(readBatch(body, registry), false, { requestId: '', errorsPage: '' }),
      ),
    )
    expect(await jarOf(jar)).toEqual([110, 'FULL'])
    const taken = await stage.inTransaction((transaction) =>
      runCommand(transaction, operator(admin.company.id), undo(admin.company.id, author.writeId)),
    )
    expect([taken.records, await jarOf(jar)]).toEqual([2, [0, 'OPEN']])
  })

  test('A refusal and a dry-run settle nothing, and the preview shows the record that would be settled.', async () => {
    const jar = await create('jars', { name: 'Shown' })
    const coin = { jar_id: jar, amount_minor: 100 }
    const { body } = await admin.ask('POST', '/console/records/coins', coin, { 'X-Dry-Run': '1' })
    expect(body.plan.changes.map(({ records }: { records: string }) => records).toSorted()).toEqual(['coins', 'jars'])
    expect((await admin.ask('POST', '/console/records/coins', { jar_id: jar })).status).toBe(422)
    expect(await jarOf(jar)).toEqual([0, 'OPEN'])
  })

  test('Of many at once each is added, and none is lost.', async () => {
    const jar = await create('jars', { name: 'Crowded', goal_minor: 1_000_000 })
    await Promise.all(Array.from({ length: 20 }, (_, n) => create('coins', { jar_id: jar, amount_minor: n + 1 })))
    expect(await jarOf(jar)).toEqual([210, 'OPEN'])
  })

  test('Coins that change places between two jars at once wait for each other and never in a circle.', async () => {
    const [one, other] = [await create('jars', { name: 'A' }), await create('jars', { name: 'B' })]
    const coins = await Promise.all(
      Array.from({ length: 10 }, (_, n) => create('coins', { jar_id: n % 2 ? one : other, amount_minor: 1 })),
    )
    const moved = await Promise.all(
      coins.map((coin, n) => admin.ask('PATCH', `/console/records/coins/${coin}`, { jar_id: n % 2 ? other : one })),
    )
    expect(moved.map(({ status }) => status)).toEqual(coins.map(() => 200))
    expect([await jarOf(one), await jarOf(other)]).toEqual([
      [5, 'OPEN'],
      [5, 'OPEN'],
    ])
  })
})

describe('Rules judge by sums', () => {
  test('A state that is calculated is no step, and a step is judged on what is sent.', async () => {
    const jar = await create('jars', { name: 'Full' })
    await create('coins', { jar_id: jar, amount_minor: 100 })
    expect(await jarOf(jar)).toEqual([100, 'FULL'])
    const sent = await admin.ask('PATCH', `/console/records/jars/${jar}`, { status: 'OPEN' })
    expect(sent.body.errors.map(({ code }: { code: string }) => code)).toEqual(['transition_not_allowed'])
  })

  test('A record with coins is not shut, and a coin does not come into one that is.', async () => {
    const jar = await create('jars', { name: 'Shut', goal_minor: 5 })
    const coin = await create('coins', { jar_id: jar, amount_minor: 1 })
    const shut = () => admin.ask('PATCH', `/console/records/jars/${jar}`, { status: 'SHUT' })
    expect((await shut()).body.errors).toMatchObject([{ field: 'status', code: 'not_allowed' }])
    await admin.ask('PATCH', `/console/records/coins/${coin}`, { status: 'OUT' })
    expect((await shut()).status).toBe(200)
    const late = await admin.ask('POST', '/console/records/coins', { jar_id: jar, amount_minor: 1 })
    expect(late.body.errors).toMatchObject([{ field: 'jar_id', code: 'not_allowed' }])
  })

  test('Of two that together are too much for a shelf one is refused, whichever comes first.', async () => {
    for (let n = 0; n < 10; n++) {
      const project_id = await admin.company.record('projects', { name: `Shelf ${n}` })
      const put = (name: string) => admin.ask('POST', '/console/records/jars', { name, project_id, weight_minor: 600 })
      const statuses = (await Promise.all([put('One'), put('Other')])).map(({ status }) => status)
      expect(statuses.toSorted()).toEqual([201, 422])
    }
  })

  test('The record itself is left out of a sum over its own sort.', async () => {
    const project_id = await admin.company.record('projects', { name: 'Own shelf' })
    const jar = await create('jars', { name: 'Heavy', project_id, weight_minor: 600 })
    const answer = await admin.ask('PATCH', `/console/records/jars/${jar}`, { weight_minor: 900 })
    expect(answer.status).toBe(200)
  })
})

test('A rule gets the company’s day, which is in the hash of a plan where a rule has read it, and nowhere else.', async () => {
  const systemClock = stage.app.clock
  const moveTo = (day: string) => {
    stage.app.clock = { ...systemClock, now: () => new Date(`${day}T12:00:00Z`) }
  }
  const jar = await create('jars', { name: 'Dated' })
  const put = (put_on: string | null, headers: { [name: string]: string }) =>
    admin.ask('POST', '/console/records/coins', { jar_id: jar, amount_minor: 1, put_on }, headers)
  const hashOf = async (put_on: string | null) => (await put(put_on, { 'X-Dry-Run': '1' })).body.plan.hash
  moveTo('2026-06-15')
  const late = await put('2026-06-16', {})
  expect(late.body.errors).toMatchObject([{ field: 'put_on', code: 'out_of_range' }])
  const [dated, undated] = [await hashOf('2026-06-15'), await hashOf(null)]
  expect([await hashOf('2026-06-15'), await hashOf(null)]).toEqual([dated, undated])
  moveTo('2026-06-16')
  expect(await hashOf(null)).toBe(undated)
  const changed = await put('2026-06-15', { 'If-Plan': `"${dated}"` })
  expect([changed.status, changed.body.code]).toEqual([412, 'plan_changed'])
  expect((await put('2026-06-15', { 'If-Plan': `"${await hashOf('2026-06-15')}"` })).status).toBe(201)
  stage.app.clock = systemClock
})
