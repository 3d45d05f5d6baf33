import { readdir, rename, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OpenApp } from '#server/app.ts'
import { segmentName, segmentOf } from '#server/backup/archived.ts'
import { horizon, readChanges } from '#server/service/changes.ts'
import { clusterFacts } from '#server/store/cluster-facts.ts'
import { makeStage, type Stage } from '../command/stage.ts'
import { eventually } from '../stage/wait.ts'
import { type Answered, differences, placeOf, startLoad } from './load.ts'
import { namesIn } from './restored.ts'

let stage: Stage
let opened: OpenApp
let settings: { [name: string]: string }
let backup: string
let segments: string
const moments: Date[] = []
/** Of the feed of changes: before the first moment, and after the last write. */
const cursors: string[] = []
let answered: Answered[]

/** A backup, writes on and on after it with moments among them, and all of it archived. */
beforeAll(async () => {
  stage = await makeStage()
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
  }
  await eventually(async () => expect(load.answered.length).toBeGreaterThan(150))
  answered = await load.stop()
  cursors.push((await feed(opened.app, 'now')).next)
  const last = answered.at(-1)?.after.at as Date
  await eventually(async () => {
    const { archivedAt } = await clusterFacts(opened.connection)
    expect(Number(archivedAt)).toBeGreaterThan(Number(last))
  }, 20_000)
  segments = join(settings.PLUMBLINE_ARCHIVE as string, (await clusterFacts(opened.connection)).systemId)
})
afterAll(async () => {
  await opened.close()
  await stage.clear()
})

const feed = ({ database }: OpenApp['app'], after: string) =>
  readChanges(database, { companyId: 1, after, limit: 10, keptDays: 30 })

const restore = (name: string, time: string) =>
  stage.give(['restore', backup, '--to-time', time], { ...settings, PLUMBLINE_DATA: join(stage.folder, name) })

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
    }, 20_000)
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
    expect(code).toBe(1)
    expect(err.trim().split('\n').at(-1)).toMatch(says)
  })

  test('is needed to restore a moment.', async () => {
    const given = ['restore', backup, '--to-time', 'latest']
    const { err } = await stage.give(given, { PLUMBLINE_DATA: join(stage.folder, 'none') })
    expect(err).toBe('--to-time needs what was archived: set PLUMBLINE_ARCHIVE to the folder of the archive.\n')
  })

  test('is refused by name where a segment is missing or damaged.', async () => {
    const last = (await later()).filter((name) => name.startsWith('00000001')).at(-1) as string
    const path = join(segments, last)
    const before = segmentName(1, Number.parseInt(last.slice(16, 24), 16) - 1)
    await rename(join(segments, `${before}.gz`), join(stage.folder, 'aside'))
    expect((await restore('gap', 'latest')).err).toContain(`${before}.gz is missing in ${segments}`)
    await rename(join(stage.folder, 'aside'), join(segments, `${before}.gz`))
    await truncate(path, 2000)
    expect((await restore('damaged', 'latest')).err).toContain(`${path} is damaged or cut off`)
  })
})

test.each([
  ['0/3000028', 3, '000000010000000000000003'],
  ['1/FF000000', 511, '0000000100000001000000FF'],
  ['A/0', 2560, '000000010000000A00000000'],
])('The position %s is in segment %i.', (position, segment, name) => {
  expect(segmentOf(position)).toBe(segment)
  expect(segmentName(1, segment)).toBe(name)
})
