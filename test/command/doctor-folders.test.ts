import { createHash } from 'node:crypto'
import { chmod, lstat, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readProcessStart, stopServer } from '#server/embedded/processes.ts'
import { eventually } from '../stage/wait.ts'
import { createStage, type Stage } from './stage.ts'

/** What doctor says of a data folder and of the folders of backups, and that it leaves all of them as they were. */
const isRoot = process.geteuid?.() === 0

let stage: Stage
let cluster: string
beforeAll(async () => {
  stage = await createStage('migrated')
  cluster = join(stage.data, 'postgres', 'cluster')
  await stage.give(['company', 'create', '--name', 'A'])
})
afterAll(() => stage.clear())

type Check = { name: string; ok: boolean; says: string }
type Diagnosis = { code: number; checks: Check[] }

async function diagnose(more: { [name: string]: string } = {}): Promise<Diagnosis> {
  const { code, out } = await stage.give(['doctor', '--json'], more)
  return { code, checks: JSON.parse(out).checks }
}
const said = ({ checks }: Diagnosis, name: string): string[] =>
  checks.filter((check) => check.name === name).map(({ ok, says }) => `${ok ? 'OK' : 'PROBLEM'} ${says}`)

/** Every path in a folder with its mode, owner, time of change and content. */
async function listing(folder: string): Promise<string[]> {
  const names = ['', ...(await readdir(folder, { recursive: true }))].toSorted()
  return Promise.all(
    names.map(async (name) => {
      const path = join(folder, name)
      const { mode, uid, mtimeMs, isFile } = await lstat(path).then((stats) => ({ ...stats, isFile: stats.isFile() }))
      const content = isFile
        ? createHash('sha256')
            .update(await readFile(path))
            .digest('hex')
        : ''
      return [name, mode, uid, mtimeMs, content].join(' ')
    }),
  )
}

const stopped = 'OK the bundled PostgreSQL is stopped; "plumbline serve" starts it'

