import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { feedEvents, recordsOfEvents } from '#registry/webhooks.ts'
import type { App } from '#server/app.ts'
import type { ReceiverResponse } from '#server/outbound/sender.ts'
import { endOfLog } from '#server/service/changes.ts'
import { createSecret } from '#server/service/webhook-secret.ts'
import { seal, sealedWebhookSecret } from '#server/store/seal.ts'
import { leaseSeconds } from '#server/webhooks/lease.ts'
import { startWebhooks } from '#server/webhooks/start.ts'
import { type TurnsSize, turnsSize } from '#server/webhooks/turns.ts'
import { insertWebhook, nextWebhookId } from '#sql/system/webhooks.ts'
import type { Company } from '../stage/stage.ts'
import { eventually } from '../stage/wait.ts'
import { openReceiver, type Receiver } from './receiver.ts'
import { type HookStage, openHookStage } from './stage.ts'

/** A process has few turns, and companies share them, whatever their receivers and the sender do. */
let stage: HookStage
let receiver: Receiver
beforeAll(async () => {
  // Longer than a test takes: a claim ends when the test says so.
  stage = await openHookStage({ WEBHOOK_TIMEOUT_MS: '40000' })
})
afterAll(() => stage.close())
beforeEach(async () => {
  // What other tests have left has no part in this one.
  await stage.sql(
    "update webhook_endpoints set disabled_at = now(), disabled_because = 'by_hand', claimed_until = null where disabled_at is null",
  )
  receiver = await openReceiver()
  return () => receiver.close()
})

const hanging = 'http://127.0.0.1:9/hanging/'

/** A request to `hanging` that the test ends, or nobody. */
type Hung = { url: string; signal: AbortSignal; isClosed: boolean; answer(): void; end(): void }

/** A service that sends, the requests that hang in it, and what it logs. */
type Sending = { hung: Hung[]; logged: { facts: object; sentence: string }[]; ahead(ms: number): void }

/** Sends while the test runs. The sender never answers at an address that begins with `hanging`, and ignores signals. */
async function sending(size: TurnsSize, work: (it: Sending) => Promise<void>): Promise<void> {
  const hung: Hung[] = []
  const logged: Sending['logged'] = []
  let offset = 0
  const warn = (facts: object, sentence: string) => void logged.push({ facts, sentence })
  const app: App = {
    ...stage.app,
    clock: { ...stage.app.clock, elapsed: () => performance.now() + offset },
    log: { ...stage.app.log, info: () => undefined, error: warn, warn } as never,
    outbound: {
      ...stage.app.outbound,
      to(url) {
        if (!url.startsWith(hanging)) return stage.app.outbound.to(url)
        const own: Hung[] = []
        const post = ({ signal }: { signal?: AbortSignal }) =>
          new Promise<ReceiverResponse>((resolve, reject) => {
            const answer = () => resolve({ status: 204, headers: {}, body: '', isCut: false })
            const end = () => reject(new Error('ended by the test'))
            const one = { url, signal: signal as AbortSignal, isClosed: false, answer, end }
            for (const list of [hung, own]) list.push(one)
          })
        const close = (): void => {
          for (const one of own) one.isClosed = true
        }
        return { post, close }
      },
    },
  }
  await stage.visible()
  const service = startWebhooks(app, size)
  try {
    await work({
      ...{ hung, logged },
      ahead(ms) {
        offset += ms
      },
    })
  } finally {
    for (const { end } of hung) end()
    await service.stop()
  }
}

/** More endpoints than a company may create. */
const manyHooks = (company: Company, count: number): Promise<void> =>
  stage.inTransaction(async (transaction) => {
    const companyId = company.id
    const cursor = await endOfLog(transaction.run, companyId)
    const events = ['clients.created']
    for (let index = 0; index < count; index++) {
      const [next] = await transaction.run<{ id: number }>(nextWebhookId())
      const id = next?.id as number
      const boundTo = sealedWebhookSecret.boundTo(companyId, id)
      const sealed = await seal(transaction, stage.app.secret, { text: createSecret(), boundTo })
      const settings = { name: `H${index}`, url: `${hanging}${index}`, events, payload: 'thin', ordered: true } as const
      const made = {
        ...settings,
        account_id: null,
        id,
        sealed,
        cursor,
        records: recordsOfEvents(feedEvents(events, [])),
      }
      await transaction.run(insertWebhook(companyId, made))
    }
  })

