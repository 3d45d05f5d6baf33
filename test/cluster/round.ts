import type { Change } from '#server/service/changes.ts'
import { send } from '../stage/http.ts'
import { type Process, startProcess, urlOf } from '../stage/process.ts'
import type { Company, Stage } from '../stage/stage.ts'
import { pause, untilTold } from '../stage/wait.ts'
import { createConsumer } from './consumer.ts'

export type Round = { told: number; killed: number; wrong: string[] }

export type RoundOptions = {
  changes: number
  writers: number
  /** How many changes are written from one kill to the next. */
  changesPerKill: number
}

/**
 * Writers over two processes, of which one is killed with -9 each time so many changes are written, and a consumer that
 * follows from an empty copy, with the next page asked of either process. In the end the copy is what the lists say.
 */
export async function round(stage: Stage, { changes, writers, changesPerKill }: RoundOptions): Promise<Round> {
  const own = await stage.company({ plan: 'ENTERPRISE' })
  const environment = {
    DATABASE_URL: urlOf(stage.connection),
    PLUMBLINE_SECRET: 'the sealing key of the tests, long enough',
    LOG_LEVEL: 'silent',
  }
  const processes = await Promise.all([startProcess(environment), startProcess(environment)])
  let [written, killed, isOver] = [0, 0, false]
  let isDue = Promise.withResolvers<void>()
  const ask = (method: string, path: string, body?: object) => {
    const { url } = processes[Math.floor(Math.random() * 2)] as Process
    const json: [string, string][] = body ? [['Content-Type', 'application/json']] : []
    const headers: [string, string][] = [['Authorization', `Bearer ${own.token}`], ...json]
    return send(url, { method, path, headers, body: body && JSON.stringify(body) }).catch(() => undefined)
  }

  const write = async (writer: number): Promise<void> => {
    const mine: number[] = []
    while (written < changes) {
      const dice = Math.random()
      const id = mine[Math.floor(Math.random() * mine.length)]
      const answer =
        id === undefined || dice < 0.2
          ? await ask('POST', '/v1/clients', { name: `W${writer}` })
          : dice < 0.9
            ? await ask('PATCH', `/v1/clients/${id}`, { notes: String(Math.random()) })
            : await ask('DELETE', `/v1/clients/${id}`)
      if (!answer || answer.status >= 400) await pause(10)
      else if (++written % changesPerKill === 0) isDue.resolve()
      if (answer?.status === 201) mine.push(answer.body.data.id)
    }
  }
  const kill = async (): Promise<void> => {
    for (;;) {
      await isDue.promise
      if (isOver) return
      isDue = Promise.withResolvers()
      const victim = Math.floor(Math.random() * 2)
      await processes[victim]?.kill()
      killed++
      processes[victim] = await startProcess(environment)
    }
  }
  const consumer = createConsumer()
  const follow = async (): Promise<void> => {
    for (let cursor = ''; ; ) {
      const answer = await ask('GET', `/v1/changes?limit=100${cursor === '' ? '' : `&after=${cursor}`}&wait=1`)
      if (answer?.status !== 200) continue
      consumer.take(answer.body.data as Change[])
      cursor = answer.body.meta.next
      if (isOver && !answer.body.meta.more && answer.body.data.length === 0) return
    }
  }

  const following = follow()
  const killing = kill()
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))
  await untilTold(stage)
  isOver = true
  isDue.resolve()
  await Promise.all([killing, following])
  await Promise.all(processes.map((one) => one.stop()))
  return { told: consumer.told, killed, wrong: [...consumer.wrong, ...(await differences(own, consumer.copy))] }
}

/** What a copy and the lists do not agree on. */
async function differences(own: Company, copy: ReadonlyMap<string, { record: unknown }>): Promise<string[]> {
  const listed = new Map<string, unknown>()
  for (let after = 0; ; ) {
    const { body } = await own.get(`/v1/clients?after_id=${after}&limit=100`)
    for (const record of body.data) listed.set(`clients/${record.id}`, record)
    if (body.data.length < 100) break
    after = body.data.at(-1).id
  }
  const keys = new Set([...listed.keys(), ...copy.keys()])
  return [...keys]
    .filter((key) => JSON.stringify(listed.get(key)) !== JSON.stringify(copy.get(key)?.record))
    .map((key) => `${key} is not the same in the copy and in the list`)
}