describe('doctor', () => {
  test('says that PostgreSQL is stopped, starts it not, and changes no file.', async () => {
    const before = await listing(stage.folder)
    expect(before.length).toBeGreaterThan(500)
    const found = await diagnose()
    expect(said(found, 'database')).toEqual([stopped])
    expect(said(found, 'migrations')).toEqual([])
    expect(found.code).toBe(0)
    expect(await stage.databaseRuns()).toBe(false)
    expect(await listing(stage.folder)).toEqual(before)
  })

  test('makes nothing where there is no database yet.', async () => {
    const data = join(stage.folder, 'none', 'data')
    const before = await listing(stage.folder)
    const found = await diagnose({ PLUMBLINE_DATA: data, PLUMBLINE_ARCHIVE: join(stage.folder, 'none', 'archive') })
    expect(said(found, 'database')).toEqual([`OK there is none yet in ${data}; "plumbline serve" makes it`])
    const unchanged = (lines: string[]) => lines.filter((line) => !line.startsWith(' '))
    expect(unchanged(await listing(stage.folder))).toEqual(unchanged(before))
  })

  test('names a service that runs without its PostgreSQL, and passes over the note of one that was killed.', async () => {
    const note = join(stage.data, 'serve.json')
    const write = (started: string | undefined) =>
      writeFile(note, JSON.stringify({ pid: process.pid, started, url: 'http://127.0.0.1:3000' }))
    await write(await readProcessStart(process.pid))
    const found = await diagnose()
    expect(said(found, 'database')).toEqual([
      `PROBLEM the bundled PostgreSQL is stopped, though process ${process.pid} serves http://127.0.0.1:3000 with it: the log of that process says why it does not start.`,
    ])
    expect(found.code).toBe(1)
    // The process id was given to another one since.
    await write('1')
    expect(said(await diagnose(), 'database')).toEqual([stopped])
    await writeFile(note, '{"pid":')
    expect(said(await diagnose(), 'database')).toEqual([stopped])
    await rm(note)
  })

  test('serve holds its note for as long as it runs; doctor is no user of its database, and stops none.', async () => {
    const note = join(stage.data, 'serve.json')
    const served = stage.start(['serve'], { PORT: '0', PLUMBLINE_DEMO: 'off', LOG_LEVEL: 'silent' })
    const url = /at (http:\S+)/.exec(await served.shows('is ready at'))?.[1]
    await eventually(async () => expect(JSON.parse(await readFile(note, 'utf8'))).toMatchObject({ url }))
    const { pid, started } = JSON.parse(await readFile(note, 'utf8'))
    expect(await readProcessStart(pid)).toBe(started)
    expect(said(await diagnose(), 'database')).toEqual([
      expect.stringMatching(/^OK PostgreSQL 18.*, the bundled PostgreSQL in /),
    ])
    served.child.kill('SIGTERM')
    await served.ended
    await expect(readFile(note)).rejects.toThrow(/ENOENT/)
    expect(await stage.databaseRuns()).toBe(false)

    const killed = stage.start(['serve'], { PORT: '0', PLUMBLINE_DEMO: 'off', LOG_LEVEL: 'silent' })
    await killed.shows('is ready at')
    process.kill(JSON.parse(await readFile(note, 'utf8')).pid, 'SIGKILL')
    await killed.ended
    // PostgreSQL runs on without a user.
    expect((await diagnose()).code).toBe(0)
    expect(await stage.databaseRuns()).toBe(true)
    await stopServer(cluster)
    expect(said(await diagnose(), 'database')).toEqual([stopped])
  })

  type Row = { what: string; make(path: string): Promise<unknown>; says: RegExp; asRoot?: false }
  const rows: Row[] = [
    { what: 'is a folder', make: (path) => mkdir(path, { mode: 0o777 }), says: /^OK .*: \d+\.\d GiB are free for / },
    { what: 'can be made', make: async () => undefined, says: /^OK .*: \d+\.\d GiB are free for / },
    {
      what: 'is a file',
      make: (path) => writeFile(path, ''),
      says: /^PROBLEM .*: .* is not a folder: put that right, /,
    },
    {
      what: 'lies below a file',
      make: async (path) => {
        await rm(dirname(path), { recursive: true })
        await writeFile(dirname(path), '')
      },
      says: /^PROBLEM .*: .* is not a folder: put that right, /,
    },
    {
      what: 'cannot be written',
      make: (path) => mkdir(path, { mode: 0o500 }),
      says: /^PROBLEM .*: the user ".*" cannot make a file in .*: put that right, /,
      asRoot: false,
    },
  ]
  describe.each(['PLUMBLINE_BACKUP_TO', 'PLUMBLINE_ARCHIVE'])(
    'tries %s as its user, and leaves nothing there',
    (name) => {
      test.each(rows)('that $what', async ({ make, says, asRoot }) => {
        if (isRoot && asRoot === false) return
        const parent = join(stage.folder, `target-${name}`)
        const path = join(parent, 'inner', 'folder')
        await mkdir(join(parent, 'inner'), { recursive: true })
        await make(path)
        const before = (await readdir(parent, { recursive: true })).toSorted()
        const found = await diagnose({ [name]: path })
        const [first = ''] = said(found, 'backup')
        expect(first).toMatch(says)
        expect(first).toContain(name)
        expect(found.code).toBe(first.startsWith('OK') ? 0 : 1)
        expect((await readdir(parent, { recursive: true })).toSorted()).toEqual(before)
        await chmod(join(parent, 'inner'), 0o755)
        await rm(parent, { recursive: true })
      })
    },
  )

  test.runIf(isRoot)('finds an archive that the user of PostgreSQL does not reach.', async () => {
    const closed = join(stage.folder, 'closed')
    await mkdir(join(closed, 'archive'), { recursive: true, mode: 0o700 })
    const [first] = said(await diagnose({ PLUMBLINE_ARCHIVE: join(closed, 'archive') }), 'backup')
    expect(first).toMatch(/^PROBLEM PLUMBLINE_ARCHIVE: the user "nobody" cannot reach /)
    await rm(closed, { recursive: true })
  })
})
