import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createAccount, setAccount } from '#server/service/account.ts'
import { openPasswordQueue, type PasswordQueue } from '#server/service/password.ts'
import { beginSession } from '#server/service/session.ts'
import { signIn as signInAs } from '#server/service/sign-in.ts'
import type { Company } from '../stage/stage.ts'
import {
  type ConsoleStage,
  cookieOf,
  openConsole,
  type Person,
  password,
  setCookie,
  setCookies,
  signIn,
} from './stage.ts'

let stage: ConsoleStage
let admin: Person & { company: Company }
beforeAll(async () => {
  stage = await openConsole()
  admin = await stage.admin()
})
afterAll(() => stage.close())

const attempt = (email: string, given: string, headers = {}) =>
  stage.ask('POST', '/console/session', { body: { email, password: given }, headers })
const isIn = async (cookie: string) => (await stage.ask('GET', '/console/me', { cookie })).status === 200
const change = (person: Person, company: Company, wanted: Parameters<typeof setAccount>[3]) =>
  stage.inTransaction((transaction) => setAccount(transaction, company.id, person.id, wanted))

describe('Signing in', () => {
  test('answers who it is and sets a cookie that no script reads [V3.3.2] [V3.3.4]', async () => {
    const answer = await attempt(admin.email.toUpperCase(), password)
    expect(answer.status).toBe(200)
    expect(answer.body.data).toMatchObject({
      account: { id: admin.id, name: 'Femi', email: admin.email },
      company: { id: admin.company.id, name: 'Harbor', currency: 'USD', plan: 'ENTERPRISE' },
      locale_hint: null,
    })
    expect(setCookie(answer)).toMatch(/^plumbline_session=[\w-]{51}; Path=\/; HttpOnly; SameSite=Lax$/)
    for (const cookie of setCookies(answer)) expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Lax$/)
    expect(answer.headers['cache-control']).toBe('no-store')
    expect((await stage.ask('GET', '/console/me', { cookie: cookieOf(answer) })).body).toEqual(answer.body)
  })

  test('leaves a line that says who and from where, and never what was typed [V16.3.1]', async () => {
    const info = vi.spyOn(stage.app.log, 'info')
    try {
      const typed = 'My-Pass word@Once.example'
      await attempt(admin.email, password)
      await attempt(admin.email, 'not the password of the account')
      await attempt(typed, password)
      await attempt(` ${typed.toLowerCase()}`, password)
      const lines = info.mock.calls.filter(([, said]) => /sign/.test(String(said)))
      const common = {
        request_id: expect.any(String),
        peer: '127.0.0.1',
        address_key: expect.stringMatching(/^[\da-f]{16}$/),
      }
      const refused = [{ ...common, code: 'unauthorized' }, 'sign-in refused']
      expect(lines).toEqual([
        [{ ...common, account_id: admin.id, company_id: admin.company.id }, 'signed in'],
        refused,
        refused,
        refused,
      ])
      const keys = lines.map(([line]) => (line as unknown as { address_key: string }).address_key)
      expect(keys[1]).toBe(keys[0])
      expect(keys[3]).toBe(keys[2])
      expect(keys[2]).not.toBe(keys[0])
      expect(JSON.stringify(info.mock.calls).toLowerCase()).not.toMatch(/once|word@|not the pass|long enough/)
    } finally {
      info.mockRestore()
    }
  })

  test('what somebody is refused leaves a line that names the account and the peer [V16.2.1] [V16.3.2] [V16.3.3]', async () => {
    const clerk = await stage.person(admin.company, [])
    const info = vi.spyOn(stage.app.log, 'info')
    try {
      expect((await clerk.get('/console/accounts')).status).toBe(403)
      await stage.ask('GET', '/console/me')
      await admin.company.call('GET', '/v1/clients', { token: null })
      const who = { peer: '127.0.0.1' }
      const lines = [
        { status: 403, path: '/console/accounts', account_id: clerk.id, company_id: admin.company.id, ...who },
        { status: 401, path: '/console/me', ...who },
        { status: 401, path: '/v1/clients', ...who },
      ]
      await vi.waitFor(() => expect(info.mock.calls.map(([line]) => line)).toMatchObject(lines))
    } finally {
      info.mockRestore()
    }
  })

  test('a session that was there before is over, so that nobody can be given one to sign in with [V7.2.4]', async () => {
    const planted = await signIn(stage.ask, admin.email)
    const answer = await stage.ask('POST', '/console/session', {
      body: { email: admin.email, password },
      cookie: planted,
    })
    expect(cookieOf(answer)).not.toBe(planted)
    expect(await isIn(planted)).toBe(false)
    expect(await isIn(cookieOf(answer))).toBe(true)
  })

  test('each time gives a session of its own, of 256 random bits [V7.2.2] [V7.2.3]', async () => {
    const origin = { device: null, peer: null, forwardedFor: null, plainName: true }
    const made = await stage.inTransaction(async (transaction) => {
      const texts: string[] = []
      for (let count = 0; count < 100; count++)
        texts.push(
          `${(await beginSession(transaction, { companyId: admin.company.id, accountId: admin.id }, origin))?.text}`,
        )
      return texts.map((text) => Buffer.from(text, 'base64url').subarray(6))
    })
    const places = made[0]?.length === 32 ? Array.from({ length: 256 }, (_, bit) => bit) : []
    const bitAt = (bytes: Buffer, bit: number): number => (bytes.readUInt8(bit >> 3) >> (bit & 7)) & 1
    expect(places.filter((bit) => new Set(made.map((bytes) => bitAt(bytes, bit))).size === 2)).toHaveLength(256)
    await stage.sql('delete from sessions where account_id = $1 and device is null', admin.id)
  })

  test('the database holds only a hash of the session', async () => {
    const cookie = await signIn(stage.ask, admin.email)
    const rows = await stage.sql('select * from sessions')
    expect(JSON.stringify(rows)).not.toContain(cookie.split('=')[1])
    const [row] = await stage.sql<{ bytes: number }>('select octet_length(id_hash) as bytes from sessions limit 1')
    expect(row?.bytes).toBe(32)
  })

  test('a wrong name, a wrong password, an account that is disabled, without a password, of a program or twice there get the same answer after the same work', async () => {
    const disabled = await stage.person(admin.company)
    await change(disabled, admin.company, { disabled: true })
    const passwordless = `${crypto.randomUUID()}@example.com`
    await stage.inTransaction((transaction) =>
      createAccount(transaction, admin.company.id, { name: 'P', email: passwordless, permissions: [] }),
    )
    const program = `${crypto.randomUUID()}@example.com`
    await stage.inTransaction((transaction) =>
      createAccount(transaction, admin.company.id, { name: 'S', email: program, permissions: [], service: true }),
    )
    const person = await stage.person(admin.company)
    const twice = await stage.person(admin.company)
    const other = await stage.company()
    await stage.inTransaction((transaction) =>
      createAccount(transaction, other.id, { name: 'T', email: twice.email, password, permissions: [] }),
    )
    const tries: { [why: string]: [string, string] } = {
      'wrong name': ['nobody@example.com', password],
      'wrong password': [person.email, 'another password, wrong'],
      disabled: [disabled.email, password],
      passwordless: [passwordless, password],
      program: [program, password],
      'twice there': [twice.email, 'another password, wrong'],
    }
    for (const [why, [email, given]] of Object.entries(tries)) {
      const answer = await attempt(email, given)
      expect({ status: answer.status, ...answer.body, request_id: '' }, why).toMatchObject({
        status: 401,
        code: 'unauthorized',
        detail: 'E-mail or password is wrong.',
        request_id: '',
      })
      expect(answer.headers['set-cookie']).toBeUndefined()
    }
    // The time is that of comparing, and that is always done as often.
    const done: unknown[] = []
    const passwords: PasswordQueue = {
      ...openPasswordQueue({ atOnceMax: 1, waitMilliseconds: 1000 }),
      matches: async (_password, hashes, count) => {
        done.push(count)
        return hashes.map(() => false)
      },
    }
    const beside: unknown[] = []
    const means = {
      database: stage.app.database,
      passwords,
      keys: await stage.app.secret.all(),
      now: new Date(),
      // A row of the audit would take a time that tells whether somebody has the address.
      beside: (work: unknown) => void beside.push(work),
    }
    const { company } = admin
    const choices = [
      { accountId: null, companyId: null },
      { accountId: null, companyId: company.id },
      { accountId: null, companyId: 999_999_999 },
      { accountId: person.id, companyId: null },
    ]
    for (const choice of choices)
      for (const [email, given] of Object.values(tries)) {
        const origin = { device: null, peer: null, forwardedFor: null, plainName: true }
        const from = { requestId: 'r', peer: null, forwardedFor: null, device: null }
        const wanted = { email, password: given, choice, peer: undefined, devices: undefined, origin, from }
        await expect(signInAs(means, wanted)).rejects.toMatchObject({ code: 'unauthorized' })
      }
    // What is sent decides how often: not which accounts there are.
    expect(done).toEqual([20, 5, 5, 1].flatMap((count) => Object.keys(tries).map(() => count)))
    expect(beside).toHaveLength(done.length)
  })

  test.each([
    ['{}', ['email', 'password']],
    ['{"email":1,"password":"x"}', ['email']],
    ['{"email":"a@b.c","password":"x","remember":true}', ['remember']],
    ['[]', ['']],
  ])('%s is refused field by field', async (raw, fields) => {
    const { status, body } = await stage.ask('POST', '/console/session', { raw })
    expect(status).toBe(422)
    expect(body.errors.map(({ field }: { field: string }) => field)).toEqual(fields)
  })

  test('an unreadable body is refused as /v1 refuses it [V3.5.2]', async () => {
    const raw = '{"email":"a","email":"b","password":"x"}'
    expect((await stage.ask('POST', '/console/session', { raw })).body.code).toBe('malformed_json')
    for (const type of ['text/plain', 'nonsense', ';', 'application/json; charset=latin1', 'multipart/form-data']) {
      const typed = { raw: '{}', headers: { 'Content-Type': type } }
      expect((await stage.ask('POST', '/console/session', typed)).body?.code, type).toBe('unsupported_media_type')
    }
    const untyped = await stage.ask('POST', '/console/session', { raw: '{}', headers: { 'Content-Type': '' } })
    expect(untyped.body.code).toBe('unsupported_media_type')
    expect((await stage.ask('POST', '/console/session')).body.code).toBe('unsupported_media_type')
    const large = { raw: `"${'x'.repeat(1024 * 1024)}"` }
    expect((await stage.ask('POST', '/console/session', large)).body.code).toBe('payload_too_large')
  })
})

