import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApp, systemClock } from '#server/app.ts'
import { replayOne } from '#server/service/webhooks.ts'
import { migrate, migrateBack } from '#server/store/migrate.ts'
import { knownMigrations } from '#server/store/migration-files.ts'
import { openAttempt } from '#server/webhooks/attempts.ts'
import { sendDue } from '#server/webhooks/start.ts'
import { ok, openReceiver, type Receiver } from '../webhooks/receiver.ts'
import { type HookStage, openHookStage } from '../webhooks/stage.ts'

/** Webhooks in use are brought up to date, and back, in the middle of a replay. */
let stage: HookStage
let receiver: Receiver
beforeAll(async () => {
  stage = await openHookStage()
  receiver = await openReceiver()
})
afterAll(async () => {
  await receiver.close()
  await stage.close()
})

test('No webhook, place or attempt is lost on the way back and forward, and every event arrives.', async () => {
  const own = await stage.company()
  const { id } = await stage.hook(own, receiver.url)
  for (let count = 0; count < 6; count++) await own.create('clients', { name: `C${count}` })
  await stage.sendAll()
  expect(receiver.taken()).toHaveLength(6)
  const by = { actor: own.actor, keys: stage.app.secret, now: new Date() }
  const from = new Date(Date.now() - 60_000)
  await stage.inTransaction((transaction) => replayOne(transaction, by, id, { from, keptDays: 30 }))
  receiver.behave((_, count) => (count < 8 ? ok : { status: 500, body: 'closed' }))
  await stage.sendAll()
  expect(receiver.taken()).toHaveLength(8)

  const columns =
    'id, name, url, events, payload, ordered, sealed, cursor_epoch, cursor_pos, cursor_id, pending, failing_since'
  const kept = async () => ({
    endpoints: await stage.sql(`select ${columns} from webhook_endpoints order by id`),
    attempts: await stage.sql('select id, at, event_id, status, answer_body from webhook_attempts order by id'),
  })
  const before = await kept()
  expect(before.attempts).toHaveLength(9)
  const names = await knownMigrations()
  const previous = names[names.indexOf('0021-webhook-attempts-room') - 1] as string
  expect(await migrateBack(stage.connection, previous)).toContain('0022-webhook-replay')
  expect(await kept()).toEqual(before)
  // As the version before has it.
  await stage.sql(
    `insert into webhook_attempts (company_id, endpoint_id, at, event, event_id, after, by_hand, ms, status, failure,
      detail, request_headers, request_body, request_bytes, answer_headers, answer_body, answer_cut)
    select $1, $2, now(), 'clients.created', 'evt_1_1', null, false, 1, 500, null, null, '{}', '{"secret":1}', 12, '{}', 'no', false`,
    own.id,
    id,
  )
  await migrate(stage.connection, () => undefined)

  const again = createApp(stage.app.config, stage.connection, stage.app.secret)
  try {
    const app = { ...again, clock: { ...systemClock, now: () => new Date(Date.now() + 10_000) } }
    receiver.behave(() => ok)
    while ((await sendDue(app)) > 0) {
      // The next.
    }
    const [first, ...others] = receiver.taken()
    expect(others.slice(-4)).toHaveLength(4)
    expect(new Set([first, ...others]).size).toBe(6)
    expect(receiver.taken()).toHaveLength(12)
    const [last] = await stage.sql<{ id: number }>("select id from webhook_attempts where answer_body = 'no'")
    const opened = await openAttempt(app, own.id, last?.id as number)
    expect(opened).toMatchObject({ request_is: 'gone', request_body: null, answer_body: null })
  } finally {
    await again.database.close()
  }
})
