import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sendDue } from '#server/webhooks/start.ts'
import type { Company } from '../stage/stage.ts'
import { openReceiver, openSocketServer, type Receiver } from './receiver.ts'
import { type HookStage, openHookStage } from './stage.ts'

/** What a receiver may do to a connection instead of answering: none of it holds an attempt, or the sender, up. */

const timeoutMs = 1000
/** Time that storing takes, on a processor that other tests use. */
const slackMs = 2500

let stage: HookStage
let other: Receiver
beforeAll(async () => {
  stage = await openHookStage({ WEBHOOK_TIMEOUT_MS: String(timeoutMs), WEBHOOK_RETRY_SECONDS: '5,60' })
  other = await openReceiver()
})
afterAll(async () => {
  await other.close()
  await stage.close()
})

type Outcome = { status: number; failure?: null } | { status: null; failure: 'timeout' | 'connection' | 'answer' }

type Row = {
  does: string
  behave(socket: Socket): void
  outcome: Outcome
  /** How long the attempt may take; the rest ends at once. */
  isSlow?: true
  /** Whether it answers before it has read the message. */
  when?: 'connected'
  /** The part of the answer that is stored. */
  stored?: object
}

const write = (text: string | Buffer) => (socket: Socket) => void socket.write(text)
const end = (text: string | Buffer) => (socket: Socket) => void socket.end(text)
const answer = (status: string, headers = '', body = ''): string =>
  `HTTP/1.1 ${status}\r\nContent-Length: ${body.length}\r\n${headers}\r\n${body}`
const timeout = { status: null, failure: 'timeout' } as const
const lost = { status: null, failure: 'connection' } as const
const unreadable = { status: null, failure: 'answer' } as const
const farDate = 'Fri, 31 Dec 9999 23:59:59 GMT'

