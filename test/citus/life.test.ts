import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkDistribution } from '#server/commands/check-distribution.ts'
import { readConfig } from '#server/config/config.ts'
import { choresOf, sweep } from '#server/jobs/sweep.ts'
import { setAccount } from '#server/service/account.ts'
import { migrate } from '#server/store/migrate.ts'
import { type CandidateRow, candidatesFor, type SignInChoice } from '#sql/system/sign-in.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'
import { untilTold } from '../stage/wait.ts'
import { companiesApart } from './servers.ts'

/** What is done for all companies, wherever each of them is. */
const chores = choresOf({ ...readConfig({}), callDetailsKeptDays: 400 })
let stage: Stage
let apart: [Company, Company]
beforeAll(async () => {
  stage = await openStage()
  apart = await companiesApart(stage)
})
afterAll(() => stage?.close())

const never = () => false

test('an address signs in to its accounts on whichever servers, and a new one from its change on', async () => {
  const found = async (email: string, choice: SignInChoice = { accountId: null, companyId: null }) =>
    (await stage.app.database.read<CandidateRow>(candidatesFor(email, choice))).map(({ company_id }) => company_id)
  for (const { id, accountId } of apart)
    await stage.inTransaction((transaction) =>
      setAccount(transaction, id, accountId, { email: 'ada@example.com', password: 'a long one, known to nobody' }),
    )
  expect(await found('ADA@example.com')).toEqual(apart.map(({ id }) => id))
  const [one, other] = apart
  // A company or an account chooses among them, and an invisible character does not count.
  expect(await found('ad\u200ba@example.com', { accountId: null, companyId: other.id })).toEqual([other.id])
  expect(await found('ada@example.com', { accountId: one.accountId, companyId: null })).toEqual([one.id])
  expect(await found('ada@example.com', { accountId: null, companyId: 0 })).toEqual([null])
  await stage.inTransaction((transaction) => setAccount(transaction, one.id, one.accountId, { email: 'b@example.com' }))
  expect(await found('ada@example.com')).toEqual([other.id])
  expect(await found('b@example.com')).toEqual([one.id])
  await stage.inTransaction((transaction) => setAccount(transaction, one.id, one.accountId, { disabled: true }))
  expect(await found('b@example.com')).toEqual([null])
  await stage.inTransaction((transaction) => setAccount(transaction, one.id, one.accountId, { disabled: false }))
})

describe('What is over is tidied up on every server', () => {
  test('answers, once their time is over', async () => {
    for (const company of apart) {
      await company.call('POST', '/v1/clients', { body: { name: 'C' }, headers: { 'Idempotency-Key': 'old' } })
      await stage.sql("update answers set completed_at = now() - interval '25 hours' where company_id = $1", company.id)
      await company.call('POST', '/v1/clients', { body: { name: 'D' }, headers: { 'Idempotency-Key': 'new' } })
    }
    expect(await sweep(stage.app.database, chores.answers, never)).toBe(2)
    expect((await stage.sql<{ key: string }>('select key from answers')).map(({ key }) => key)).toEqual(['new', 'new'])
  })

  test('row counts, which stay what counting gives', async () => {
    await sweep(stage.app.database, chores.rowCounts, never)
    expect(await stage.sql('select 1 from tally_changes')).toEqual([])
    for (const company of apart) expect((await company.get('/v1/clients?limit=1')).body.meta.total).toBe(2)
  })

  test('calls, which become sums of their days, and what they said', async () => {
    const counted: number[] = []
    for (const company of apart) {
      counted.push((await company.calls()).length)
      await stage.sql("update calls set at = now() - interval '500 days' where company_id = $1", company.id)
      await stage.sql("update call_details set at = now() - interval '500 days' where company_id = $1", company.id)
    }
    const [one = 0, other = 0] = counted
    expect(await sweep(stage.app.database, chores.calls, never)).toBe(one + other)
    const sums = await stage.sql<{ calls: number }>(
      'select company_id, sum(calls)::int as calls from call_days group by 1 order by 1',
    )
    expect(sums.map(({ calls }) => calls)).toEqual(counted)
    expect(await sweep(stage.app.database, chores.callDetails, never)).toBeGreaterThan(0)
    expect(await stage.sql('select 1 from call_details')).toEqual([])
  })
})

test('where a server has gone back to an earlier moment, the log of its companies goes on in a new epoch', async () => {
  const [own, other] = apart
  const page = (company: Company, after: string) =>
    company.get(`/v1/changes?after=${after}`) as Promise<{
      status: number
      body: { data: { id: string }[]; meta: { next: string } }
    }>
  await own.create('clients', { name: 'Before' })
  await untilTold(stage)
  // Marks the place: from here on is from the last place at which nothing is missing.
  const { next: marked } = (await own.get('/v1/changes?after=now')).body.meta
  await own.create('clients', { name: 'Behind the mark' })
  await untilTold(stage)
  const behind = (await page(own, marked)).body.meta.next
  // As a server that was restored says of itself: the same one, on another timeline.
  await stage.sql("update company_epochs set server = replace(server, '/', '/0') where company_id = $1", own.id)
  await own.create('clients', { name: 'After' })
  await untilTold(stage)
  const { body } = await page(own, marked)
  expect(body.data.map(({ id }) => id.split('_')[1])).toEqual(['1', '2'])
  expect((await page(own, behind)).status).toBe(410)
  expect((await page(own, body.meta.next)).body.data).toEqual([])
  expect(await stage.sql('select 1 from company_epochs where company_id = $1', other.id)).toHaveLength(1)
})

test('doctor says what is where, names a table that is not, and migrate puts it there', async () => {
  const found = async () => {
    const checks = await checkDistribution(stage.app.database)
    return Object.fromEntries(checks.map((check) => [check.name, check]))
  }
  expect(await found()).toMatchObject({
    distribution: { ok: true, says: expect.stringContaining('Citus 13') },
    routing: { ok: true, says: expect.stringContaining('logins on every server') },
    servers: { ok: true, says: expect.stringContaining('2 answer') },
  })
  await stage.sql('create table strays (company_id bigint not null, id bigint not null)')
  expect((await found()).routing).toMatchObject({ warning: true, says: expect.stringContaining('name strays are not') })
  const { workers: _, ...connection } = stage.connection
  await migrate(connection, () => {})
  expect((await found()).routing?.warning).toBeUndefined()
})
