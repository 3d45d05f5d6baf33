import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import pg from 'pg'
import { check, countCalls, type Violation } from '../check.ts'
import { drawer } from '../draw.ts'
import { type Line, readHistory } from '../history.ts'
import { type Site, settle } from '../operations.ts'
import { openRecorder, type RecordedRequest, type Recorder } from '../recorder.ts'
import type { PostgresAddress } from '../service.ts'
import { startLoad } from '../workload.ts'
import { clusterIn, cutLog, endOfLog, newestPage, positionOf } from './files.ts'
import { type Image, keepImage, startOn } from './image.ts'
import { type Sending, siteOf, startWriting } from './load.ts'

/** One cut of the log of a machine that lost its power. */
export type CutTrial = {
  /** Bytes of the log that were written and are lost. */
  lost: number
  /** Writes whose success had been answered before the log was on the disk up to there: each has to be there. */
  acknowledged: number
  /** Writes under a key that were sent again because no answer of theirs counts. */
  repeated: number
  /** Calls that were checked. */
  calls: number
  violations: Violation[]
}

/**
 * `lies`: the disk has also lost what it had said to be on it, and the callers had heard so. Each of these has to be found broken, or the others
 * prove nothing.
 */
export type Cuts = { kills: number; cuts: CutTrial[]; lies: CutTrial[] }

type Asked = {
  image: Image
  token: string
  cuts: number
  lies: number
  /** Cuts of what one kill left. */
  perKill: number
  seed: number
  /** Where the history of each cut is written. */
  file: string
  signal?: AbortSignal
  onTrial?: (made: number) => void
}

const callers = 8

/** Kills everything at an arbitrary moment under load, cuts the log, and checks what the service then has. */
export async function tryCuts(asked: Asked): Promise<Cuts> {
  const { image, token, cuts, lies, perKill, seed, file, signal, onTrial } = asked
  const draw = drawer(seed)
  const found: Cuts = { kills: 0, cuts: [], lies: [] }
  while ((found.cuts.length < cuts || found.lies.length < lies) && !signal?.aborted) {
    const killed = await killUnderLoad(image, { token, draw, file: join(dirname(file), 'killed.jsonl') })
    found.kills++
    try {
      if (found.lies.length < lies) found.lies.push(await cut(killed, { draw, file, isLying: true }))
      for (let count = 0; count < perKill && found.cuts.length < cuts && !signal?.aborted; count++) {
        found.cuts.push(await cut(killed, { draw, file, isLying: false }))
        onTrial?.(found.cuts.length)
      }
    } finally {
      await killed.image.remove()
    }
  }
  return found
}

/** What a kill left: the disk, what the callers had heard, and what was on the disk for certain at which moment. */
type Killed = {
  image: Image
  token: RecordedRequest['token']
  lines: Line[]
  sendings: Sending[]
  /** The log was on the disk up to the position of each mark when it was asked for, at the moment of the mark. */
  marks: Mark[]
  /** Of the log as it was written. */
  end: number
}
type Mark = { at: number; position: number }
type Drawing = { token: string; draw: () => number; file: string }

async function killUnderLoad(image: Image, { token: text, draw, file }: Drawing): Promise<Killed> {
  const { service, remove } = await startOn(image)
  const token = { name: 'a-0', text }
  const recorder = openRecorder(service.url, file)
  const marks: Mark[] = []
  let sendings: Sending[]
  let kept: Image
  try {
    recorder.write({ kind: 'reference', records: 'projects', field: 'client_id', to: 'clients' })
    const watching = await watchLog(await service.met(), marks)
    const writing = await startWriting(siteOf(recorder, token, draw, 'load'), callers)
    const most = Math.round(20 + 150 * draw())
    while (writing.sendings.filter(({ isDone }) => isDone).length < most) await after(5)
    await after(30 * draw())
    await service.killAll()
    await writing.finish()
    await watching.end()
    sendings = writing.sendings
    kept = await keepImage(service.data)
  } finally {
    await recorder.close()
    await remove()
  }
  const lines = (await readFile(file, 'utf8')).split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
  const cluster = clusterIn(kept.folder)
  const floor = await newestPage(cluster)
  const honest = marks.filter(({ position }) => position >= floor)
  if (honest.length < 3) throw new Error('PostgreSQL wrote its pages as soon as its log, so no cut is fair')
  return { image: kept, token, lines, sendings, marks: honest, end: await endOfLog(cluster, honest[0]?.position ?? 0) }
}

/** Asks all the time how much of the log is on the disk. */
async function watchLog(met: PostgresAddress, marks: Mark[]): Promise<{ end(): Promise<void> }> {
  const { user, password, database, socket } = met
  const client = new pg.Client({ host: dirname(socket), user, password, database })
  client.on('error', () => {})
  await client.connect()
  const watching = (async () => {
    for (;;) {
      const at = performance.now()
      const { rows } = await client.query('select pg_current_wal_flush_lsn()::text as position')
      marks.push({ at, position: positionOf(rows[0].position) })
      await after(3)
    }
  })().catch(() => {})
  return {
    end: async () => {
      await watching
      await client.end().catch(() => {})
    },
  }
}

type Cutting = { draw: () => number; file: string; isLying: boolean }

async function cut(killed: Killed, { draw, file, isLying }: Cutting): Promise<CutTrial> {
  const { image, token, lines, sendings, marks, end } = killed
  const [first, last] = [marks[0], marks.at(-1)] as [Mark, Mark]
  const begin = first.position
  // A lie takes what was acknowledged from the second half on, which callers are believed to have heard.
  const at = isLying
    ? begin + 1 + Math.floor(draw() * (last.position - begin) * 0.5)
    : begin + Math.ceil(draw() * (end - begin))
  const heardUntil = isLying ? last.at : (marks.findLast(({ position }) => position <= at) ?? first).at
  const { service, remove } = await startOn(image, { damage: (data) => cutLog(clusterIn(data), at) })
  let recorder: Recorder | undefined
  try {
    recorder = openRecorder(service.url, file)
    for (const line of lines) recorder.write(asHeard(line, heardUntil))
    const isHeard = ({ end: ended }: Sending): boolean => ended !== null && ended < heardUntil
    const open = sendings.filter((sending) => !isHeard(sending) && sending.sent.key !== undefined)
    await repeat(open, siteOf(recorder, token, draw, 'again'))
    // Whoever asks for the end also writes, so that what the log was cut off behind goes on.
    const account = { id: '', name: 'a', token }
    await (await startLoad({ recorder, accounts: [account], seed: 1, writers: 0, followers: 0 })).finish()
    await recorder.close()
    const acknowledged = sendings.filter((sending) => isHeard(sending) && sending.isDone).length
    const history = await readHistory(file)
    const found = { calls: countCalls(history), violations: check(history) }
    return { lost: end - at, acknowledged, repeated: open.length, ...found }
  } finally {
    await recorder?.close()
    await remove()
  }
}

/** A call whose answer came later is one whose answer nobody heard. */
function asHeard(line: Line, until: number): Line {
  if (line.kind !== 'call' || line.end === null || line.end < until) return line
  const { etag, write, answer, replayed, ...sent } = line
  return { ...sent, end: null, status: null }
}

/** Sends again, as their callers do, what has no answer. */
async function repeat(open: readonly Sending[], site: Site): Promise<void> {
  const left = [...open]
  const worker = async (): Promise<void> => {
    for (let next = left.shift(); next; next = left.shift()) {
      const { operation, company, token, ...parts } = next.sent
      await settle(site, operation, parts)
    }
  }
  await Promise.all(Array.from({ length: callers }, worker))
}
