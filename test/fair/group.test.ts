import { describe, expect, test } from 'vitest'
import { Fault } from '#server/store/faults.ts'
import { createGroups, type GroupedWrite } from '#server/writes/group.ts'

type Member = GroupedWrite<string> & { name: string }

/** Groups whose transactions are answered by hand. */
function opened({ waitMs = 60_000, places = 4, placeMs = 60_000 } = {}) {
  const left: { names: string[]; answer(results: (string | undefined)[]): void; fail(error: unknown): void }[] = []
  const alone: { name: string; end(): void }[] = []
  const heard: number[] = []
  const redone: number[] = []
  const groups = createGroups<Member, string>({
    waitMs,
    ...{ places, placeMs },
    together: (members) =>
      new Promise((resolve, reject) => {
        left.push({ names: members.map(({ name }) => name), answer: resolve, fail: reject })
      }),
    onGroup: (rows) => heard.push(rows),
    onRedone: (rows) => redone.push(rows),
  })
  const run = (name: string, more: Partial<Member> = {}) => {
    const { companyId = 1 } = more
    const done = groups.run({
      ...{ name, companyId, share: { key: companyId }, likeness: 'alike', key: undefined, holds: [], bytes: 100 },
      alone: () => new Promise((resolve) => alone.push({ name, end: () => resolve(`${name} alone`) })),
      ...more,
    })
    // A write that still waits when its test is over is refused later, while another file is tested.
    done.catch(() => undefined)
    return done
  }
  return { left, alone, heard, redone, run }
}

const aTurn = () => new Promise((resolve) => setImmediate(resolve))
const names = (count: number, from = 0) => Array.from({ length: count }, (_, n) => `${from + n}`)

describe('Who leaves together', () => {
  test('one that comes by itself takes the road alone, at once', async () => {
    const { left, alone, run } = opened()
    const done = run('a')
    await aTurn()
    expect([left.length, alone.map(({ name }) => name)]).toEqual([0, ['a']])
    alone[0]?.end()
    expect(await done).toBe('a alone')
  })

  test('two groups of a company are under way at once; what comes meanwhile fills the next, up to 32', async () => {
    const { left, run, heard } = opened()
    const first = names(40).map((name) => run(name))
    await aTurn()
    const more = names(10, 40).map((name) => run(name))
    await aTurn()
    expect(left.map(({ names }) => names.length)).toEqual([32, 8])
    for (const one of [...left]) one.answer(one.names)
    expect(await Promise.all(first)).toEqual(names(40))
    await aTurn()
    expect(left.map(({ names }) => names.length)).toEqual([32, 8, 10])
    left[2]?.answer(left[2].names)
    expect(await Promise.all(more)).toEqual(names(10, 40))
    expect(heard).toEqual([32, 8, 10])
  })

  test('another company has groups of its own', async () => {
    const { left, run } = opened()
    for (const name of names(70)) void run(name)
    for (const name of names(3)) void run(name, { companyId: 2 })
    await aTurn()
    expect(left.map(({ names }) => names.length)).toEqual([32, 3, 32])
  })

  type Row = { why: string; members: Partial<Member>[]; groups: string[][] }
  const rows: Row[] = [
    {
      why: 'another caller, peer or route',
      members: [{}, { likeness: 'other' }, {}, { likeness: 'other' }],
      groups: [
        ['0', '2'],
        ['1', '3'],
      ],
    },
    {
      why: 'more than 256 KiB of bodies',
      members: [{ bytes: 200_000 }, { bytes: 100_000 }, { bytes: 50_000 }, {}],
      groups: [['0', '2', '3'], []],
    },
    {
      why: 'a record, a unique value or a tree that is in the group, or under way',
      members: [{ holds: ['clients 1'] }, { holds: ['clients 1'] }, { holds: ['clients 2'] }],
      groups: [['0', '2'], []],
    },
    {
      why: 'a key that is in the group',
      members: [{ key: 'k' }, { key: 'k' }, { key: 'l' }],
      groups: [['0', '2'], []],
    },
  ]
  test.each(rows)('$why goes with others, or later', async ({ members, groups }) => {
    const { left, alone, run } = opened()
    for (const [n, member] of members.entries()) void run(`${n}`, member)
    await aTurn()
    expect(left.map(({ names }) => names)).toEqual(groups.filter((group) => group.length > 1))
    expect(alone.length).toBeLessThanOrEqual(1)
  })

  test('a call whose key is under way goes alone at once, and hears that', async () => {
    const { left, alone, run } = opened()
    for (const name of names(2)) void run(name, { key: `k${name}` })
    await aTurn()
    expect(left).toHaveLength(1)
    void run('again', { key: 'k0' })
    expect(alone.map(({ name }) => name)).toEqual(['again'])
  })
})

