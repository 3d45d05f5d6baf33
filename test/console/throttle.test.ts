import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createAccount } from '#server/service/account.ts'
import type { Company } from '../stage/stage.ts'
import { type ConsoleStage, openConsole, type Person, password, setCookies } from './stage.ts'

let stage: ConsoleStage
let admin: Person & { company: Company }
beforeAll(async () => {
  stage = await openConsole({ TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8, fd00::/8' })
  admin = await stage.admin()
})
afterAll(() => stage.close())
afterEach(() => stage.sql('delete from password_attempts'))

type AttemptOptions = { headers?: { [name: string]: string }; cookie?: string; accountId?: number }
const attempt = (email: string, given: string, { headers = {}, cookie, accountId }: AttemptOptions = {}) =>
  stage.ask('POST', '/console/session', {
    body: { email, password: given, ...(accountId === undefined ? {} : { account_id: accountId }) },
    headers,
    cookie,
  })
/** As many tries in one window as if they had been made, without the time that comparing takes. */
const triesSoFar = (attempts: number) => stage.sql('update password_attempts set attempts = $1', attempts)
const statusAfter = async (email: string, attempts: number, given: AttemptOptions = {}) => {
  await stage.sql('delete from password_attempts')
  await attempt(email, 'wrong password', given)
  await triesSoFar(attempts)
  return (await attempt(email, password, given)).status
}
const named = async (email: string, company = admin.company, own = password) => {
  const account = { name: 'N', email, password: own, permissions: [] }
  return (await stage.inTransaction((transaction) => createAccount(transaction, company.id, account))).id
}
const deviceOf = async (email: string, given: AttemptOptions = {}) => {
  const cookie = setCookies(await attempt(email, password, given)).find((one) => one.startsWith('plumbline_device='))
  expect(cookie).toMatch(/; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Lax$/)
  return cookie?.split(';')[0] as string
}

describe('Too many attempts', () => {
  test('the eleventh for one account waits, whoever asks and whatever the password [V6.3.1]', async () => {
    const person = await stage.person(admin.company)
    const answers = []
    for (let count = 0; count < 12; count++) answers.push(await attempt(person.email, 'wrong password'))
    expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(401), 429, 429])
    expect(answers[10]?.body.code).toBe('too_many_requests')
    expect(Number(answers[10]?.headers['retry-after'])).toBeGreaterThan(60)
    expect((await attempt(person.email, password)).status).toBe(429)
    await stage.sql("update password_attempts set started_at = started_at - interval '16 minutes'")
    expect((await attempt(person.email, password)).status).toBe(200)
  })

  test('many at once do not slip through, and those that were not compared do not count', async () => {
    const person = await stage.person(admin.company)
    const answers = await Promise.all(Array.from({ length: 30 }, () => attempt(person.email, 'wrong password')))
    const of = (status: number) => answers.filter((answer) => answer.status === status).length
    expect(of(401)).toBeLessThanOrEqual(10)
    expect(of(401) + of(429) + of(503)).toBe(30)
    // At most three of a network are compared and two wait; whoever is told to come back has not tried.
    expect(of(503)).toBeGreaterThan(0)
    const [row] = await stage.sql<{ least: number }>('select min(attempts) as least from password_attempts')
    expect(row?.least).toBeLessThanOrEqual(30 - of(503))
  })

  test('an address that nobody has is counted alike', async () => {
    expect(await statusAfter('stranger@example.com', 9)).toBe(401)
    expect(await statusAfter('stranger@example.com', 10)).toBe(429)
  })

  test.each([
    ['info@quay.example', 'İNFO@quay.example'],
    ['info@kay.example', 'info@Kay.example'],
    ['office@quay.example', 'ＯＦＦＩＣＥ@quay.example'],
    ['finn@quay.example', 'ﬁnn@quay.example'],
    ['jürgen@quay.example', 'JU\u0308RGEN@quay.example'],
    ['ada@quay.example', '  ADA@quay.example '],
    ['eve@quay.example', 'e\u200bve@quay.example'],
    ['ivy@quay.example', 'ivy@\u202equay.example\u2069'],
    ['max@quay.example', '\ufeffm\u00adax@quay.exam\u3164ple'],
    ['οδος@quay.example', 'ΟΔΟΣ@quay.example'],
  ])('%s and %s are one account and one count', async (email, spelled) => {
    await named(email)
    await attempt(email, 'wrong password')
    await triesSoFar(10)
    expect((await attempt(spelled, password)).status).toBe(429)
    await stage.sql('delete from password_attempts')
    const answer = await attempt(spelled, password)
    const [row] = await stage.sql<{ same: boolean }>(
      'select email_key($1) = email_key($2) as same',
      email,
      spelled.trim(),
    )
    expect(answer.status).toBe(row?.same ? 200 : 401)
  })

  test('a right password forgets the wrong ones', async () => {
    const person = await stage.person(admin.company)
    expect(await statusAfter(person.email, 9)).toBe(200)
    expect(await stage.sql('select 1 from password_attempts where attempts > 8')).toEqual([expect.anything()])
    await triesSoFar(0)
    expect((await attempt(person.email, 'wrong password')).status).toBe(401)
    const rows = await stage.sql<{ attempts: number }>('select attempts from password_attempts')
    expect(rows.map(({ attempts }) => attempts)).toEqual([1, 1])
  })

  test('but not where another account has the address: its owner could wipe out what he tries there', async () => {
    const victim = await stage.person(admin.company)
    const mine = 'my very own way to get in here'
    await named(victim.email, await stage.company(), mine)
    for (let count = 0; count < 10; count++) {
      expect((await attempt(victim.email, 'a guess at the other')).status).toBe(401)
      if (count === 4) expect((await attempt(victim.email, mine)).status).toBe(200)
    }
    expect((await attempt(victim.email, mine)).status).toBe(429)
    expect((await attempt(victim.email, 'a guess at the other')).status).toBe(429)
  })

  test('one peer has a hundred for all accounts together [V6.3.1]', async () => {
    expect(await statusAfter(admin.email, 10)).toBe(429)
    await stage.sql('delete from password_attempts')
    await attempt('one@example.com', 'wrong password')
    await triesSoFar(100)
    expect((await attempt(admin.email, password)).status).toBe(429)
  })
})

