import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OpenApp } from '#server/app.ts'
import { segmentBytes, segmentName } from '#server/backup/segment.ts'
import { horizon, readChanges } from '#server/service/changes.ts'
import { clusterFacts } from '#server/store/cluster-facts.ts'
import { createStage, type Stage } from '../command/stage.ts'
import { eventually } from '../stage/wait.ts'
import { untilArchived } from './archived.ts'
import { type AnsweredWrite, differences, placeOf, startLoad } from './load.ts'
import { namesIn } from './restored.ts'

let stage: Stage
let opened: OpenApp
let settings: { [name: string]: string }
let backup: string
let segments: string
const moments: Date[] = []
/** Of the feed of changes: before the first moment, and after the last write. */
const cursors: string[] = []
let answered: AnsweredWrite[]
/** Lies between the two moments. */
let middleSegment: string

/** A backup, writes on and on after it with moments among them, and all of it archived. */
beforeAll(async () => {
  stage = await createStage('migrated')
  settings = { PLUMBLINE_ARCHIVE: join(stage.folder, "the archive's %f"), PLUMBLINE_ARCHIVE_SECONDS: '1' }
  opened = await stage.open(settings)
  backup = join(stage.folder, 'backup')
  await stage.give(['company', 'create', '--name', 'Quay'], settings)
  await stage.give(['backup', backup], settings)
  cursors.push((await feed(opened.app, 'now')).next)
  const load = startLoad(opened.app, 1, 2, 'archived')
  for (const turn of [1, 2]) {
    await eventually(async () => expect(load.answered.length).toBeGreaterThan(turn * 50))
    moments.push((await placeOf(opened.app)).at)
    if (turn === 2) break
    // The changes of a whole segment lie between the first moment and the middle one, which is whole before the second.
    await nextSegment()
    middleSegment = segmentName(1, await nextSegment())
    await nextSegment()
  }
  await eventually(async () => expect(load.answered.length).toBeGreaterThan(150))
  answered = await load.stop()
  cursors.push((await feed(opened.app, 'now')).next)
  const last = answered.at(-1)?.after.at as Date
  await untilArchived(opened, last)
  segments = join(settings.PLUMBLINE_ARCHIVE as string, (await clusterFacts(opened.connection)).systemId)
  // Segments are whole after a second each, and the machine may be busy.
}, 180_000)
afterAll(async () => {
  await opened.close()
  await stage.clear()
})

const feed = ({ database }: OpenApp['app'], after: string) =>
  readChanges(database, { companyId: 1, after, limit: 10, keptDays: 30 })

const restore = (name: string, time: string, more: { [name: string]: string } = {}) =>
  stage.give(['restore', backup, '--to-time', time], {
    ...settings,
    ...more,
    PLUMBLINE_DATA: resolve(stage.folder, name),
  })

/** Waits until PostgreSQL writes the next segment; its number. */
async function nextSegment(): Promise<number> {
  const current = async () => Number((await placeOf(opened.app)).position / BigInt(segmentBytes))
  const before = await current()
  return eventually(async () => {
    const now = await current()
    expect(now).toBeGreaterThan(before)
    return now
  })
}

/** Those after the backup, in their order. */
const later = async (): Promise<string[]> =>
  (await readdir(segments)).filter((name) => /^[0-9A-F]{24}\.gz$/.test(name)).toSorted()

