import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OpenApp } from '#server/app.ts'
import { createComplete } from '#server/backup/create-complete.ts'
import { backupFacts, openFailureNotes } from '#server/backup/failures.ts'
import { startBackups } from '#server/backup/schedule.ts'
import { backupsIn } from '#server/backup/stored-backups.ts'
import { serve } from '#server/serve.ts'
import { clusterFacts } from '#server/store/cluster-facts.ts'
import { type CommandOutput, createStage, type Stage } from '../command/stage.ts'
import { isThere, notTried, openSmallDisk, type SmallDisk } from '../stage/small-disk.ts'
import { eventually } from '../stage/wait.ts'

/** Nothing that can become of the folder of a backup ends a process, leaves half a backup, or stops the service. */

let stage: Stage
let opened: OpenApp
let disk: SmallDisk | null
beforeAll(async () => {
  stage = await createStage('migrated')
  opened = await stage.open()
  await stage.give(['company', 'create', '--name', 'Quay'])
  await stage.give(['backup', join(stage.folder, 'whole')])
  disk = openSmallDisk(4)
  if (!disk) notTried('backups, exports and restores on a full and on a read-only disk')
})
afterAll(async () => {
  await opened.close()
  disk?.remove()
  await stage.clear()
})

/** The commands that write, with the folder that they write in. */
const commands: { what: string; words(folder: string): string[] }[] = [
  { what: 'backup to a folder', words: (folder) => ['backup', join(folder, 'new')] },
  { what: 'backup to a file', words: (folder) => ['backup', join(folder, 'new.tar')] },
  { what: 'export', words: (folder) => ['export', '--company', '1', '--to', join(folder, 'company.tar')] },
]

const remedy = { backup: 'name a place on another disk', export: 'name a file on another disk' }

/** Exit 1 and one sentence, without a stack. */
function expectSentence({ code, err }: CommandOutput, sentence: string): void {
  const lines = err.trim().split('\n')
  expect({ code, last: lines.at(-1) }).toEqual({ code: 1, last: sentence })
  expect(lines.filter((line) => /^\s+at /.test(line))).toEqual([])
}

const unfinishedIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.startsWith('.unfinished'))

describe.each(commands)('The command $what', ({ words }) => {
  const [way] = words('') as [keyof typeof remedy]

  test('says that a disk is full, and leaves nothing.', async ({ skip }) => {
    if (!disk) return skip()
    // A company takes less than a backup.
    disk.fill(way === 'export' ? 16 * 1024 : 2 * 1024 * 1024)
    const said = await stage.start(words(disk.folder)).ended
    expectSentence(said, `${disk.folder} is full (ENOSPC): make room, or ${remedy[way]}.`)
    expect(await readdir(disk.folder)).toEqual(['filler'])
    await rm(join(disk.folder, 'filler'), { recursive: true })
  })

  test('says that files may not grow, and leaves nothing.', async () => {
    const folder = join(stage.folder, 'limited')
    await mkdir(folder, { recursive: true })
    // In blocks of 512 bytes.
    const limited = ['-c', 'ulimit -f 8; exec "$@"', 'sh', process.execPath, main, ...words(folder)]
    expectSentence(
      await stage.start(limited, {}, '/bin/sh').ended,
      `${folder} takes no file of this size (EFBIG): raise the limit, or ${remedy[way]}.`,
    )
    expect(await readdir(folder)).toEqual([])
  })

  test('says that a disk is read-only.', async ({ skip }) => {
    const small = openSmallDisk(1)
    if (!small) return skip()
    small.makeReadOnly()
    const said = await stage.start(words(small.folder)).ended
    small.remove()
    expectSentence(said, `${small.folder} is on a read-only disk (EROFS): mount it for writing, or ${remedy[way]}.`)
  })

  test('says that its folder lies below a file.', async () => {
    const folder = join(stage.folder, 'a file', 'below')
    await writeFile(dirname(folder), 'no folder')
    expectSentence(
      await stage.give(words(folder)),
      `${folder} is not a folder, or lies below a file (ENOTDIR): remove the file that is in the way, or ${remedy[way]}.`,
    )
  })

  test('says that its folder was removed meanwhile.', async () => {
    const folder = join(stage.folder, 'removed')
    await mkdir(folder)
    const command = stage.start(words(folder))
    await eventually(async () => expect(await unfinishedIn(folder)).not.toEqual([]))
    await rm(folder, { recursive: true, maxRetries: 5 })
    expectSentence(
      await command.ended,
      `${folder} is missing or was removed (ENOENT): bring it back, mounting its disk if it is not mounted, or ${remedy[way]}.`,
    )
    expect(isThere(folder)).toBe(false)
  })
})

const main = join(import.meta.dirname, '../../server/commands/main.ts')

