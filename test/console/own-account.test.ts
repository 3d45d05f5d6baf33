import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Company } from '../stage/stage.ts'
import { type ConsoleStage, cookieOf, openConsole, type Person, password, setCookies, signIn } from './stage.ts'

let stage: ConsoleStage
let admin: Person & { company: Company }
beforeAll(async () => {
  stage = await openConsole()
  admin = await stage.admin()
})
afterAll(() => stage.close())

const next = 'quite another password'
const attempt = (email: string, given: string) =>
  stage.ask('POST', '/console/session', { body: { email, password: given } })
const isIn = async (cookie: string) => (await stage.ask('GET', '/console/me', { cookie })).status === 200

describe('One’s own account', () => {
  test('name and address change; the address asks for the password and signs in [V7.5.1]', async () => {
    const person = await stage.person(admin.company)
    const email = `${crypto.randomUUID()}@example.com`
    expect((await person.ask('PATCH', '/console/me', { name: ' Eve ', email: person.email })).status).toBe(200)
    const unasked = await person.ask('PATCH', '/console/me', { name: 'Ada', email })
    expect(unasked.body.errors).toMatchObject([{ field: 'password.current', code: 'required' }])
    const wrong = await person.ask('PATCH', '/console/me', { email, password: { current: 'not this one' } })
    expect(wrong.body.errors).toMatchObject([{ field: 'password.current', code: 'wrong_password' }])
    const answer = await person.ask('PATCH', '/console/me', { name: 'Ada', email, password: { current: password } })
    expect(answer.body.data.account).toMatchObject({ name: 'Ada', email })
    expect(setCookies(answer)).toEqual([])
    expect(await isIn(await signIn(stage.ask, email))).toBe(true)
    const [line] = await stage.sql<{ changes: object }>(
      "select changes from history where records = 'accounts' and record_id = $1 order by id desc limit 1",
      person.id,
    )
    expect(line?.changes).toEqual({ name: ['Eve', 'Ada'], email: [person.email, email] })
  })

  test('an address that another account of the company has is refused at its field', async () => {
    const person = await stage.person(admin.company)
    const body = { email: admin.email.toUpperCase(), password: { current: password } }
    const answer = await person.ask('PATCH', '/console/me', body)
    expect({ status: answer.status, errors: answer.body.errors }).toMatchObject({
      status: 422,
      errors: [{ field: 'email', code: 'not_unique' }],
    })
  })

  test('one that an account of another company has is taken, which nobody is told', async () => {
    const other = await stage.admin()
    const person = await stage.person(admin.company)
    const body = { email: other.email, password: { current: password } }
    expect((await person.ask('PATCH', '/console/me', body)).status).toBe(200)
  })

  test('a new password needs the present one, ends every session and begins another [V6.2.2] [V6.2.3] [V7.4.3]', async () => {
    const person = await stage.person(admin.company)
    const other = await signIn(stage.ask, person.email)
    const wrong = await person.ask('PATCH', '/console/me', { password: { current: 'not this one', next } })
    expect(wrong.body.errors).toMatchObject([{ field: 'password.current', code: 'wrong_password' }])
    const short = await person.ask('PATCH', '/console/me', { password: { current: password, next: 'short' } })
    expect(short.body.errors).toMatchObject([{ field: 'password.next', code: 'too_short' }])
    expect(await isIn(other)).toBe(true)
    const right = await person.ask('PATCH', '/console/me', { password: { current: password, next } })
    expect(right.status).toBe(200)
    expect(cookieOf(right)).not.toBe(person.cookie)
    expect([await isIn(cookieOf(right)), await isIn(person.cookie), await isIn(other)]).toEqual([true, false, false])
    expect((await attempt(person.email, password)).status).toBe(401)
    expect((await attempt(person.email, next)).status).toBe(200)
    const notes = await stage.sql("select changes::text from history where records = 'accounts'")
    expect(JSON.stringify(notes)).not.toContain(next)
  })

  test('whoever is signed in cannot guess the password for ever, whatever the account is called meanwhile', async () => {
    const person = await stage.person(admin.company)
    const guess = (field: object = {}) =>
      person.ask('PATCH', '/console/me', { ...field, password: { current: 'a guess', next: 'whatever it is' } })
    for (let count = 0; count < 10; count++) {
      expect((await guess()).status).toBe(422)
      // Somebody with the right to renames it in between.
      await stage.sql('update accounts set email = $2 where id = $1', person.id, `${crypto.randomUUID()}@example.com`)
    }
    expect((await guess()).status).toBe(429)
    expect((await guess({ email: 'fresh@example.com' })).status).toBe(429)
  })

  test('guesses in a session do not lock its owner out', async () => {
    const person = await stage.person(admin.company)
    for (let count = 0; count < 11; count++) {
      await person.ask('PATCH', '/console/me', { password: { current: 'a guess' } })
    }
    expect((await attempt(person.email, password)).status).toBe(200)
  })
})