const due = (company: Company) => company.create('clients', { name: 'Due' })

/** Values of the metrics of turns: how many, the age of the oldest, how many were ended. */
async function shown(): Promise<{ turns: number; oldest: number; ended: number }> {
  const text = await stage.app.metrics.text()
  const value = (name: string): number => Number(text.match(new RegExp(`^${name} (\\S+)$`, 'm'))?.[1])
  return {
    turns: value('plumbline_webhook_turns'),
    oldest: value('plumbline_webhook_turn_oldest_seconds'),
    ended: value('plumbline_webhook_turns_ended_total'),
  }
}

const companyIn = ({ url }: Hung): string => url.slice(hanging.length).split('/')[0] as string

describe('A company whose receivers hang for ever', () => {
  test('has 20 of the 400 turns, however many webhooks it has, and another company gets its change within seconds.', async () => {
    const [evil, other] = [await stage.company(), await stage.company()]
    await manyHooks(evil, 500)
    await due(evil)
    await stage.hook(other, receiver.url)
    await sending(turnsSize, async ({ hung }) => {
      await eventually(async () => expect(hung.length).toBeGreaterThanOrEqual(20))
      await due(other)
      const begun = performance.now()
      await eventually(async () => expect(receiver.taken()).toHaveLength(1), 20_000)
      // Two polls, the claim, and the load of a machine that tests.
      expect(performance.now() - begun).toBeLessThan(10_000)
      expect(hung).toHaveLength(20)
    })
  })

  test('has an equal part where several take every turn, and a company that has none gets one of the reserve.', async () => {
    const evil = [await stage.company(), await stage.company(), await stage.company()]
    const other = await stage.company()
    for (const company of evil) {
      for (let index = 0; index < 3; index++) await stage.hook(company, `${hanging}${company.id}/${index}`)
      await due(company)
    }
    await stage.hook(other, receiver.url)
    await sending({ limit: 4, reserve: 2, each: 2 }, async ({ hung }) => {
      await eventually(async () => expect(hung).toHaveLength(4))
      await due(other)
      await eventually(async () => expect(receiver.taken()).toHaveLength(1), 20_000)
      const of = (company: Company) => hung.filter((one) => companyIn(one) === String(company.id)).length
      expect(evil.map(of)).toEqual([2, 1, 1])
    })
  })
})

test('Companies take turns, and so do the webhooks of one, where there is one turn for all.', async () => {
  const companies = [await stage.company(), await stage.company(), await stage.company()]
  for (const company of companies) {
    for (let index = 0; index < 2; index++) await stage.hook(company, `${hanging}${company.id}/${index}`)
    await due(company)
  }
  await sending({ limit: 1, reserve: 0, each: 1 }, async ({ hung }) => {
    for (let round = 1; round <= 7; round++) {
      await eventually(async () => expect(hung).toHaveLength(round))
      // It was not stored, so its endpoint is due again as soon as its claim is free.
      await stage.sql('update webhook_endpoints set claimed_until = null where disabled_at is null')
      hung[round - 1]?.end()
    }
    const rounds = [0, 1, 0].flatMap((hook) => companies.map(({ id }) => `${hanging}${id}/${hook}`))
    expect(hung.map(({ url }) => url)).toEqual(rounds.slice(0, 7))
  })
})