describe('A full disk', () => {
  test('is named by a restore, which leaves nothing and no PostgreSQL.', async ({ skip }) => {
    const small = openSmallDisk(4)
    if (!small) return skip()
    const data = join(small.folder, 'data')
    const said = await stage.start(['restore', join(stage.folder, 'whole')], { PLUMBLINE_DATA: data }).ended
    const left = (await readdir(data, { recursive: true })).filter(
      (name) => !/^(postgres|database-password)$/.test(name),
    )
    small.remove()
    expect(said.code).toBe(1)
    expect(said.err).toContain(' is full (ENOSPC): make room, or set PLUMBLINE_DATA to a folder of your own')
    expect({ left, stack: /^\s+at /m.test(said.err) }).toEqual({ left: [], stack: false })
  })

  test('is named by "backup verify", whose place is TMPDIR.', async ({ skip }) => {
    const small = openSmallDisk(4)
    if (!small) return skip()
    const said = await stage.start(['backup', 'verify', join(stage.folder, 'whole')], { TMPDIR: small.folder }).ended
    const left = (await readdir(small.folder)).filter((name) => name.startsWith('plumbline'))
    small.remove()
    expectSentence(said, `${small.folder} is full (ENOSPC): make room, or set TMPDIR to another folder.`)
    expect(left).toEqual([])
  })
})

describe('What could not be made whole', () => {
  const left = new Set<string>()
  const whole = (folder: string) => ({
    to: join(folder, 'whole'),
    ifTaken: 'name another',
    remedy: 'name another',
    left,
  })

  test('is removed at the next try, where it could not be removed at once.', async ({ skip }) => {
    const small = openSmallDisk(1)
    if (!small) return skip()
    const failing = createComplete(whole(small.folder), async (fresh) => {
      await mkdir(fresh)
      await writeFile(join(fresh, 'part'), 'part')
      small.makeReadOnly()
      throw new Error('it broke')
    })
    await expect(failing).rejects.toThrow('it broke')
    expect(await unfinishedIn(small.folder)).toHaveLength(1)
    small.makeWritable()
    await createComplete(whole(small.folder), (fresh) => writeFile(fresh, 'whole'))
    const left = await readdir(small.folder)
    small.remove()
    expect(left).toEqual(['whole'])
  })
})

describe('A connection that copies and is lost', () => {
  test('fails the backup, and nothing else.', async () => {
    const to = join(stage.folder, 'lost')
    const sender = { text: "select pid from pg_stat_activity where usename = 'plumbline_backup'", values: [] }
    const backup = stage.give(['backup', to])
    await eventually(async () => {
      const [row] = await opened.app.database.read<{ pid: number }>(sender)
      process.kill(row?.pid as number, 'SIGTERM')
    })
    const { code, err } = await backup
    expect({ code, isThere: isThere(to) }).toEqual({ code: 3, isThere: false })
    expect(err).not.toMatch(/^\s+at /m)
    expect(await unfinishedIn(stage.folder)).toEqual([])
  })
})

describe('The service, whose backups cannot be made', () => {
  type Fault = { folder: string; says: RegExp; mend(): Promise<void>; clear?(): void }
  const faults: { what: string; open(): Promise<Fault | null> }[] = [
    {
      what: 'on a full disk',
      open: async () => {
        const small = openSmallDisk(4)
        return (
          small && {
            folder: join(small.folder, 'backups'),
            says: /backups is full \(ENOSPC\): make room, or set PLUMBLINE_BACKUP_TO to another folder\./,
            mend: async () => small.resize(400),
            clear: () => small.remove(),
          }
        )
      },
    },
    {
      what: 'below a file',
      open: async () => {
        const folder = join(stage.folder, 'in the way')
        await writeFile(folder, 'no folder')
        return {
          folder,
          says: /in the way is not a folder.*: .*, or set PLUMBLINE_BACKUP_TO to another folder\./,
          mend: () => rm(folder),
        }
      },
    },
  ]

  test.for(faults)(
    '$what, answers, says so, tries again, and makes them once that is mended.',
    async ({ open }, { skip }) => {
      const fault = await open()
      if (!fault) return skip()
      const config = { ...opened.app.config, port: 0, backupTo: fault.folder }
      const lines: { error: Error; job: string }[] = []
      const app = { ...opened.app, config }
      const listening = await serve(app)
      const failures = async (): Promise<number> => {
        const text = await app.metrics.text()
        return Number(/plumbline_job_failures_total\{job="backup"\} (\d+)/.exec(text)?.[1])
      }
      const before = await failures()
      const backups = startBackups({
        ...{ config, connection: opened.connection, log: app.log, clock: app.clock, everyMilliseconds: 50 },
        notes: app.failureNotes,
        inBackground: (job, work, about) =>
          app.inBackground(
            job,
            async () => {
              try {
                await work()
              } catch (error) {
                lines.push({ error: error as Error, job })
                throw error
              }
            },
            about,
          ),
      })
      await eventually(async () => expect((await failures()) - before).toBeGreaterThan(1))
      expect((await fetch(`${listening.url}/readyz`)).status).toBe(200)
      expect(lines[0]).toMatchObject({ job: 'backup', error: { message: expect.stringMatching(fault.says) } })
      expect(await backupFacts(config, app.failureNotes)).toMatchObject({ failing: ['backup'] })
      expect((await stage.give(['doctor'], { PLUMBLINE_BACKUP_TO: fault.folder })).out).toMatch(fault.says)

      await fault.mend()
      await eventually(async () => expect(await backupsIn(fault.folder)).toHaveLength(1))
      await eventually(async () => expect(await backupFacts(config, app.failureNotes)).toMatchObject({ failing: [] }))
      await backups.stop()
      await listening.drain()
      expect(await unfinishedIn(fault.folder)).toEqual([])
      fault.clear?.()
    },
  )

  test('starts with a full target, says so in a line, and stops as ever.', async ({ skip }) => {
    if (!disk) return skip()
    const target = { PLUMBLINE_BACKUP_TO: join(disk.folder, 'backups') }
    // The process that makes the backups is none of those that serve /metrics.
    const settings = { ...target, PLUMBLINE_DEMO: 'off', PORT: '0', PROCESSES: '2' }
    const served = stage.start(['serve', '--json'], settings)
    const { url } = JSON.parse(await served.shows('}')) as { url: string }
    await eventually(async () => expect(served.said.err).toContain('is full (ENOSPC)'))
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    const metrics = await (await fetch(`${url}/metrics`)).text()
    expect(metrics).toContain('plumbline_job_failures_total{job="backup"} 1\n')
    expect(metrics).toContain('plumbline_backup_failing{work="backup"} 1\n')
    served.child.kill('SIGTERM')
    expect(await served.ended).toMatchObject({ code: 0 })
    expect(served.said.err).toContain('"job":"backup"')
    expect(await readdir(settings.PLUMBLINE_BACKUP_TO)).toEqual([])
  })
})