describe('What a group did not do', () => {
  test('a row without a result goes alone, and the others are done', async () => {
    const { left, alone, run, redone } = opened()
    const done = names(3).map((name) => run(name))
    await aTurn()
    left[0]?.answer(['0', undefined, '2'])
    await aTurn()
    expect(alone.map(({ name }) => name)).toEqual(['1'])
    alone[0]?.end()
    expect(await Promise.all(done)).toEqual(['0', '1 alone', '2'])
    expect(redone).toEqual([1])
  })

  const refused: { why: string; error: unknown }[] = [
    { why: 'a unique value was taken meanwhile', error: Object.assign(new Error('unique'), { code: '23505' }) },
    { why: 'a deadlock', error: Object.assign(new Error('deadlock'), { code: '40P01' }) },
    { why: 'a lock took too long', error: new Fault('unavailable', { code: '55P03' }) },
    { why: 'a statement took too long', error: new Fault('unavailable', { code: '57014' }) },
  ]
  test.each(refused)('after $why, of which PostgreSQL told, each row goes alone', async ({ error }) => {
    const { left, alone, run } = opened()
    const done = names(2).map((name) => run(name))
    await aTurn()
    left[0]?.fail(error)
    await aTurn()
    for (const one of alone) one.end()
    expect(await Promise.all(done)).toEqual(['0 alone', '1 alone'])
  })

  const over: { why: string; error: unknown }[] = [
    { why: 'a lost connection', error: new Fault('unavailable', { code: 'ECONNRESET' }) },
    { why: 'no connection', error: new Fault('unavailable', new Error('a request waited too long for a connection')) },
    { why: 'a commit whose answer is not known', error: new Fault('outcome_unknown', { code: '08006' }) },
  ]
  test.each(over)('after $why nothing is sent again', async ({ error }) => {
    const { left, alone, run } = opened()
    const done = names(2).map((name) => run(name))
    await aTurn()
    left[0]?.fail(error)
    expect(await Promise.allSettled(done)).toEqual(done.map(() => ({ status: 'rejected', reason: error })))
    expect(alone).toEqual([])
  })
})

describe('Groups of the process', () => {
  test('while all places are taken, calls of a company wait and leave together', async () => {
    const { left, alone, run } = opened({ places: 1 })
    void run('a')
    await aTurn()
    for (const companyId of [2, 3, 2, 3]) {
      void run(`of ${companyId}`, { companyId })
      await aTurn()
    }
    expect(left).toEqual([])
    alone[0]?.end()
    await expect.poll(() => left.length).toBe(1)
    left[0]?.answer(left[0].names)
    await expect
      .poll(() => left.map(({ names }) => names))
      .toEqual([
        ['of 2', 'of 2'],
        ['of 3', 'of 3'],
      ])
  })

  test('one company takes no more than its turns', async () => {
    const { left, run } = opened({ places: 1 })
    for (const name of names(96)) void run(name)
    for (const name of names(3)) void run(name, { companyId: 2 })
    await aTurn()
    left[0]?.answer(left[0].names)
    await expect.poll(() => left.map(({ names }) => names.length)).toEqual([32, 3])
  })

  test('all calls of a network that only claim to be of companies share one turn', async () => {
    const { alone, run } = opened({ places: 1 })
    const end = () => alone.shift()?.end()
    void run('first')
    await aTurn()
    for (const companyId of [5, 6, 7]) void run(`claims ${companyId}`, { companyId, share: { key: '192.0.2.1' } })
    void run('of 5', { companyId: 5 })
    const order: string[] = []
    for (const _ of names(4)) {
      end()
      await expect.poll(() => alone.length).toBe(1)
      order.push(alone[0]?.name ?? '')
    }
    expect(order).toEqual(['claims 5', 'of 5', 'claims 6', 'claims 7'])
  })

  test('calls that only claim to be of a company keep none of its own from starting', async () => {
    const { alone, run } = opened()
    for (const name of names(3)) void run(name, { likeness: name, share: { key: '192.0.2.1' } })
    void run('own', { likeness: 'own' })
    await aTurn()
    expect(alone.map(({ name }) => name).toSorted()).toEqual(['0', '1', 'own'])
  })

  test('a slow group gives its place to another company', async () => {
    const { alone, run } = opened({ places: 1, placeMs: 10 })
    void run('slow')
    void run('other', { companyId: 2 })
    await aTurn()
    await expect.poll(() => alone.map(({ name }) => name)).toEqual(['slow', 'other'])
  })
})

test('A group that waits longer than its patience no longer keeps the next from leaving', async () => {
  const { left, run } = opened()
  for (const name of names(96)) void run(name)
  await aTurn()
  expect(left).toHaveLength(2)
  await expect.poll(() => left.length).toBe(3)
})

test('A write whose turn does not come in time is told that the service is unavailable', async () => {
  const { run, alone } = opened({ waitMs: 50 })
  void run('first', { holds: ['clients 1'] })
  await aTurn()
  await expect(run('second', { holds: ['clients 1'] })).rejects.toMatchObject({ code: 'unavailable' })
  expect(alone.map(({ name }) => name)).toEqual(['first'])
})

test('A write takes the turn that its company has kept from one that waited too long', async () => {
  const { run, alone } = opened({ waitMs: 100, places: 1 })
  const first = run('first')
  await aTurn()
  await expect(run('late')).rejects.toMatchObject({ code: 'unavailable' })
  const other = run('other', { companyId: 2 })
  alone[0]?.end()
  await first
  // Its company is idle now, and has its turn still.
  await new Promise((resolve) => process.nextTick(resolve))
  void run('next')
  await expect.poll(() => alone.map(({ name }) => name)).toEqual(['first', 'next'])
  await expect(other).rejects.toMatchObject({ code: 'unavailable' })
})