describe('Behind a proxy of TRUSTED_PROXIES', () => {
  const from = (forwarded: string): AttemptOptions => ({ headers: { 'X-Forwarded-For': forwarded } })

  test('a stranger who uses up the tries of his address leaves everybody else theirs', async () => {
    await attempt('one@example.com', 'wrong', from('203.0.113.66'))
    await triesSoFar(100)
    expect((await attempt(admin.email, password, from('203.0.113.66'))).status).toBe(429)
    expect((await attempt(admin.email, password, from('203.0.113.7'))).status).toBe(200)
  })

  test.each([
    ['203.0.113.66', '203.0.113.66', true],
    ['203.0.113.66', '198.51.100.1, 203.0.113.66', true],
    ['203.0.113.66', '203.0.113.66, 10.1.2.3', true],
    ['203.0.113.66', '203.0.113.66:4711', true],
    ['203.0.113.66', '::ffff:203.0.113.66, fd00::1', true],
    ['2001:db8:1:2::9', '[2001:db8:1:2:3:4:5:6]:443', true],
    ['2001:db8:1:2::9', '2001:db8:1:3::9', false],
    ['203.0.113.66', '203.0.113.66, 198.51.100.1', false],
    ['10.0.0.1', '203.0.113.66, nonsense, 10.0.0.1', true],
  ])('who sent %s is who sends %s: %s', async (one, other, same) => {
    await attempt('one@example.com', 'wrong', from(one))
    await triesSoFar(100)
    expect((await attempt('two@example.com', 'wrong', from(other))).status).toBe(same ? 429 : 401)
  })

  test('the session remembers the peer, and beside it what the proxy said', async () => {
    const answer = await attempt(admin.email, password, from('198.51.100.1, 203.0.113.66'))
    const cookie = setCookies(answer)[0]?.split(';')[0]
    const { data } = (await stage.ask('GET', '/console/sessions', { cookie })).body
    expect(data[0]).toMatchObject({ peer: '127.0.0.1', forwarded_for: '203.0.113.66', is_this: true })
  })

  test('the log has the peer, and beside it what the proxy said', async () => {
    const log = vi.spyOn(stage.app.log, 'info')
    const lineOf = () => log.mock.lastCall?.[0]
    await attempt('one@example.com', 'wrong', from('203.0.113.66'))
    await expect.poll(lineOf).toMatchObject({ status: 401, peer: '127.0.0.1', forwarded_for: '203.0.113.66' })
    await attempt('one@example.com', 'wrong', from('nonsense\x85'))
    await expect.poll(lineOf).not.toHaveProperty('forwarded_for')
    log.mockRestore()
  })

  test('nothing else believes the header: not the allowlist, not the recorded peer [V4.1.3] [V15.3.4]', async () => {
    const { company } = await stage.admin()
    const send = (forwarded: string) =>
      stage.send({
        method: 'GET',
        path: '/v1/clients',
        headers: [
          ['Authorization', `Bearer ${company.token}`],
          ['X-Forwarded-For', forwarded],
        ],
      })
    await company.allow(['203.0.113.66'])
    expect((await send('203.0.113.66')).body.code).toBe('ip_not_allowed')
    await company.allow(['127.0.0.1'])
    expect((await send('203.0.113.66')).status).toBe(200)
    await company.calls()
    const peers = await stage.sql('select distinct host(peer) as peer from calls where company_id = $1', company.id)
    expect(peers).toEqual([{ peer: '127.0.0.1' }])
  })

  test('without the setting nobody is believed', async () => {
    const plain = await openConsole()
    try {
      const ask = (email: string, forwarded: string) =>
        plain.ask('POST', '/console/session', {
          body: { email, password: 'wrong' },
          headers: { 'X-Forwarded-For': forwarded },
        })
      await ask('one@example.com', '203.0.113.1')
      await plain.sql('update password_attempts set attempts = 100')
      expect((await ask('two@example.com', '203.0.113.2')).status).toBe(429)
    } finally {
      await plain.close()
    }
  })
})