describe('One’s own sessions', () => {
  test('are listed with device, address, since and last seen, the one that asks marked', async () => {
    const person = await stage.person(admin.company)
    const answer = await stage.ask('POST', '/console/session', {
      body: { email: person.email, password },
      headers: { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0\x80', 'X-Forwarded-For': '203.0.113.9' },
    })
    const { data } = (await stage.ask('GET', '/console/sessions', { cookie: cookieOf(answer) })).body
    expect(data).toHaveLength(2)
    expect(data.find(({ is_this }: { is_this: boolean }) => is_this)).toEqual({
      id: expect.any(Number),
      device: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
      peer: '127.0.0.1',
      forwarded_for: null,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      last_seen_at: expect.stringMatching(/^\d{4}-.*Z$/),
      is_this: true,
    })
    await stage.sql("update sessions set expires_at = now() where account_id = $1 and device = 'Test'", person.id)
    expect((await stage.ask('GET', '/console/sessions', { cookie: cookieOf(answer) })).body.data).toHaveLength(1)
  })

  test('are ended one by one, or all but this one [V7.5.2]', async () => {
    const person = await stage.person(admin.company)
    const [one, two, three] = [
      await signIn(stage.ask, person.email),
      await signIn(stage.ask, person.email),
      await signIn(stage.ask, person.email),
    ]
    const idOf = async (cookie: string) =>
      (await stage.ask('GET', '/console/sessions', { cookie })).body.data.find(
        ({ is_this }: { is_this: boolean }) => is_this,
      ).id
    const ended = await person.ask('DELETE', `/console/sessions/${await idOf(one)}`)
    expect(ended).toMatchObject({ status: 200, body: { data: { ended: true } } })
    expect([await isIn(one), await isIn(two), await isIn(person.cookie)]).toEqual([false, true, true])

    expect((await person.ask('DELETE', '/console/sessions')).body).toEqual({ data: { ended: 2 } })
    expect([await isIn(two), await isIn(three), await isIn(person.cookie)]).toEqual([false, false, true])

    const own = await person.ask('DELETE', `/console/sessions/${await idOf(person.cookie)}`)
    expect(setCookies(own)[0]).toMatch(/^plumbline_session=; .*Expires=Thu, 01 Jan 1970/)
    expect(await isIn(person.cookie)).toBe(false)
  })

  test('of somebody else are not there', async () => {
    const [person, colleague] = [await stage.person(admin.company), await stage.person(admin.company)]
    const [{ id }] = await colleague.data('/console/sessions')
    expect((await person.ask('DELETE', `/console/sessions/${id}`)).body.code).toBe('not_found')
    expect(await isIn(colleague.cookie)).toBe(true)
    expect(await person.data('/console/sessions')).toHaveLength(1)
    expect((await person.ask('DELETE', '/console/sessions')).body.data).toEqual({ ended: 0 })
    expect(await isIn(colleague.cookie)).toBe(true)
  })
})
