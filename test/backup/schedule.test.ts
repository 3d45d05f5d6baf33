import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { backupFacts, openFailureNotes } from '#server/backup/failures.ts'
import { backupsIn, dueAt, nameAt, removeOld } from '#server/backup/stored-backups.ts'
import { readConfig } from '#server/config/config.ts'
import { createStage, jsonOf, type Stage } from '../command/stage.ts'
import { urlOf } from '../stage/process.ts'
import { eventually } from '../stage/wait.ts'

let stage: Stage
let settings: { [name: string]: string }
beforeAll(async () => {
  stage = await createStage('migrated')
  settings = { PLUMBLINE_BACKUP_TO: join(stage.folder, 'backups'), PLUMBLINE_BACKUP_KEEP: '2', PLUMBLINE_DEMO: 'off' }
})
afterAll(() => stage.clear())

const at = new Date('2027-03-01T02:00:00.500Z')

describe('A backup of the service', () => {
  test('is due when the newest is as old as the setting says, and at once where there is none.', () => {
    expect(nameAt(at)).toBe('plumbline-20270301T020000Z')
    expect(dueAt(undefined, 3_600_000)).toEqual(new Date(0))
    expect(dueAt({ path: '', at }, 3_600_000)).toEqual(new Date('2027-03-01T03:00:00.500Z'))
  })

  test('is made by "serve", and told by /metrics and doctor.', async () => {
    const served = stage.start(['serve', '--json'], { ...settings, PORT: '0' })
    const { url } = JSON.parse(await served.shows('}')) as { url: string }
    const [made] = await eventually(async () => {
      const all = await backupsIn(settings.PLUMBLINE_BACKUP_TO as string)
      expect(all).toHaveLength(1)
      return all
    })
    const metrics = await (await fetch(`${url}/metrics`)).text()
    expect(metrics).toContain(`plumbline_backup_last_timestamp_seconds ${Number(made?.at) / 1000}\n`)
    expect(metrics).toContain('plumbline_backup_failing{work="backup"} 0\n')
    const { out } = await stage.give(['doctor'], settings)
    expect(out).toMatch(/^OK {7}backup {7}the newest is of .*, 0\.0 hours ago, in /m)
    served.child.kill('SIGTERM')
    expect(await served.ended).toMatchObject({ code: 0 })
    expect((await readdir(settings.PLUMBLINE_BACKUP_TO as string)).filter((name) => name.startsWith('.'))).toEqual([])
  })

  test('that fails is told loudly until one succeeds, and removes none.', async () => {
    const broken = { ...settings, PLUMBLINE_BACKUP_TO: join(stage.folder, 'file') }
    await writeFile(broken.PLUMBLINE_BACKUP_TO, 'no folder')
    expect(await stage.give(['backup'], broken)).toMatchObject({ code: 1 })
    expect((await stage.give(['doctor'], settings)).out).toMatch(/^PROBLEM {2}backup {7}.*the last one failed at /m)
    const config = readConfig({ ...stage.environment, ...settings })
    expect(await backupFacts(config, openFailureNotes(config.dataFolder))).toMatchObject({ failing: ['backup'] })
    const served = stage.start(['serve', '--json'], { ...broken, PORT: '0' })
    await eventually(async () => expect(served.said.err).toContain('a backup could not be made'))
    served.child.kill('SIGTERM')
    await served.ended
    expect(await backupsIn(settings.PLUMBLINE_BACKUP_TO as string)).toHaveLength(1)

    expect(await stage.give(['backup'], settings)).toMatchObject({ code: 0 })
    expect(await backupFacts(config, openFailureNotes(config.dataFolder))).toMatchObject({ failing: [] })
  })

  test('removes the oldest, once it is whole, and nothing else in the folder.', async () => {
    const folder = settings.PLUMBLINE_BACKUP_TO as string
    await rm(folder, { recursive: true })
    for (const name of ['plumbline-20200101T000000Z', 'plumbline-20200102T000000Z', 'plumbline-notes', 'mine'])
      await mkdir(join(folder, name), { recursive: true })
    const said = jsonOf(await stage.give(['backup', '--json'], settings))
    expect(said).toMatchObject({ removed: { backups: 1 } })
    const left = (await readdir(folder)).toSorted()
    expect(left).toEqual(['mine', 'plumbline-20200102T000000Z', expect.stringMatching(/Z$/), 'plumbline-notes'])
    expect(await removeOld(folder, 2, null)).toEqual({ backups: 0, segments: 0 })
  })

  test('that is long overdue is a problem for doctor.', async () => {
    const late = { ...settings, PLUMBLINE_BACKUP_TO: join(stage.folder, 'late') }
    await mkdir(join(late.PLUMBLINE_BACKUP_TO, 'plumbline-20200101T000000Z'), { recursive: true })
    expect((await stage.give(['doctor'], late)).out).toMatch(
      /^PROBLEM {2}backup {7}.*though one is due after 24\.0 hours/m,
    )
  })
})

