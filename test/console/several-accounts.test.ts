import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAccount } from '#server/service/account.ts'
import type { Company } from '../stage/stage.ts'
import { type ConsoleStage, cookieOf, openConsole, password, setCookies } from './stage.ts'

let stage: ConsoleStage
beforeAll(async () => {
  stage = await openConsole()
})
afterAll(() => stage.close())

const own = 'the password of this one alone'
const attempt = (email: string, given: string, more: object = {}) =>
  stage.ask('POST', '/console/session', { body: { email, password: given, ...more } })
const account = async (company: Company, email: string, given = password, more: object = {}) => {
  const wanted = { name: 'Ada', email, password: given, permissions: [], ...more }
  return (await stage.inTransaction((transaction) => createAccount(transaction, company.id, wanted))).id
}
const whoIs = async (cookie: string) => (await stage.ask('GET', '/console/me', { cookie })).body.data

describe('An address with accounts in several companies', () => {
  test('belongs to one account of each, whatever the capitals', async () => {
    const [one, other] = [await stage.company(), await stage.company()]
    const email = `${crypto.randomUUID()}@example.com`
    await account(one, email)
    await account(other, email.toUpperCase())
    await expect(account(one, email.toUpperCase())).rejects.toMatchObject({
      particulars: { errors: [{ field: 'email', code: 'not_unique' }] },
    })
  })

  test('signs in to the one whose password it is', async () => {
    const [one, other] = [await stage.company({ name: 'Quay' }), await stage.company({ name: 'Moor' })]
    const email = `${crypto.randomUUID()}@example.com`
    await account(one, email)
    const id = await account(other, email, own)
    const answer = await attempt(email, own)
    expect(answer.body.data).toMatchObject({ account: { id }, company: { name: 'Moor' } })
    expect(answer.text).not.toContain('Quay')
  })

  test('signs in to either in a browser that knows one of them', async () => {
    const [one, other] = [await stage.company({ name: 'Quay' }), await stage.company({ name: 'Moor' })]
    const email = `${crypto.randomUUID()}@example.com`
    await account(one, email)
    await account(other, email, own)
    const device = setCookies(await attempt(email, password))[1]?.split(';')[0]
    expect(device).toMatch(/^plumbline_device=/)
    const body = { email, password: own }
    const answer = await stage.ask('POST', '/console/session', { body, cookie: device })
    expect(answer.body.data.company.name).toBe('Moor')
  })

  test('lets one choose where the password is right for several, and not before', async () => {
    const companies = [await stage.company({ name: 'Quay' }), await stage.company({ name: 'Moor' })]
    const hidden = await stage.company({ name: 'Another password' })
    const email = `${crypto.randomUUID()}@example.com`
    const ids = [await account(companies[0] as Company, email), await account(companies[1] as Company, email)]
    const third = await account(hidden, email, own)
    const wrong = await attempt(email, 'wrong password')
    expect(wrong).toMatchObject({ status: 401, body: { detail: 'E-mail or password is wrong.' } })

    const answer = await attempt(email, password)
    expect(answer).toMatchObject({ status: 200 })
    expect(setCookies(answer)).toEqual([])
    expect(answer.body).toEqual({
      data: {
        choose: companies.map(({ id }, index) => ({
          account_id: ids[index],
          name: 'Ada',
          company: { id, name: ['Quay', 'Moor'][index] },
        })),
      },
    })
    const chosen = await attempt(email, password, { account_id: ids[1] })
    expect(chosen.body.data.company.name).toBe('Moor')
    expect((await whoIs(cookieOf(chosen))).account.id).toBe(ids[1])
    // An account that the password or the address is not of is none.
    for (const account_id of [third, 999_999_999, await account(hidden, 'x@example.com')]) {
      expect((await attempt(email, password, { account_id })).status).toBe(401)
    }
    expect((await attempt(email, password, { account_id: 0 })).body.errors).toMatchObject([{ field: 'account_id' }])
  })

  test('signs in to the sixth of them, whatever five other companies did before', async () => {
    const email = `${crypto.randomUUID()}@example.com`
    for (let count = 0; count < 5; count++) await account(await stage.company(), email)
    const last = await account(await stage.company({ name: 'The sixth' }), email, own)
    const answer = await attempt(email, own)
    expect(answer.body.data).toMatchObject({ account: { id: last }, company: { name: 'The sixth' } })
  })

  test('is compared with twenty of them, the oldest; a later one is reached by its company or by choosing it', async () => {
    const email = `${crypto.randomUUID()}@example.com`
    for (let count = 0; count < 20; count++) await account(await stage.company(), email)
    const company = await stage.company()
    const last = await account(company, email, own)
    expect((await attempt(email, own)).status).toBe(401)
    expect((await attempt(email, own, { company_id: company.id })).body.data.account.id).toBe(last)
    expect((await attempt(email, own, { account_id: last })).status).toBe(200)
    expect((await attempt(email, password)).body.data.choose).toHaveLength(20)
    await stage.sql('delete from password_attempts')
  })

  test('is compared with the account of the named company alone', async () => {
    const [one, other, neither] = [await stage.company(), await stage.company(), await stage.company()]
    const email = `${crypto.randomUUID()}@example.com`
    const ids = [await account(one, email), await account(other, email)]
    // Without the company it would have to be chosen.
    for (const [index, { id }] of [one, other].entries()) {
      expect((await attempt(email, password, { company_id: id })).body.data.account.id).toBe(ids[index])
    }
    for (const company_id of [neither.id, 999_999_999]) {
      expect(await attempt(email, password, { company_id })).toMatchObject({
        status: 401,
        body: { detail: 'E-mail, password or number of the company is wrong.' },
      })
    }
    expect((await attempt(email, password, { company_id: 0 })).body.errors).toMatchObject([{ field: 'company_id' }])
  })

  test('keeps its count when one of its accounts is named: its owner could wipe out guesses at another', async () => {
    const [mine, victims] = [await stage.company(), await stage.company()]
    const email = `${crypto.randomUUID()}@example.com`
    const id = await account(mine, email, own)
    await account(victims, email)
    for (const named of [{ company_id: mine.id }, { account_id: id }]) {
      await stage.sql('delete from password_attempts')
      for (let count = 0; count < 10; count++) {
        expect((await attempt(email, 'a guess', { company_id: victims.id })).status).toBe(401)
        if (count === 4) expect((await attempt(email, own, named)).status).toBe(200)
      }
      expect((await attempt(email, 'a guess', { company_id: victims.id })).status).toBe(429)
      expect((await attempt(email, 'a guess')).status).toBe(429)
    }
    await stage.sql('delete from password_attempts')
  })
})

test('a session does not begin when the password is changed while it is compared', async () => {
  const person = await stage.admin()
  let signingIn: Promise<{ status: number }> | undefined
  await stage.inTransaction(async (transaction) => {
    const change = { text: "update accounts set password_hash = 'another' where id = $1", values: [person.id] }
    await transaction.run(change)
    signingIn = attempt(person.email, password)
    await expect.poll(() => stage.waiting()).toBe(1)
  })
  expect((await signingIn)?.status).toBe(401)
})
