import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { drawer } from '../draw.ts'
import { pause } from '../operations.ts'
import { openRecorder } from '../recorder.ts'
import { giveIn, makeFolder, startService } from '../service.ts'
import { clusterIn, flipByte, pageBytes, tableFiles } from './files.ts'
import { type Image, keepImage, startOn } from './image.ts'
import { siteOf, startWriting } from './load.ts'

/** One byte of one page of a stopped database that the disk has changed. */
export type FlipTrial = {
  file: string
  page: number
  /** Answers that were refused because of it; a service that did not start refused all. */
  refused: number
  /** What was not as promised. */
  wrong: string[]
  /** Whether the backup was brought back in its place; null where this was not tried. */
  mended: boolean | null
}

export type Flips = { flips: FlipTrial[] }

type Asked = {
  image: Image
  token: string
  flips: number
  seed: number
  /** The backup is brought back after each trial whose number is divisible by this. */
  restoreEvery: number
  signal?: AbortSignal
  onTrial?: (made: number) => void
}

const damageSaid = /invalid page in block \d+ of relation|page verification failed/

/** Damages pages of a database that is full of records, and looks at whatever is then answered. */
export async function tryFlips({ image, token, flips, seed, restoreEvery, signal, onTrial }: Asked): Promise<Flips> {
  const draw = drawer(seed)
  const known = new Map<string, string>()
  const place = await makeFolder()
  const backup = join(place, 'backup.tar')
  const full = await fillImage({ image, token, draw, known, backup })
  const trials: FlipTrial[] = []
  try {
    while (trials.length < flips && !signal?.aborted) {
      const damage = await drawDamage(clusterIn(full.folder), draw)
      const trial = await flip(full, damage, { known, token, place })
      const isDue = (trials.length + 1) % restoreEvery === 0
      if (isDue) trial.mended = await bringBack(backup, { known, token })
      if (trial.mended === false) trial.wrong.push('the backup did not bring back what was there')
      trials.push(trial)
      onTrial?.(trials.length)
    }
  } finally {
    await full.remove()
    await rm(place, { recursive: true, force: true })
  }
  return { flips: trials }
}

type Filling = { image: Image; token: string; draw: () => number; known: Map<string, string>; backup: string }

/** Writes records, notes what is answered of them, makes a backup and stops. */
async function fillImage({ image, token, draw, known, backup }: Filling): Promise<Image> {
  const { service, remove } = await startOn(image)
  const recorder = openRecorder(service.url, '/dev/null')
  try {
    const writing = await startWriting(siteOf(recorder, { name: 'a-0', text: token }, draw, 'load'), 4)
    while (writing.sendings.filter(({ isDone }) => isDone).length < 100) await pause(20)
    await writing.finish()
    for (const [path, data] of await readAll(service.url, token)) known.set(path, data)
    await service.give('backup', backup, '--with-key')
    await service.stop()
    return await keepImage(service.data)
  } finally {
    await recorder.close()
    await remove()
  }
}

type Damage = { file: string; page: number; at: number; by: number }