describe('A turn whose work never settles', () => {
  test('is ended when its claim ends: it is cut off with its connections, counted and logged, and its place is another’s.', async () => {
    const [evil, other] = [await stage.company(), await stage.company()]
    const { id } = await stage.hook(evil, `${hanging}${evil.id}/0`)
    await stage.hook(other, receiver.url)
    await due(evil)
    const before = await shown()
    await sending({ limit: 1, reserve: 0, each: 1 }, async ({ hung, logged, ahead }) => {
      await eventually(async () => expect(hung).toHaveLength(1))
      await due(other)
      await eventually(async () => expect((await shown()).turns).toBe(1))
      expect(hung[0]?.signal.aborted).toBe(false)
      expect(receiver.got).toEqual([])
      expect(logged).toEqual([])
      ahead(1000 * leaseSeconds(stage.app))
      await eventually(async () => expect(receiver.taken()).toHaveLength(1))
      expect(hung[0]?.signal.aborted).toBe(true)
      expect(hung[0]?.isClosed).toBe(true)
      expect((await shown()).ended - before.ended).toBe(1)
      expect(logged).toEqual([
        {
          facts: { company_id: evil.id, webhook_id: id, seconds: expect.any(Number) },
          sentence: 'a turn of a webhook outlived its claim and was ended; its changes are sent again',
        },
      ])
      expect((await stage.state(id)).failing_since).not.toBeNull()
      // It has its next turn, though the former one still hangs.
      await eventually(async () => expect(hung).toHaveLength(2))
    })
  })

  test('is ended after twice the time of a claim, though some of its requests are answered and renew that.', async () => {
    const company = await stage.company()
    const { id } = await stage.hook(company, `${hanging}${company.id}/0`, { ordered: false })
    for (let event = 0; event < 4; event++) await due(company)
    const before = await shown()
    const stored = (count: number) =>
      eventually(async () =>
        expect(await stage.sql('select from webhook_attempts where endpoint_id = $1', id)).toHaveLength(count),
      )
    const leaseMs = 1000 * leaseSeconds(stage.app)
    await sending(turnsSize, async ({ hung, ahead }) => {
      await eventually(async () => expect(hung).toHaveLength(4))
      for (const answered of [1, 2]) {
        ahead(0.9 * leaseMs)
        hung[answered]?.answer()
        await stored(answered)
      }
      expect((await shown()).ended).toBe(before.ended)
      expect(hung[0]?.signal.aborted).toBe(false)
      ahead(0.3 * leaseMs)
      await eventually(async () => expect((await shown()).ended - before.ended).toBe(1))
      expect(hung[0]?.signal.aborted).toBe(true)
    })
  })

  test('keeps no stop waiting: that cuts it off after 3 s and leaves it a second later.', async () => {
    const evil = await stage.company()
    await stage.hook(evil, `${hanging}${evil.id}/0`)
    await due(evil)
    const signals: (AbortSignal | undefined)[] = []
    const app = { ...stage.app, outbound: { ...stage.app.outbound } }
    app.outbound.to = () => ({
      post: ({ signal }) => {
        signals.push(signal)
        return new Promise(() => undefined)
      },
      close: () => undefined,
    })
    await stage.visible()
    const service = startWebhooks(app)
    await eventually(async () => expect(signals).toHaveLength(1))
    const stopping = performance.now()
    await service.stop()
    expect(performance.now() - stopping).toBeLessThan(8000)
    expect(signals[0]?.aborted).toBe(true)
  })
})

test('The metrics show the turns of the process and the age of the oldest, from the first to the last.', async () => {
  const evil = await stage.company()
  for (let index = 0; index < 3; index++) await stage.hook(evil, `${hanging}${evil.id}/${index}`)
  await due(evil)
  await sending(turnsSize, async ({ hung, ahead }) => {
    await eventually(async () => expect(hung).toHaveLength(3))
    await eventually(async () => expect((await shown()).turns).toBe(3))
    ahead(1000)
    await eventually(async () => expect((await shown()).oldest).toBeGreaterThanOrEqual(1))
    await stage.sql(
      "update webhook_endpoints set disabled_at = now(), disabled_because = 'by_hand' where disabled_at is null",
    )
    for (const { end } of hung) end()
    await eventually(async () => expect(await shown()).toMatchObject({ turns: 0, oldest: 0 }))
  })
})
