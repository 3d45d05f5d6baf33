import type { Socket } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Stage as CommandStage, createStage } from '../command/stage.ts'
import { urlOf } from '../stage/process.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'
import { eventually, untilTold } from '../stage/wait.ts'
import { ok, openReceiver, openSocketServer, type Receiver } from './receiver.ts'

/** `plumbline listen`, as a process of its own beside the service. */

let stage: Stage
let commands: CommandStage
let receiver: Receiver
let company: Company
beforeAll(async () => {
  stage = await openStage()
  commands = await createStage()
})
afterAll(async () => {
  await commands.clear()
  await stage.close()
})
beforeEach(async () => {
  receiver = await openReceiver()
  company = await stage.company()
})
afterEach(() => receiver.close())

type Line = {
  secret?: string
  after: string | null
  id?: string
  event?: string
  attempt?: number
  status?: number | null
}

/** A run of the command that has said its secret; what it says is read as it is said. */
async function listen(...words: string[]) {
  const given = ['listen', '--company', `${company.id}`, '--forward-to', receiver.url, '--json', ...words]
  const run = commands.start(given, { DATABASE_URL: urlOf(stage.connection), WEBHOOK_TIMEOUT_MS: '500' })
  await run.shows('"secret"')
  const lines = (): Line[] =>
    run.said.out
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  const stop = async (signal: 'SIGINT' | 'SIGKILL'): Promise<number | null> => {
    run.child.kill(signal)
    return (await run.ended).code
  }
  return { lines, stop, secret: lines()[0]?.secret as string }
}

const create = async (name: string) => {
  const id = await company.create('clients', { name })
  await untilTold(stage)
  return id
}
const names = () => receiver.got.map(({ data }) => data.record?.name)

describe('plumbline listen', () => {
  test('sends each change once, in order, signed so that a library accepts it, and ends with 130 at Ctrl-C.', async () => {
    const { secret, stop, lines } = await listen()
    for (const name of ['One', 'Two', 'Three']) await create(name)
    await eventually(async () => expect(names()).toEqual(['One', 'Two', 'Three']))
    for (const { text, headers } of receiver.got)
      expect(new Webhook(secret).verify(text, headers)).toMatchObject({ type: 'clients.created' })
    expect(() => new Webhook(secret).verify(`${receiver.got[0]?.text} `, receiver.got[0]?.headers ?? {})).toThrow()
    await eventually(async () => expect(lines()).toHaveLength(4))
    expect(await stop('SIGINT')).toBe(130)
    // No webhook was made and no attempt was kept.
    expect(await stage.sql('select from webhook_endpoints')).toEqual([])
    expect(await stage.sql('select from webhook_attempts')).toEqual([])
  })

  test('sends what is not taken again under its id, and nothing behind it before.', async () => {
    receiver.behave((_got, count) => (count === 0 ? 'close' : count === 1 ? { status: 500 } : ok))
    const { stop, lines } = await listen()
    await create('One')
    await create('Two')
    await eventually(async () => expect(names()).toEqual(['One', 'One', 'One', 'Two']))
    expect(new Set(receiver.got.slice(0, 3).map(({ id }) => id)).size).toBe(1)
    await eventually(async () => expect(lines()).toHaveLength(5))
    expect(lines().slice(1)).toMatchObject([
      { attempt: 1, status: null, after: null },
      { attempt: 2, status: 500, after: null },
      { attempt: 3, status: 204 },
      { attempt: 1, status: 204 },
    ])
    await stop('SIGINT')
  })

  test('sends the events that are asked for alone, thin ones without the record.', async () => {
    const { stop } = await listen('--events', 'clients.updated', '--payload', 'thin')
    const id = await create('One')
    await company.call('PATCH', `/v1/clients/${id}`, { body: { name: 'Other' } })
    await untilTold(stage)
    await eventually(async () => expect(receiver.got).toHaveLength(1))
    expect(receiver.got[0]).toMatchObject({ type: 'clients.updated', data: { record_id: id } })
    expect(receiver.got[0]?.data).not.toHaveProperty('record')
    await stop('SIGINT')
  })

  test('goes on after a receiver that changes the protocol, hints or never answers, and ends at Ctrl-C during an attempt.', async () => {
    const behaviours: ((socket: Socket) => void)[] = [
      (socket) => void socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
      (socket) => void socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'),
      (socket) => void socket.write('HTTP/1.1 204 No Content\r\n\r\n'),
    ]
    const hostile = await openSocketServer((socket) => behaviours.shift()?.(socket))
    try {
      const { stop, lines } = await listen('--forward-to', hostile.url)
      await create('One')
      await eventually(async () => expect(lines()).toHaveLength(4))
      expect(lines().slice(1)).toMatchObject([
        { attempt: 1, status: 101, after: null },
        { attempt: 2, status: null, after: null },
        { attempt: 3, status: 204 },
      ])
      await create('Two')
      await eventually(async () => expect(hostile.got()).toBe(4))
      expect(await stop('SIGINT')).toBe(130)
    } finally {
      await hostile.close()
    }
  })

  test('killed, it goes on behind the cursor that it said last, with the secret that is given.', async () => {
    const first = await listen()
    await create('One')
    await eventually(async () => expect(first.lines()).toHaveLength(2))
    await first.stop('SIGKILL')
    await create('Two')
    await create('Three')
    const after = first.lines()[1]?.after as string
    const second = await listen('--after', after, '--secret', first.secret)
    expect(second.secret).toBe(first.secret)
    await eventually(async () => expect(names()).toEqual(['One', 'Two', 'Three']))
    await second.stop('SIGINT')
  })
})
