import { afterEach, describe, expect, test, vi } from 'vitest'
import { openPasswordQueue } from '#server/service/password.ts'

/** `inStep`: every comparison takes one turn of the event loop, so that their order is that of their beginnings. */
const compared = vi.hoisted(() => ({ count: 0, inStep: false }))
vi.mock('@node-rs/argon2', async (original) => {
  const { hash, verify } = await original<typeof import('@node-rs/argon2')>()
  const counting: typeof verify = (...given) => {
    compared.count++
    return compared.inStep ? new Promise((resolve) => setImmediate(() => resolve(false))) : verify(...given)
  }
  return { hash, verify: counting }
})
afterEach(() => {
  Object.assign(compared, { count: 0, inStep: false })
})

describe('The queue of hashes', () => {
  test('keeps a place for those who are known, and at most two strangers of a network wait', async () => {
    const passwords = openPasswordQueue({ atOnceMax: 2, waitMilliseconds: 10_000 })
    // What is compared where there is no hash is made once.
    await passwords.matches('a password', [], 1, 'known')
    compared.inStep = true
    const done: string[] = []
    const ask = (who: string, from: Parameters<typeof passwords.matches>[3]) =>
      passwords.matches('a password', [], 2, from).then(
        () => void done.push(who),
        ({ code }: { code: string }) => void done.push(`${who} ${code}`),
      )
    const all = [1, 2, 3, 4, 5].map((count) => ask(`stranger ${count}`, { stranger: 'one' }))
    all.push(ask('of another network', { stranger: 'other' }), ask('known', 'known'))
    await Promise.all(all)
    // One is compared, two wait, and the others are told at once.
    expect(done.slice(0, 2)).toEqual(['stranger 4 unavailable', 'stranger 5 unavailable'])
    expect(done.slice(2, 4).toSorted()).toEqual(['known', 'stranger 1'])
    expect(done.slice(4).toSorted()).toEqual(['of another network', 'stranger 2', 'stranger 3'])
  })

  test('few are hashed at once; who waits too long is told to come back', async () => {
    const passwords = openPasswordQueue({ atOnceMax: 1, waitMilliseconds: 20 })
    const results = await Promise.allSettled(Array.from({ length: 40 }, () => passwords.hash('a password to hash')))
    const refused = results.filter((result) => result.status === 'rejected')
    expect(refused.length).toBeGreaterThan(0)
    for (const { reason } of refused) expect(reason).toMatchObject({ code: 'unavailable' })
    expect(results[0]?.status).toBe('fulfilled')
  })
})

describe('Comparing', () => {
  test.each([0, 1, 2, 5])('with %i hashes is as much work as with five', async (count) => {
    const passwords = openPasswordQueue({ atOnceMax: 2, waitMilliseconds: 10_000 })
    const right = await passwords.hash('x')
    const wrong = await passwords.hash('y')
    const hashes = [right, wrong, wrong, right, wrong].slice(0, count)
    const expected = [true, false, false, true, false].slice(0, count)
    expect(await passwords.matches('x', hashes, 5, 'known')).toEqual(expected)
    expect(compared.count).toBe(5)
  })

  test('looks at the whole of a password, however long', async () => {
    const passwords = openPasswordQueue({ atOnceMax: 2, waitMilliseconds: 10_000 })
    const long = '😀'.repeat(128)
    const hash = await passwords.hash(long)
    expect(await passwords.isRight(long, hash)).toBe(true)
    expect(await passwords.isRight(`${long}x`, hash)).toBe(false)
    expect(await passwords.isRight('x'.repeat(1_000_000), hash)).toBe(false)
  })
})