describe('The archive', () => {
  test.each([0, 1])('brings back a moment under load, no write more and none less (%i)', async (index) => {
    const moment = moments[index] as Date
    expect(await restore(`moment-${index}`, moment.toISOString())).toMatchObject({ code: 0 })
    const { names, torn } = await namesIn(join(stage.folder, `moment-${index}`), 1)
    const found = differences(answered, names, {
      has: ({ after }) => after.at < moment,
      lacks: ({ before }) => before.at > moment,
    })
    expect(found.expected).toBeGreaterThan(20)
    expect({ ...found, torn }).toMatchObject({ lost: [], tooMuch: [], torn: [] })
  })

  test('brings back all there is, and a copy that is only looked at leaves no trace in it.', async () => {
    expect(await restore('latest', 'latest')).toMatchObject({ code: 0 })
    const { names } = await namesIn(join(stage.folder, 'latest'), 1)
    expect(answered.filter(({ name }) => !names.has(name))).toEqual([])
    expect((await readdir(segments)).filter((name) => !name.startsWith('00000001'))).toEqual([])
  })

  test('goes on after a restore, on a timeline of its own.', async () => {
    const data = { ...settings, PLUMBLINE_DATA: join(stage.folder, 'onwards') }
    await restore('onwards', (moments[0] as Date).toISOString())
    const { app, connection, close } = await stage.open(data)
    // The feed goes on from before the moment; what it told after that is not there, and it says so.
    expect(await feed(app, cursors[0] as string)).toMatchObject({ more: false })
    await expect(feed(app, cursors[1] as string)).rejects.toMatchObject({ code: 'cursor_gone' })
    expect((await horizon(app.database)).epoch).toBe(2)
    await stage.give(['company', 'create', '--name', 'After'], data)
    await eventually(async () => {
      expect(await readdir(segments)).toContain('00000002.history.gz')
      expect((await later()).some((name) => name.startsWith('00000002'))).toBe(true)
    })
    expect(await clusterFacts(connection)).toMatchObject({ archives: true, failing: null })
    await close()
  })

  test.each([
    ['a moment before the backup ended', '2020-01-01T00:00:00Z', /ended at .*, which is after 2020-01-01 00:00:00\+00/],
    ['a moment that it does not reach', '2999-01-01T00:00:00Z', /What was archived ends before that moment/],
    ['a time without a zone', '2026-01-01T00:00:00', /^--to-time must be a time with its zone/],
    ['no time', 'yesterday', /^--to-time must be a time with its zone/],
  ])('refuses %s.', async (name, time, says) => {
    const { code, err } = await restore(name, time)
    expect(code).toBe(String(says).includes('--to-time') ? 2 : 1)
    expect(err.trim().split('\n').at(-1)).toMatch(says)
  })

  test('is needed to restore a moment.', async () => {
    const given = ['restore', backup, '--to-time', 'latest']
    const { err } = await stage.give(given, { PLUMBLINE_DATA: join(stage.folder, 'none') })
    expect(err).toBe('--to-time needs what was archived: set PLUMBLINE_ARCHIVE to the folder of the archive.\n')
  })

  test.for<[string, (middle: string, last: string) => Promise<unknown>, (middle: string, last: string) => string]>([
    ['a middle segment is missing', (middle) => rm(middle), (middle) => `${basename(middle)} is missing in `],
    ['the last segment is cut off', (_, last) => truncate(last, 2000), (_, last) => `${last} is damaged or cut off`],
    [
      'a middle segment has the content of another one',
      (middle, last) => execute('cp', ['-p', last, middle]),
      (middle) => `${middle} holds another part of the log (segment `,
    ],
    [
      'a middle segment is of another database',
      (middle) => rewrite(middle, middle, (content) => content.writeBigUInt64LE(42n, 24)),
      (middle) => `${middle} is of another database (number 42, not `,
    ],
  ])('is refused by name where %s, and nothing is restored.', async ([what, spoil, says]) => {
    const { settings, middle, last } = await spoilt(what, spoil)
    const data = join(stage.folder, `data ${what}`)
    const { code, err } = await restore(data, 'latest', settings)
    expect(code).toBe(1)
    expect(err).toContain(says(middle, last))
    expect(await clusterIn(data)).toBe(false)
  })

  test('is refused where a segment is of another history, which only recovery shows; a moment before it comes back.', async () => {
    const { settings, middle, last } = await spoilt('history', (middle, last) =>
      // Every header is that of the segment it stands for; what it says goes on from elsewhere.
      rewrite(last, middle, (content, expected) => {
        for (let page = 0; page < content.length; page += 8192) expected.copy(content, page + 8, page + 8, page + 16)
      }),
    )
    const ends = new RegExp(
      `^PostgreSQL recovered to \\S+ and no further than before ${basename(middle)}, though .* up to ${basename(last)}`,
    )
    const refused = async (name: string, time: string): Promise<void> => {
      const { code, err } = await restore(name, time, settings)
      expect({ code, last: err.trim().split('\n').at(-1) }).toEqual({ code: 1, last: expect.stringMatching(ends) })
      expect(await clusterIn(join(stage.folder, name))).toBe(false)
    }
    await refused('history latest', 'latest')
    await refused('history moment', (moments[1] as Date).toISOString())
    expect(await restore('history before', (moments[0] as Date).toISOString(), settings)).toMatchObject({ code: 0 })
    // Three times the whole of it, on a machine that others use.
  })
})

const execute = promisify(execFile)

/** A copy of the archive as it was before the second timeline, with a segment between the two moments and the last one. */
async function spoilt(name: string, spoil: (middle: string, last: string) => Promise<unknown>) {
  const archive = join(stage.folder, `archive ${name}`)
  const folder = join(archive, basename(segments))
  await mkdir(archive, { mode: 0o711 })
  await execute('cp', ['-pR', segments, folder])
  const names = (await readdir(folder)).toSorted()
  for (const name of names) if (!/^00000001.{16}\.gz$/.test(name)) await rm(join(folder, name))
  const middle = join(folder, `${middleSegment}.gz`)
  const last = join(folder, names.findLast((name) => name.startsWith('00000001') && name.endsWith('.gz')) as string)
  await spoil(middle, last)
  return { settings: { PLUMBLINE_ARCHIVE: archive }, middle, last }
}

/** Writes the content of one segment, changed, over another, which keeps its owner. */
async function rewrite(
  from: string,
  to: string,
  change: (content: Buffer, expected: Buffer) => unknown,
): Promise<void> {
  const content = gunzipSync(await readFile(from))
  change(content, gunzipSync(await readFile(to)))
  await writeFile(to, gzipSync(content, { level: 1 }))
}

const clusterIn = async (data: string): Promise<boolean> =>
  (await readdir(join(data, 'postgres')).catch((): string[] => [])).includes('cluster')
