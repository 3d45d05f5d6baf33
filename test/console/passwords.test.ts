import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { passwordProblem, passwordStrength } from '#derive/password.ts'
import { hashPassword } from '#server/service/password.ts'
import type { Company } from '../stage/stage.ts'
import { type ConsoleStage, openConsole, type Person, password, signIn } from './stage.ts'

let stage: ConsoleStage
let admin: Person & { company: Company }
beforeAll(async () => {
  stage = await openConsole()
  admin = await stage.admin()
})
afterAll(() => stage.close())

const owner = {
  email: 'grace.okafor@quay.example',
  name: 'Grace Okafor',
  company: 'Harbor Masonry',
  host: 'erp.lighthouse.example',
}

describe('A new password', () => {
  test.each([
    ['kettle mossy ferry', undefined],
    ['x7$Qm!pw:R', undefined],
    ['😀🐸🦑🍋🚲🧭🪁🥁', undefined],
    ['wörter über brücken', undefined],
    ['qT7$kz!', 'too_short'],
    ['🐸'.repeat(7), 'too_short'],
    [`${'kettle mossy ferry '.repeat(6)}${'x'.repeat(14)}`, undefined],
    [`${'kettle mossy ferry '.repeat(6)}${'x'.repeat(15)}`, 'too_long'],
    ['password1', 'too_weak'],
    ['P@ssw0rd', 'too_weak'],
    ['12345678', 'too_weak'],
    ['qwertyuiop', 'too_weak'],
    ['aaaaaaaaaaaaaaaaaaaaaaaa', 'too_weak'],
    ['plumbline1', 'too_weak'],
    ['gracegrace', 'too_weak'],
    ['Okafor2026', 'too_weak'],
    ['letmein!letmein', 'too_weak'],
    ['Harbor Masonry 2026', 'too_weak'],
    ['harbor-harbor-1!', 'too_weak'],
    ['lighthouse.example', 'too_weak'],
    ['Correct-Horse-Battery-Staple!', 'too_weak'],
    ['My voice is my passport. Verify me.', 'too_weak'],
    ['pony7?71867-79', undefined],
    ['harbor kettle mossy', undefined],
    ['lighthouse9!4#7&2@', undefined],
    ['GRACE.OKAFOR@quay.example', 'too_weak'],
  ])('%s: %s [V6.2.1] [V6.2.4] [V6.2.5] [V6.2.9] [V6.2.11] [V6.2.12]', (given, code) => {
    expect(passwordProblem(given, owner, 'password')?.code).toBe(code)
  })

  test('is looked at by its first hundred characters, so a million cost no more', () => {
    const long = 'kettle mossy ferry '.repeat(50_000)
    expect(passwordStrength(long, owner)).toBe(passwordStrength(long.slice(0, 100), owner))
  })

  test('is refused with a sentence that says what to do, wherever one is set', async () => {
    const weak = 'password1'
    const message = 'is easily guessed; choose several words that do not belong together'
    const person = await stage.person(admin.company)
    const email = `${crypto.randomUUID()}@example.com`
    const made = await admin.ask('POST', '/console/accounts', {
      name: 'N',
      email,
      permissions: [],
      password: weak,
      own_password: password,
    })
    expect(made.body.errors).toEqual([{ field: 'password', code: 'too_weak', message }])
    const body = { password: weak, own_password: password }
    const changed = await admin.ask('PATCH', `/console/accounts/${person.id}`, body)
    expect(changed.body.errors).toEqual([{ field: 'password', code: 'too_weak', message }])
    const own = await person.ask('PATCH', '/console/me', { password: { current: password, next: weak } })
    expect(own.body.errors).toEqual([{ field: 'password.next', code: 'too_weak', message }])
  })

  test('is not made of the name of the company', async () => {
    const person = await stage.person(admin.company)
    const body = { password: { current: password, next: 'Harbor-Harbor-26' } }
    expect((await person.ask('PATCH', '/console/me', body)).body.errors).toMatchObject([
      { field: 'password.next', code: 'too_weak' },
    ])
  })

  test('is compared with the address that the account will have', async () => {
    const email = `${crypto.randomUUID()}@example.com`
    const body = { email, password: { current: password, next: email } }
    const person = await stage.person(admin.company)
    expect((await person.ask('PATCH', '/console/me', body)).body.errors).toMatchObject([
      { field: 'password.next', code: 'too_weak' },
    ])
  })
})

test('a password is compared as it was typed: every letter, blank and sign of it counts [V6.2.8]', async () => {
  const person = await stage.person(admin.company)
  const typed = ` Kettle mossy Fähre ${'x'.repeat(80)}! `
  await stage.sql('update accounts set password_hash = $2 where id = $1', person.id, await hashPassword(typed))
  const others = [typed.trim(), typed.toLowerCase(), typed.slice(0, -2), typed.slice(0, 72), typed.normalize('NFD')]
  for (const other of others) {
    const body = { email: person.email, password: other }
    expect((await stage.ask('POST', '/console/session', { body })).status, other).toBe(401)
  }
  await signIn(stage.ask, person.email, typed)
})

test.each(['short', 'password1', 'x'.repeat(200)])(
  'one that there is goes on to sign in, however old it is: %s [V6.2.10]',
  async (existing) => {
    const person = await stage.person(admin.company)
    const hash = await hashPassword(existing)
    await stage.sql(
      "update accounts set password_hash = $2, created_at = now() - interval '20 years' where id = $1",
      person.id,
      hash,
    )
    const cookie = await signIn(stage.ask, person.email, existing)
    const next = 'kettle mossy ferry'
    const body = { password: { current: existing, next } }
    expect((await stage.ask('PATCH', '/console/me', { cookie, body })).status).toBe(200)
  },
)