test('What was archived before the oldest backup that is kept is removed with the older ones.', async () => {
  const archiving = {
    ...settings,
    PLUMBLINE_DATA: join(stage.folder, 'archived'),
    PLUMBLINE_BACKUP_TO: join(stage.folder, 'archived-backups'),
    PLUMBLINE_BACKUP_KEEP: '1',
    PLUMBLINE_ARCHIVE: join(stage.folder, 'archive'),
    PLUMBLINE_ARCHIVE_SECONDS: '1',
  }
  const { connection, close } = await stage.open(archiving)
  const segments = async (): Promise<string[]> => {
    const [id = ''] = await readdir(archiving.PLUMBLINE_ARCHIVE)
    return (await readdir(join(archiving.PLUMBLINE_ARCHIVE, id))).filter((name) => /^[0-9A-F]{24}\.gz$/.test(name))
  }
  expect(connection).toBeDefined()
  await stage.give(['backup'], archiving)
  await stage.give(['company', 'create', '--name', 'Quay'], archiving)
  await eventually(async () => expect((await segments()).length).toBeGreaterThan(2))
  const first = (await segments()).toSorted()[0] as string
  const { removed } = jsonOf(await stage.give(['backup', '--json'], archiving)) as { removed: { segments: number } }
  expect(removed.segments).toBeGreaterThan(0)
  expect(await segments()).not.toContain(first)
  await close()
})

describe('With DATABASE_URL', () => {
  test.each([
    ['backup', ['backup', 'somewhere'], 'pg_basebackup --dbname="$DATABASE_URL"'],
    [
      'restore',
      ['restore', 'somewhere'],
      'pg_restore --clean --if-exists --no-owner --dbname="$DATABASE_URL" plumbline.dump',
    ],
    ['backup verify', ['backup', 'verify', 'somewhere'], 'pg_verifybackup plumbline-base'],
  ])('%s names PostgreSQL’s own tools, says whether the server archives, and fails.', async (_, words, command) => {
    const { code, out, err } = await stage.give(words, { DATABASE_URL: urlOf(inject('server')) })
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toContain('The database is the one of DATABASE_URL: ')
    expect(err).toContain(command)
    expect(err).toContain('It archives nothing (archive_mode = off or no archive_command, wal_level = ')
  })

  test('they do so where the server cannot be reached, too.', async () => {
    const { code, err } = await stage.give(['backup', 'x'], { DATABASE_URL: 'postgres://erp:geheim@127.0.0.1:1/erp' })
    expect(code).toBe(1)
    expect(err).toMatch(/pg_dump .* Whether it archives its log could not be asked: The database cannot be reached/)
    expect(err).not.toContain('geheim')
  })
})

test('The documents name every command and setting as it is.', async () => {
  const text = await readFile(join(import.meta.dirname, '../../docs/backup.md'), 'utf8')
  for (const [, words = ''] of text.matchAll(/bin\/plumbline ([a-z-]+(?: verify)?)/g)) {
    expect((await stage.give([...words.split(' '), '--help'])).out, words).toContain(`plumbline ${words}`)
  }
})