/** Mostly in tables and indexes of the service, now and then in those of PostgreSQL itself. */
async function drawDamage(cluster: string, draw: () => number): Promise<Damage> {
  const below = (most: number): number => Math.floor(draw() * most)
  const files = (await tableFiles(cluster)).filter((name) => !/^(global|base\/[1-5])\//.test(name))
  // Files from this number on are of what was made in the database, and not with it.
  const own = files.filter((name) => Number(name.split(/[/.]/)[2]) >= 16_384)
  const chosen = draw() < 0.9 ? own : files
  const file = chosen[below(chosen.length)] as string
  const page = below((await stat(join(cluster, file))).size / pageBytes)
  return { file, page, at: page * pageBytes + below(pageBytes), by: 1 + below(255) }
}

type Knowing = { known: ReadonlyMap<string, string>; token: string }

async function flip(
  image: Image,
  damage: Damage,
  { known, token, place }: Knowing & { place: string },
): Promise<FlipTrial> {
  const { file, page, at, by } = damage
  const trial: FlipTrial = { file, page, refused: 0, wrong: [], mended: null }
  let started: Awaited<ReturnType<typeof startOn>>
  try {
    started = await startOn(image, {
      damage: (data) => flipByte(join(clusterIn(data), file), at, by),
      settings: { LOG_LEVEL: 'error' },
    })
  } catch (error) {
    trial.refused = known.size
    if (!damageSaid.test(String(error))) trial.wrong.push(`the service did not start and did not say why: ${error}`)
    return trial
  }
  const { service, remove } = started
  try {
    for (const [path, before] of known) {
      const { status, data } = await read(service.url, token, path)
      if (status === 500 || status === 503) trial.refused++
      else if (status !== 200 || data !== before)
        trial.wrong.push(`${path} is answered ${status} ${data.slice(0, 200)}`)
    }
    for (const [method, path, body] of writes) {
      const status = await write(service.url, { token, method, path, body })
      if (status === 500 || status === 503) trial.refused++
      else if (status >= 300) trial.wrong.push(`${method} ${path} is answered ${status}`)
    }
    if (trial.refused > 0 && !damageSaid.test(service.said())) trial.wrong.push('the log does not name the page')
    const doctor = await saidBy(service.give('doctor'))
    if (trial.refused > 0 && (doctor.isDone || !/^PROBLEM +pages /m.test(doctor.said)))
      trial.wrong.push(`doctor says ${doctor.said}`)
    // A backup reads every page, also those for which nobody asked.
    const copy = await saidBy(service.give('backup', join(place, 'damaged.tar')))
    if (copy.isDone) trial.wrong.push('a backup was made of it')
    else if (!copy.said.includes(file)) trial.wrong.push(`the backup was refused without its name: ${copy.said}`)
  } finally {
    await remove()
  }
  return trial
}

/** Brings the backup back in the place of what is damaged, and compares all that is read. */
async function bringBack(backup: string, { known, token }: Knowing): Promise<boolean> {
  const folder = await makeFolder()
  await giveIn(folder, 'restore', backup)
  const service = await startService(undefined, { folder })
  try {
    const now = new Map(await readAll(service.url, token))
    return [...known].every(([path, data]) => now.get(path) === data)
  } finally {
    await service.close()
  }
}

const writes: readonly [method: string, path: string, body: object][] = [
  ['POST', '/v1/clients', { name: 'After' }],
  ['POST', '/v1/projects', { name: 'After' }],
  ['PATCH', '/v1/clients/1', { notes: 'After' }],
  ['PATCH', '/v1/workers/1', { notes: 'After' }],
]

async function write(
  url: string,
  { token, method, path, body }: { token: string; method: string; path: string; body: object },
): Promise<number> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const answer = await fetch(url + path, { method, headers, body: JSON.stringify(body) })
  await answer.body?.cancel()
  return answer.status
}

async function read(url: string, token: string, path: string): Promise<{ status: number; data: string }> {
  const answer = await fetch(url + path, { headers: { Authorization: `Bearer ${token}` } })
  const body = (await answer.json()) as { data?: unknown }
  return { status: answer.status, data: JSON.stringify(body.data ?? body) }
}

/** Reads the lists, each record with its history, and the feed. */
async function readAll(url: string, token: string): Promise<[path: string, data: string][]> {
  const found: [string, string][] = []
  const keep = async (path: string): Promise<string> => {
    const { status, data } = await read(url, token, path)
    if (status !== 200) throw new Error(`${path} is answered ${status} ${data}`)
    found.push([path, data])
    return data
  }
  for (const records of ['clients', 'workers', 'projects']) {
    const listed = JSON.parse(await keep(`/v1/${records}?limit=100`)) as { id: number }[]
    for (const { id } of listed.slice(0, 20)) {
      await keep(`/v1/${records}/${id}`)
      await keep(`/v1/${records}/${id}/history`)
    }
  }
  await keep('/v1/changes?limit=100')
  return found
}

async function saidBy(giving: Promise<string>): Promise<{ isDone: boolean; said: string }> {
  try {
    return { isDone: true, said: await giving }
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    return { isDone: false, said: stdout + stderr }
  }
}
