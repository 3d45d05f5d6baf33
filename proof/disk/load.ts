import type { Parts, Site } from '../operations.ts'
import type { RecordedRequest, RecordedResponse, Recorder } from '../recorder.ts'
import { createSite, keepCalling, prepare } from '../workload.ts'

/** A call that was sent, and when its answer came; null where none did. */
export type Sending = { sent: RecordedRequest; end: number | null; isDone: boolean }

export type Writing = {
  sendings: Sending[]
  /** Resolves once each caller has heard the end of what it sent. */
  finish(): Promise<void>
}

/** The company of an image, for callers whose names have a prefix of their own. */
export const siteOf = (recorder: Recorder, token: RecordedRequest['token'], draw: () => number, prefix: string): Site =>
  createSite({ name: 'a', recorder, draw, token: () => token, isOver: () => false, prefix })

/** Begins with callers that write without a pause and never send anything again, until nobody answers them. */
export async function startWriting(site: Site, callers: number): Promise<Writing> {
  const sendings: Sending[] = []
  let isOver = false
  const sendAs = (operation: string) => async (parts: Parts) => {
    const sending: Sending = {
      sent: { ...parts, operation, company: site.name, token: site.token() },
      end: null,
      isDone: false,
    }
    sendings.push(sending)
    const heard: RecordedResponse = await site.recorder.send(sending.sent)
    if (heard.status === null) isOver = true
    else {
      sending.end = performance.now()
      sending.isDone = heard.status < 300 && heard.write !== undefined
      if (sending.isDone && parts.method !== 'GET') site.writes.push(heard.write as string)
    }
    return heard
  }
  await prepare(site, sendAs('prepare'))
  const writing = { ...site, isOver: () => isOver }
  const calling = Array.from({ length: callers }, () => keepCalling(writing, sendAs, 3))
  return {
    sendings,
    finish: async () => {
      isOver = true
      await Promise.all(calling)
    },
  }
}
