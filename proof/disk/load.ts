import { operations, pause, type Site } from '../operations.ts'
import type { RecordedRequest, RecordedResponse, Recorder } from '../recorder.ts'

/** A call that was sent, and when its answer came; null where none did. */
export type Sending = { sent: RecordedRequest; end: number | null; isDone: boolean }

export type Writing = {
  sendings: Sending[]
  /** Resolves once each caller has heard the end of what it sent. */
  finish(): Promise<void>
}

export const siteOf = (
  recorder: Recorder,
  token: RecordedRequest['token'],
  draw: () => number,
  prefix: string,
): Site => {
  let made = 0
  return {
    ...{ name: 'a', recorder, draw, token: () => token, isOver: () => false },
    ...{ clients: [], workers: [], projects: [], writes: [] },
    next: (what) => `${what}-${prefix}-${made++}`,
  }
}

/** Begins with callers that write without a pause and never send anything again, until nobody answers them. */
export async function startWriting(site: Site, callers: number): Promise<Writing> {
  const { recorder, draw } = site
  const sendings: Sending[] = []
  let isOver = false
  const sendAs = (operation: string) => async (parts: Omit<RecordedRequest, 'operation' | 'company' | 'token'>) => {
    const sending: Sending = {
      sent: { ...parts, operation, company: site.name, token: site.token() },
      end: null,
      isDone: false,
    }
    sendings.push(sending)
    const heard: RecordedResponse = await recorder.send(sending.sent)
    if (heard.status === null) isOver = true
    else {
      sending.end = performance.now()
      sending.isDone = heard.status < 300 && heard.write !== undefined
      if (sending.isDone && parts.method !== 'GET') site.writes.push(heard.write as string)
    }
    return heard
  }
  for (const [records, into, count] of [['clients', site.clients, 4] as const, ['workers', site.workers, 2] as const])
    for (let number = 0; number < count; number++) {
      const parts = {
        method: 'POST',
        path: `/v1/${records}`,
        body: { name: site.next(records) },
        key: site.next('key'),
      }
      const { status, answer } = await sendAs('prepare')(parts)
      if (status !== 201) throw new Error(`${records}: ${status} ${JSON.stringify(answer)}`)
      into.push(answer.data.id)
    }
  // What is there from the beginning stays: an undo would take it away.
  site.writes.length = 0
  const names = Object.keys(operations)
  const keepCalling = async (): Promise<void> => {
    while (!isOver) {
      const name = names[Math.floor(draw() * names.length)] as string
      await operations[name]?.(site, sendAs(name))
      await pause(3 * draw())
    }
  }
  const calling = Array.from({ length: callers }, keepCalling)
  return {
    sendings,
    finish: async () => {
      isOver = true
      await Promise.all(calling)
    },
  }
}