describe('A browser that has signed in before', () => {
  test('is not counted with strangers, whether they try its account or share its address', async () => {
    const person = await stage.person(admin.company)
    const cookie = await deviceOf(person.email)
    await stage.sql('delete from password_attempts')
    expect(await statusAfter(person.email, 100)).toBe(429)
    expect((await attempt(person.email, password, { cookie })).status).toBe(200)
  })

  test('has ten tries of its own, which lock nobody else out', async () => {
    const person = await stage.person(admin.company)
    const cookie = await deviceOf(person.email)
    await stage.sql('delete from password_attempts')
    for (let count = 0; count < 10; count++) {
      expect((await attempt(person.email, 'wrong password', { cookie })).status).toBe(401)
    }
    expect((await attempt(person.email, password, { cookie })).status).toBe(429)
    expect((await attempt(person.email, password)).status).toBe(200)
  })

  test('is known for the accounts that signed in there and for no other; several share it', async () => {
    const [one, other, stranger] = [
      await stage.person(admin.company),
      await stage.person(admin.company),
      await stage.person(admin.company),
    ]
    const first = await deviceOf(one.email)
    const both = await deviceOf(other.email, { cookie: first })
    for (const [person, expected] of [
      [one, 200],
      [other, 200],
      [stranger, 429],
    ] as const) {
      await stage.sql('delete from password_attempts')
      await attempt(person.email, 'wrong password')
      await triesSoFar(100)
      expect((await attempt(person.email, password, { cookie: both })).status).toBe(expected)
    }
  })

  test.each([
    ['changed', (text: string) => text.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))],
    ['cut off', (text: string) => text.slice(0, -1)],
    ['another', () => `plumbline_device=${'A'.repeat(88)}`],
    ['full of dots', () => `plumbline_device=${'.'.repeat(4000)}`],
  ])('shows a cookie that is signed: one that is %s is a stranger’s', async (_how, change) => {
    const person = await stage.person(admin.company)
    const cookie = await deviceOf(person.email)
    await stage.sql('delete from password_attempts')
    await attempt(person.email, 'wrong password')
    await triesSoFar(10)
    expect((await attempt(person.email, password, { cookie: change(cookie) })).status).toBe(429)
  })

  test('is a stranger to another account of the same address: who made one himself gets no tries at the other', async () => {
    const victim = await stage.person(admin.company)
    const mine = 'my very own way to get in here'
    await named(victim.email, await stage.company(), mine)
    const signedIn = await attempt(victim.email, mine)
    const cookie = setCookies(signedIn)
      .find((one) => one.startsWith('plumbline_device='))
      ?.split(';')[0] as string
    for (let count = 0; count < 11; count++) {
      await attempt(victim.email, 'a guess at the other', { cookie })
      expect((await attempt(victim.email, mine, { cookie })).status).toBe(200)
    }
    // His own account goes on; that of the other is out of reach for him, even with the right password.
    expect((await attempt(victim.email, password, { cookie })).status).toBe(401)
    expect((await attempt(victim.email, password)).status).toBe(429)
  })
})
