import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '#server/config/config.ts'
import { choresOf, sweep } from '#server/jobs/sweep.ts'
import { removeWebhook, replayOne } from '#server/service/webhooks.ts'
import { type HookStage, openHookStage } from '../webhooks/stage.ts'

/** What attempts of webhooks take is bounded where companies are distributed too. */
const chores = choresOf(readConfig({}))
const budget = choresOf({ ...readConfig({}), webhookAttemptsBytes: 100_000, webhookAttemptsKeptDays: 1 })
let stage: HookStage
beforeAll(async () => {
  stage = await openHookStage()
})
afterAll(() => stage.close())

test('Attempts are emptied, freed by the budget and removed with their webhook, and a replay is one at a time.', async () => {
  const own = await stage.company()
  const { id } = await stage.hook(own, 'http://127.0.0.1:9/')
  const other = await stage.company()
  const theirs = await stage.hook(other, 'http://127.0.0.1:9/')
  for (const [company, endpoint] of [
    [own, id],
    [other, theirs.id],
  ] as const)
    for (const [status, count] of [
      [200, 300],
      [500, 100],
    ])
      await stage.sql(
        `insert into webhook_attempts (company_id, endpoint_id, at, event, event_id, by_hand, ms, status,
          request_headers, request_body, request_bytes)
        select $1::bigint, $2::bigint, now() - interval '1 hour' + n * interval '1 second', 'clients.created', 'evt', false, 1, $3::int, '{}', 'x', 1
        from generate_series(1, $4::int) n`,
        company.id,
        endpoint,
        status,
        count,
      )
  const counted = async (companyId: number) =>
    stage.sql<{ status: number; n: number }>(
      'select status, count(*)::int as n from webhook_attempts where company_id = $1 group by 1 order by 1',
      companyId,
    )
  const { database } = stage.app
  const isStopped = () => false
  expect(await sweep(database, chores.olderAttempts, isStopped)).toBe(800)
  expect(await sweep(database, chores.olderAttempts, isStopped)).toBe(0)
  expect(await sweep(database, budget.fullWebhookBudget, isStopped)).toBe(300)
  expect(await counted(own.id)).toEqual([
    { status: 200, n: 150 },
    { status: 500, n: 100 },
  ])
  const [endpoint] = await stage.sql<{ attempts_from: Date | null }>(
    'select attempts_from from webhook_endpoints where company_id = $1 and id = $2',
    own.id,
    id,
  )
  expect(endpoint?.attempts_from).not.toBeNull()

  await own.create('clients', { name: 'Quay' })
  const by = { actor: own.actor, keys: stage.app.secret, now: new Date() }
  const from = new Date(Date.now() - 600_000)
  const replay = () => stage.inTransaction((transaction) => replayOne(transaction, by, id, { from, keptDays: 30 }))
  await stage.visible()
  await stage.sql('update webhook_endpoints set cursor_epoch = 99 where company_id = $1 and id = $2', own.id, id)
  expect(await replay()).toMatchObject({ is_replaying: true })
  await expect(replay()).rejects.toMatchObject({ code: 'replay_active' })

  await stage.inTransaction((transaction) => removeWebhook(transaction, by, id))
  expect(await sweep(database, chores.deletedWebhooks, isStopped)).toBe(250)
  expect(await counted(own.id)).toEqual([])
  expect(await counted(other.id)).toHaveLength(2)
})