describe('A session', () => {
  test('is needed [V7.2.1]', async () => {
    for (const cookie of [undefined, 'plumbline_session=', `plumbline_session=${'A'.repeat(51)}`, 'other=1']) {
      const answer = await stage.ask('GET', '/console/me', { cookie })
      expect(answer).toMatchObject({ status: 401, body: { code: 'unauthorized' } })
      expect(answer.headers['www-authenticate']).toBeUndefined()
    }
  })

  test('of another company’s number is none', async () => {
    const cookie = await signIn(stage.ask, admin.email)
    const bytes = Buffer.from(cookie.split('=')[1] as string, 'base64url')
    bytes.writeUIntBE(bytes.readUIntBE(0, 6) + 1, 0, 6)
    expect(await isIn(`plumbline_session=${bytes.toString('base64url')}`)).toBe(false)
  })

  test('ends when somebody signs out, and only that one [V7.4.1]', async () => {
    const [one, other] = [await signIn(stage.ask, admin.email), await signIn(stage.ask, admin.email)]
    const answer = await stage.ask('DELETE', '/console/session', { cookie: one })
    expect(answer.status).toBe(204)
    expect(setCookie(answer)).toMatch(/^plumbline_session=; .*Expires=Thu, 01 Jan 1970/)
    expect([await isIn(one), await isIn(other)]).toEqual([false, true])
    expect((await stage.ask('DELETE', '/console/session')).status).toBe(204)
  })

  test('takes what the browser kept of us along, and says so again to who shows it once it is over [V14.3.1] [V14.3.2]', async () => {
    const cookie = await signIn(stage.ask, admin.email)
    const cleared = async (method: string, path: string, shown?: string) =>
      (await stage.ask(method, path, shown === undefined ? {} : { cookie: shown })).headers['clear-site-data']
    expect(await cleared('GET', '/console/me', cookie)).toBe(undefined)
    expect(await cleared('DELETE', '/console/session', cookie)).toBe('"cache"')
    expect(await cleared('GET', '/console/me', cookie)).toBe('"cache"')
    expect(await cleared('GET', '/console/me')).toBe(undefined)
  })

  test.each([
    ['is over after 12 hours in which nothing was asked', "last_seen_at = now() - interval '12 hours 1 second'", false],
    ['goes on while it is used', "last_seen_at = now() - interval '11 hours 59 minutes'", true],
    ['is over after 30 days in any case', "expires_at = now() - interval '1 second'", false],
  ])('%s [V7.3.1] [V7.3.2]', async (_why, moved, alive) => {
    const person = await stage.person(admin.company)
    await stage.sql(`update sessions set ${moved} where account_id = $1`, person.id)
    expect(await isIn(person.cookie)).toBe(alive)
    const [row] = await stage.sql<{ fresh: boolean }>(
      "select last_seen_at > now() - interval '1 minute' as fresh from sessions where account_id = $1",
      person.id,
    )
    if (alive) expect(row?.fresh).toBe(true)
  })

  test('ends with a disabled account, at once, and does not come back with it [V7.4.2]', async () => {
    const person = await stage.person(admin.company)
    await change(person, admin.company, { disabled: true })
    expect(await isIn(person.cookie)).toBe(false)
    await change(person, admin.company, { disabled: false })
    expect(await isIn(person.cookie)).toBe(false)
  })

  test('has the rights of this moment', async () => {
    const person = await stage.person(admin.company)
    expect((await person.get('/console/records/clients')).status).toBe(200)
    await change(person, admin.company, { permissions: [] })
    expect((await person.get('/console/records/clients')).status).toBe(403)
  })

  test('a permission that is lost while a write waits stops the write [V16.5.3]', async () => {
    const person = await stage.person(admin.company)
    let write: Promise<{ status: number }> | undefined
    await stage.inTransaction(async (transaction) => {
      await setAccount(transaction, admin.company.id, person.id, { permissions: [] })
      write = person.ask('POST', '/console/records/clients', { name: 'Too late' })
      await new Promise((resolve) => setTimeout(resolve, 200))
    })
    expect((await write)?.status).toBe(403)
  })
})
