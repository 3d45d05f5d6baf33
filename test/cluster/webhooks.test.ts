import { afterAll, beforeAll, expect, test } from 'vitest'
import { createWebhook } from '#server/service/webhooks.ts'
import { type Process, startProcess, urlOf } from '../stage/process.ts'
import { type Company, openStage, patience, type Stage } from '../stage/stage.ts'
import { eventually, pause } from '../stage/wait.ts'
import { type Behaviour, ok, openReceiver, type Receiver } from '../webhooks/receiver.ts'

/**
 * A receiver that answers 500, hangs, closes and is away for a while; two processes that send, one of which is killed with
 * -9 again and again; and writers all the time. Every change arrives, in the order of the log where that was wanted. For
 * longer with WEBHOOK_ROUNDS=100.
 */
let stage: Stage
let processes: Process[]
beforeAll(async () => {
  stage = await openStage()
  processes = await Promise.all([start(), start()])
})
afterAll(async () => {
  await Promise.all(processes.map((one) => one.stop()))
  await stage.close()
})

const start = () =>
  startProcess({
    ...patience,
    ...{ DATABASE_URL: urlOf(stage.connection), PLUMBLINE_SECRET: 'the sealing key of the tests, long enough' },
    ...{ WEBHOOK_NETWORKS: '127.0.0.1', WEBHOOK_TIMEOUT_MS: '300', WEBHOOK_RETRY_SECONDS: '1' },
  })

const rounds = Number(process.env.WEBHOOK_ROUNDS ?? 2)
const writersAtOnce = 2

test(
  'Nothing is missing and no record goes back in time, whatever the receivers and the processes suffer, in order or not.',
  async () => {
    const own = await stage.company()
    const receivers = { ordered: await openReceiver(), unordered: await openReceiver() }
    try {
      for (const [name, receiver] of Object.entries(receivers)) {
        receiver.behave(hostile())
        await hook(own, receiver, name === 'ordered')
      }
      await writeWhileKilled(own)
      const written = await stage.sql<{ id: string }>(
        `select 'evt_' || h.epoch || '_' || h.id as id from history h
         where company_id = $1 and records = 'clients' order by h.epoch, h.pos, h.id`,
        own.id,
      )
      for (const receiver of Object.values(receivers))
        await eventually(
          async () => {
            const arrived = new Set(receiver.taken())
            expect(written.filter(({ id }) => !arrived.has(id))).toEqual([])
          },
          40_000 + 10_000 * rounds,
        )
      // Each for the first time, in the order of the log.
      expect([...new Set(receivers.ordered.got.map(({ id }) => id))]).toEqual(written.map(({ id }) => id))
      expect(written.length).toBeGreaterThan(50)
      const requests = Object.values(receivers).map(({ got }) => got.length)
      console.log(`${written.length} events, ${requests.join(' and ')} requests, ${rounds} processes killed`)
    } finally {
      for (const receiver of Object.values(receivers)) await receiver.close()
    }
  },
  60_000 + 15_000 * rounds,
)

function hook(own: Company, { url }: Receiver, ordered: boolean): Promise<unknown> {
  const wanted = { name: 'Hostile', url, events: 'all', payload: 'full', ordered } as const
  const by = { actor: own.actor, keys: stage.app.secret, now: new Date() }
  return stage.inTransaction((transaction) => createWebhook(transaction, by, wanted))
}

async function writeWhileKilled(own: Company): Promise<void> {
  let isOver = false
  const writers = Array.from({ length: writersAtOnce }, () => write(own, () => isOver))
  for (let round = 0; round < rounds; round++) {
    await pause(500 + Math.random() * 600)
    const victim = round % 2
    await (processes[victim] as Process).kill()
    processes[victim] = await start()
  }
  isOver = true
  await Promise.all(writers)
}

/** Creates, changes and deletes; what fails because its process was killed is nobody's loss. */
async function write(own: Company, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const { body } = await own.call('POST', '/v1/clients', { body: { name: crypto.randomUUID() } })
    for (const notes of ['one', 'two']) await own.call('PATCH', `/v1/clients/${body.data.id}`, { body: { notes } })
    await pause(10)
    if (Math.random() < 0.3) await own.call('DELETE', `/v1/clients/${body.data.id}`)
  }
}

/** Every so often one goes wrong in some way, a few times in all; in between it is away, and closes on everybody. */
function hostile(): (_got: unknown, count: number) => Behaviour {
  const scenarios: Behaviour[] = [
    { status: 500 },
    'hang',
    'close',
    { status: 302 },
    { status: 503, headers: { 'Retry-After': '1' } },
    { status: 200, body: 'x'.repeat(1024 * 1024) },
  ]
  const away = performance.now() + 1500
  let count = 0
  return () => {
    const now = performance.now()
    if (now > away && now < away + 700) return 'close'
    count++
    return count % 20 === 0 ? (scenarios.shift() ?? ok) : ok
  }
}