const rows: Row[] = [
  { does: 'never answers', behave() {}, outcome: timeout, isSlow: true },
  {
    does: 'takes the connection and reads nothing',
    behave: (s) => void s.pause(),
    when: 'connected',
    outcome: timeout,
    isSlow: true,
  },
  {
    does: 'changes the protocol (101)',
    behave: write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
    outcome: { status: 101 },
  },
  {
    does: 'changes the protocol and goes on in it',
    behave: write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n${'\0'.repeat(4000)}`),
    outcome: { status: 101 },
  },
  {
    does: 'changes the protocol to none',
    behave: write('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
    outcome: { status: 101 },
  },
  {
    does: 'answers 200 with an upgrade',
    behave: write(answer('200 OK', 'Connection: Upgrade\r\nUpgrade: websocket\r\n')),
    outcome: { status: 200 },
  },
  { does: 'closes in order', behave: (s) => void s.end(), outcome: lost },
  { does: 'resets', behave: (s) => void s.resetAndDestroy(), outcome: lost },
  { does: 'closes within the head', behave: end('HTTP/1.1 200 OK\r\nContent-Le'), outcome: lost },
  { does: 'stops within the head', behave: write('HTTP/1.1 200 OK\r\nContent-Le'), outcome: timeout, isSlow: true },
  { does: 'says Continue and no more', behave: write('HTTP/1.1 100 Continue\r\n\r\n'), outcome: timeout, isSlow: true },
  {
    does: 'says Continue, then 204',
    behave: write(`HTTP/1.1 100 Continue\r\n\r\n${'HTTP/1.1 204 No Content\r\n\r\n'}`),
    outcome: { status: 204 },
  },
  {
    does: 'gives early hints and no more',
    behave: write('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'),
    outcome: timeout,
    isSlow: true,
  },
  { does: 'gives hint after hint', behave: write('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(2000)), outcome: lost },
  {
    does: 'aborts the body of a 200',
    behave: (s) => {
      s.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf')
      setTimeout(() => s.resetAndDestroy(), 50)
    },
    outcome: { status: 200 },
  },
  {
    does: 'never ends the body of a 200',
    behave: write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'),
    outcome: { status: 200 },
    isSlow: true,
  },
  {
    does: 'never ends the body of a 500',
    behave: write('HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n'),
    outcome: { status: 500 },
    isSlow: true,
    stored: { answer_body: 'half', answer_cut: true },
  },
  {
    does: 'breaks the chunks of a 200',
    behave: write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\nnonsense\r\n'),
    outcome: { status: 200 },
  },
  {
    does: 'answers before it reads the message',
    behave: write(answer('204 No Content')),
    when: 'connected',
    outcome: { status: 204 },
  },
  {
    does: 'answers and closes before it reads the message',
    behave: end(answer('503 Later', 'Connection: close\r\n')),
    when: 'connected',
    outcome: { status: 503 },
  },
  { does: 'answers twice', behave: write(answer('200 OK') + answer('500 No')), outcome: { status: 200 } },
  {
    does: 'asks to wait until the year 9999',
    behave: write(answer('503 Later', `Retry-After: ${farDate}\r\n`)),
    outcome: { status: 503 },
  },
  {
    does: 'asks to wait for 999999999 seconds',
    behave: write(answer('429 Slow', 'Retry-After: 999999999\r\n')),
    outcome: { status: 429 },
  },
  {
    does: 'asks to wait until no date',
    behave: write(answer('503 Later', 'Retry-After: 1e999\r\n')),
    outcome: { status: 503 },
  },
  { does: 'answers 000', behave: write(answer('000 Nothing')), outcome: { status: 0 } },
  { does: 'answers 999', behave: write(answer('999 All')), outcome: { status: 999 } },
  { does: 'answers 20', behave: write(answer('20 Short')), outcome: unreadable },
  { does: 'answers 2000', behave: write(answer('2000 Long')), outcome: unreadable },
  {
    does: 'sends trailers',
    behave: write(
      'HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\nTrailer: x\r\n\r\n0\r\nx: y\r\n__proto__: z\r\n\r\n',
    ),
    outcome: { status: 500 },
  },
  {
    does: 'sends a packed body',
    behave: (s) => {
      const body = gzipSync('x'.repeat(1_000_000))
      s.write(`HTTP/1.1 500 No\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`)
      s.write(body)
    },
    outcome: { status: 500 },
  },
  {
    does: 'sends a body that is said to be packed and is not',
    behave: write(answer('500 No', 'Content-Encoding: br\r\n', 'plain')),
    outcome: { status: 500 },
    stored: { answer_body: 'plain' },
  },
  {
    does: 'sends headers with the names of an object’s members',
    behave: write(answer('500 No', '__proto__: a\r\nconstructor: b\r\ntoString: c\r\nhasOwnProperty: d\r\n')),
    outcome: { status: 500 },
    stored: { answer_headers: { constructor: 'b', tostring: 'c', hasownproperty: 'd', 'content-length': '0' } },
  },
  {
    does: 'sends more headers than are read',
    behave: write(answer('200 OK', `X: ${'y'.repeat(20_000)}\r\n`)),
    outcome: unreadable,
  },
  { does: 'speaks another protocol', behave: write('220 mail.example.com ESMTP\r\n'), outcome: unreadable },
]

describe('An attempt ends in its time with its reason, and the next company’s message arrives, where a receiver', () => {
  let attacked: Company
  let served: Company
  beforeEach(async () => {
    await stage.sql(
      "update webhook_endpoints set disabled_at = now(), disabled_because = 'by_hand' where disabled_at is null",
    )
    ;[attacked, served] = [await stage.company(), await stage.company()]
  })

  test.each<Row>(rows)('$does', async ({ behave, outcome, isSlow, when, stored }) => {
    const receiver = await openSocketServer(behave, when)
    try {
      const { id } = await stage.hook(attacked, receiver.url)
      await stage.hook(served, other.url)
      // Longer than the system takes without a reader.
      await attacked.create('clients', { name: 'Attacked', notes: 'long '.repeat(1000) })
      const client = await served.create('clients', { name: 'Served' })
      await stage.visible()
      const before = other.got.length
      const since = performance.now()
      await sendDue(stage.app)
      const ms = performance.now() - since
      expect(ms).toBeLessThan(timeoutMs + slackMs)
      const [attempt, ...more] = await stage.sql<{ ms: number; status: number | null; failure: string | null }>(
        'select * from webhook_attempts where endpoint_id = $1',
        id,
      )
      expect(attempt).toMatchObject({ failure: null, ...outcome, ...stored })
      expect(more).toEqual([])
      // Chiefly, an attempt that is known to be over does not wait for its limit.
      if (isSlow) expect(attempt?.ms).toBeGreaterThan(timeoutMs - 50)
      else expect(attempt?.ms).toBeLessThan(timeoutMs)
      const got = other.got.slice(before)
      expect(got.map(({ data }) => data.record_id)).toEqual([client])
      // The message of the next company does not wait for the end of the hung attempt.
      if (isSlow) expect((got[0]?.at ?? 0) - since).toBeLessThan(timeoutMs)
      const state = await stage.state(id)
      expect(state).toMatchObject({ claim: null, disabled_because: null })
      // No pause is longer than the longest of the settings.
      const wait = (state.next_attempt_at?.getTime() ?? 0) - Date.now()
      expect(wait).toBeLessThan(61_000)
      const arrived = outcome.status !== null && outcome.status >= 200 && outcome.status < 300
      expect(state.next_attempt_at === null).toBe(arrived)
    } finally {
      await receiver.close()
    }
  })
})
