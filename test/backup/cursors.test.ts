import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clients } from '#registry/resources/clients.ts'
import type { OpenApp } from '#server/app.ts'
import { operator } from '#server/records/actor.ts'
import { createRecord } from '#server/records/write-record.ts'
import { cursorOf, readChanges, readCursor } from '#server/service/changes.ts'
import { createStage, type Stage } from '../command/stage.ts'
import { untilArchived } from './archived.ts'
import { placeOf } from './load.ts'

type App = OpenApp['app']

/** Cursors of the feed where the database goes back: they go on from what was restored, and are refused beyond it. */
let stage: Stage
let settings: { [name: string]: string }
let opened: OpenApp
/** Where each page ended that the service told before it was restored. */
const before: { name: string; next: string }[] = []
let moment: Date

const companyId = 1
const create = (app: App, name: string) =>
  app.database.transaction((transaction) => createRecord(transaction, operator(companyId), clients, { name }))
const read = (app: App, after: string | null, limit: number) =>
  readChanges(app.database, { companyId, after, limit, keptDays: 30 })

/** Every page after a cursor, with the names that it told. */
async function follow(app: App, after: string | null, limit: number): Promise<{ names: string[]; next: string }[]> {
  const pages: { names: string[]; next: string }[] = []
  for (let cursor = after; ; ) {
    const { changes, next, more } = await read(app, cursor, limit)
    pages.push({ names: changes.map(({ record }) => String(record?.name)), next })
    if (!more && changes.length === 0) return pages
    cursor = next
  }
}

const namesOf = (pages: readonly { names: string[] }[]): string[] => pages.flatMap(({ names }) => names)
const nameAt = (count: number): string => `Client ${String(count).padStart(2, '0')}`
const namesUpTo = (count: number): string[] => Array.from({ length: count }, (_, index) => nameAt(index + 1))
/** Clients at the last mark, in the backup, at the moment between, and in all. */
const [marked, backedUp, atMoment, all] = [10, 20, 25, 30]

const writeUpTo = async (count: number): Promise<void> => {
  for (const name of namesUpTo(count).slice(before.length)) {
    await create(opened.app, name)
    const [page] = await follow(opened.app, before.at(-1)?.next ?? null, 1)
    before.push({ name: page?.names[0] as string, next: page?.next as string })
  }
}

beforeAll(async () => {
  stage = await createStage('migrated')
  settings = { PLUMBLINE_ARCHIVE: join(stage.folder, 'archive'), PLUMBLINE_ARCHIVE_SECONDS: '1' }
  opened = await stage.open(settings)
  await stage.give(['company', 'create', '--name', 'Quay'], settings)
  await writeUpTo(marked)
  await read(opened.app, 'now', 1)
  await writeUpTo(backedUp)
  await stage.give(['backup', join(stage.folder, 'backup')], settings)
  await writeUpTo(atMoment)
  moment = (await placeOf(opened.app)).at
  await writeUpTo(all)
  await untilArchived(opened, (await placeOf(opened.app)).at)
})
afterAll(async () => {
  await opened.close()
  await stage.clear()
})

/** The service on what is restored of a backup, for as long as the work takes. */
async function restored<T>(
  { name, from = 'backup', words = [] }: { name: string; from?: string; words?: string[] },
  work: (app: App) => Promise<T>,
): Promise<T> {
  // What goes on beside the service may not write into its archive.
  const data = { ...(words.length > 0 ? settings : {}), PLUMBLINE_DATA: join(stage.folder, name) }
  const { code, err } = await stage.give(['restore', join(stage.folder, from), ...words], data)
  expect({ code, err }).toMatchObject({ code: 0 })
  const { app, close } = await stage.open(data)
  try {
    return await work(app)
  } finally {
    await close()
  }
}

const gone = { code: 'cursor_gone' }

/** The same cursor as a release without lines gives it out. */
const withoutLine = (cursor: string): string => cursorOf(companyId, { ...readCursor(companyId, cursor), line: null })

/** What holds wherever the service was restored, with so many clients. */
async function holds(app: App, count: number): Promise<void> {
  for (const limit of [1, 3, 7, 100]) {
    const pages = await follow(app, null, limit)
    expect(namesOf(pages)).toEqual(namesUpTo(count))
    for (const [index, { next }] of pages.entries()) {
      const { changes } = await read(app, next, limit)
      expect(changes.map(({ record }) => record?.name)).toEqual(pages[index + 1]?.names ?? [])
    }
  }
  for (const { next } of before.slice(count)) {
    await expect(read(app, next, 1)).rejects.toMatchObject(gone)
    await expect(read(app, withoutLine(next), 1)).rejects.toMatchObject(gone)
  }
  // Between two pages: one was read before the restore, the next comes from what was restored.
  for (const { next, name } of before.slice(0, marked))
    for (const cursor of [next, withoutLine(next)])
      expect(namesOf(await follow(app, cursor, all))).toEqual(namesUpTo(count).filter((each) => each > name))
}

describe('After a restore', () => {
  test('a page’s own cursor goes on, one of before goes on from what is whole, and beyond what was restored it is gone; also after a second restore, whose epochs have the same numbers.', async () => {
    const ofTheFirst: string[] = []
    const behindTheMark: string[] = []
    await restored({ name: 'first' }, async (app) => {
      await holds(app, backedUp)
      const pages = await follow(app, null, 1)
      behindTheMark.push(...pages.slice(marked, backedUp).map(({ next }) => next))
      await create(app, 'Only in the first')
      const after = await follow(app, pages.at(-1)?.next ?? null, 1)
      expect(namesOf(after)).toEqual(['Only in the first'])
      ofTheFirst.push(...[...pages, ...after].map(({ next }) => next))
      // A release without lines beside this one: as if it was issued in the epoch of its position.
      await expect(read(app, withoutLine(behindTheMark[0] as string), 1)).rejects.toMatchObject(gone)
      const copy = join(stage.folder, 'backup-of-the-first')
      await stage.give(['backup', copy], { PLUMBLINE_DATA: join(stage.folder, 'first') })
    })
    await restored({ name: 'second' }, async (app) => {
      await holds(app, backedUp)
      await create(app, 'Only in the second')
      for (const cursor of ofTheFirst) await expect(read(app, cursor, 1)).rejects.toMatchObject(gone)
    })
    // All of the first epoch was known where these were issued, and the line came along.
    await restored({ name: 'third', from: 'backup-of-the-first' }, async (app) => {
      for (const [index, cursor] of behindTheMark.entries())
        expect(namesOf(await follow(app, cursor, 3))).toEqual([
          ...namesUpTo(backedUp).slice(marked + index + 1),
          'Only in the first',
        ])
    })
  })

  test('to a moment, the same holds at the moment.', async () => {
    const words = ['--to-time', moment.toISOString()]
    await restored({ name: 'moment', words }, (app) => holds(app, atMoment))
  })
})