describe('An archive whose folder cannot be used', () => {
  test('stops the first start that archives, and none after that.', async () => {
    const archive = join(stage.folder, 'archive')
    const settings = {
      ...{
        PLUMBLINE_DATA: join(stage.folder, 'archiving'),
        PLUMBLINE_ARCHIVE: archive,
        PLUMBLINE_ARCHIVE_SECONDS: '1',
      },
      PLUMBLINE_DEMO: 'off',
    }
    await writeFile(archive, 'no folder')
    await expect(stage.open(settings)).rejects.toThrow(
      `${archive} is not a folder (EEXIST): remove what is in the way, or set PLUMBLINE_ARCHIVE to another folder.`,
    )
    await rm(archive)
    const before = await stage.open(settings)
    await eventually(async () => {
      await stage.give(['company', 'create', '--name', 'Quay'], settings)
      expect((await clusterFacts(before.connection)).archivedAt).not.toBeNull()
    })
    await before.close()
    await rm(archive, { recursive: true })
    await writeFile(archive, 'no folder')

    const { app, connection, close } = await stage.open(settings)
    const backups = startBackups({
      ...{ config: app.config, connection, log: app.log, clock: app.clock, everyMilliseconds: 50 },
      notes: app.failureNotes,
      inBackground: app.inBackground,
    })
    await stage.give(['company', 'create', '--name', 'Stone'], settings)
    await eventually(async () =>
      expect(await backupFacts(app.config, app.failureNotes)).toMatchObject({ failing: ['archive'] }),
    )
    expect(await app.metrics.text()).toMatch(/^plumbline_job_failures_total\{job="archive"\} [1-9]/m)
    await backups.stop()
    await close()
  })
})

describe('A failure that cannot be noted', () => {
  const failure = { at: new Date('2027-03-01T02:00:00Z'), says: 'it broke' }
  const noted = { at: failure.at.toISOString(), says: failure.says }

  test('in a full data folder is kept in memory, and noted with the next one.', async ({ skip }) => {
    const small = openSmallDisk(1)
    if (!small) return skip()
    const notes = openFailureNotes(small.folder)
    small.fill()
    await notes.note('backup', failure)
    expect(await notes.read()).toEqual({ backup: noted })
    expect(isThere(join(small.folder, 'backup-failures.json'))).toBe(false)
    await rm(join(small.folder, 'filler'), { recursive: true })
    await notes.note('archive', failure)
    const text = await readFile(join(small.folder, 'backup-failures.json'), 'utf8')
    expect(JSON.parse(text)).toEqual({ backup: noted, archive: noted })
    small.fill()
    await notes.note('backup', null)
    expect(await notes.read()).toEqual({ archive: noted })
    expect(await unfinishedIn(small.folder)).toEqual([])
    small.remove()
  })

  test('below a file is kept in memory.', async () => {
    const folder = join(stage.folder, 'no data', 'below')
    await writeFile(dirname(folder), 'no folder')
    const notes = openFailureNotes(folder)
    await notes.note('backup', failure)
    expect(await notes.read()).toEqual({ backup: noted })
    await rm(dirname(folder))
    await notes.note('archive', null)
    expect(JSON.parse(await readFile(join(folder, 'backup-failures.json'), 'utf8'))).toEqual({ backup: noted })
  })
})
