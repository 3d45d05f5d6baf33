import type { Parts, Site } from '../operations.ts'
import type { RecordedResponse } from '../recorder.ts'

/** What races need: a company, and the addresses of the processes that they go over. */
export type Field = {
  site: Site
  urls: readonly string[]
  /** The records and writes that earlier races left for later ones. */
  clients: { id: number; write: string }[]
  projects: { id: number; isProtected: boolean }[]
}

/** A party of a race, by what it wants. */
export type Party = { want: string; parts: Parts }

/** A party of a race, and what it was answered. */
export type Answered = Party & { answer: RecordedResponse }

/** A race that was made: whether all of its calls were under way at one moment, what was heard, and what was wrong. */
export type Race = { isOverlapping: boolean; heard: Answered[]; wrong: string[] }

export const belowOf =
  ({ draw }: Pick<Site, 'draw'>) =>
  (most: number): number =>
    Math.floor(draw() * most)

/** Milliseconds by which the parties of every other race begin apart, so that they meet at other places. */
const apartMs = 4

/** Sends the calls of all parties at one moment, over one process after the other. */
export async function sendAtOnce({ site, urls }: Field, parties: readonly Party[]): Promise<Omit<Race, 'wrong'>> {
  const isApart = site.draw() < 0.5
  const first = belowOf(site)(urls.length)
  const times: { start: number; end: number }[] = []
  const heard = await Promise.all(
    parties.map(async ({ want, parts }, place) => {
      if (isApart && place > 0) await new Promise((resolve) => setTimeout(resolve, apartMs * site.draw()))
      const url = urls[(first + place) % urls.length] as string
      const start = performance.now()
      const sent = { ...parts, operation: want, company: site.name, token: site.token(), url }
      const answer = await site.recorder.send(sent)
      times.push({ start, end: performance.now() })
      return { want, parts, answer }
    }),
  )
  const lastStart = Math.max(...times.map(({ start }) => start))
  const firstEnd = Math.min(...times.map(({ end }) => end))
  return { isOverlapping: lastStart < firstEnd, heard }
}

/** The body of a batch that is done as a whole. */
export const batchOf = (...operations: object[]): object => ({ mode: 'all', operations })

export const isDone = ({ status }: RecordedResponse): boolean => status !== null && status < 300

/** Whether the answer leaves open what became of the call. */
export const isOpen = ({ status }: RecordedResponse): boolean => status === null || status >= 500

/** Says what was answered, such as `409 idempotency_in_progress`. */
export function formatAnswer({ status, answer, replayed }: RecordedResponse): string {
  return [status ?? 'none', ...(answer?.code ? [answer.code] : []), ...(replayed ? ['replayed'] : [])].join(' ')
}
