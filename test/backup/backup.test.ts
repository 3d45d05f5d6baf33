import { appendFile, cp, mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OpenApp } from '#server/app.ts'
import { format, type Manifest, manifestText, readManifest } from '#server/backup/manifest.ts'
import { createStage, jsonOf, type Stage } from '../command/stage.ts'
import { differences, positionOf, startLoad } from './load.ts'
import { namesIn } from './restored.ts'

let stage: Stage
let opened: OpenApp
beforeAll(async () => {
  stage = await createStage('migrated')
  opened = await stage.open()
  await stage.give(['company', 'create', '--name', 'Quay'])
  await stage.give(['backup', 'whole'].map(inFolder))
  await stage.give(['backup', 'whole.tar', '--with-key'].map(inFolder))
})
afterAll(async () => {
  await opened.close()
  await stage.clear()
})

/** A word that names a backup lies in the folder of the tests. */
const inFolder = (word: string): string => (/^whole/.test(word) ? join(stage.folder, word) : word)

const manifestOf = async (folder: string): Promise<Manifest> => {
  const file = join(folder, 'manifest.json')
  return readManifest<Manifest>(await readFile(file, 'utf8'), file, format)
}

describe('A backup', () => {
  test.each([1, 2, 3])('brings back all that was answered before it ended, under load (%i)', async (round) => {
    const load = startLoad(opened.app, 1, 4, `round ${round}`)
    const to = join(stage.folder, `loaded-${round}`)
    expect(await stage.give(['backup', to])).toMatchObject({ code: 0 })
    const answered = await load.stop()
    const data = join(stage.folder, `restored-${round}`)
    expect(await stage.give(['restore', to], { PLUMBLINE_DATA: data })).toMatchObject({ code: 0 })
    const { names, torn } = await namesIn(data, 1)
    const { log, finished_at } = await manifestOf(to)
    const found = differences(answered, names, {
      has: ({ after }) => after.position <= positionOf(log.stop),
      lacks: ({ before }) => before.at > new Date(finished_at),
    })
    expect(found.expected).toBeGreaterThan(10)
    expect({ ...found, torn }).toMatchObject({ lost: [], tooMuch: [], torn: [] })
  })

  test('is refused where something is already.', async () => {
    for (const to of ['whole', 'whole.tar'].map(inFolder)) {
      const { code, err } = await stage.give(['backup', to])
      expect(code).toBe(1)
      expect(err).toBe(`${to} is there already: name a folder or a .tar file that is not.\n`)
    }
  })

  test('holds the key that seals tokens only when asked, and warns otherwise.', async () => {
    const key = await readFile(join(stage.data, 'secret'), 'utf8')
    expect(await readFile(join(stage.folder, 'whole', 'cluster.tar'))).not.toContain(key.trim())
    const { out } = await stage.give(['backup', join(stage.folder, 'without')])
    expect(out).toContain(`The key that seals tokens is not in it: keep ${join(stage.data, 'secret')} elsewhere`)
    const data = join(stage.folder, 'with-key')
    const said = jsonOf(await stage.give(['restore', inFolder('whole.tar'), '--json'], { PLUMBLINE_DATA: data }))
    expect(said).toMatchObject({ with_key: true, data })
    expect(await readFile(join(data, 'secret'), 'utf8')).toBe(key)
    expect((await stat(join(data, 'secret'))).mode & 0o777).toBe(0o600)
  })

  test('is read by its owner alone, and leaves nothing else behind.', async () => {
    expect((await stat(inFolder('whole'))).mode & 0o777).toBe(0o700)
    expect((await stat(inFolder('whole.tar'))).mode & 0o777).toBe(0o600)
    expect((await readdir(stage.folder)).filter((name) => name.startsWith('.unfinished'))).toEqual([])
  })

  test('is made by a role that can do nothing else.', async () => {
    const rights = `select rolsuper, rolcreatedb, rolcreaterole, rolreplication,
      (select count(*)::int from pg_shdepend where refobjid = r.oid) as owns
      from pg_roles r where rolname = any ($1) order by rolname`
    expect(await opened.app.database.read({ text: rights, values: [['plumbline', 'plumbline_backup']] })).toEqual([
      expect.objectContaining({ rolsuper: false, rolcreatedb: false, rolcreaterole: false, rolreplication: false }),
      { rolsuper: false, rolcreatedb: false, rolcreaterole: false, rolreplication: true, owns: 0 },
    ])
  })

  test.each(['whole', 'whole.tar'])('is verified by restoring it aside: %s.', async (name) => {
    const said = jsonOf(await stage.give(['backup', 'verify', inFolder(name), '--json']))
    const tables = said.tables as { table: string; rows: number; same: boolean }[]
    expect(said).toMatchObject({ ok: true })
    expect(tables.find(({ table }) => table === 'companies')).toMatchObject({ rows: 1, same: true })
    expect(tables.length).toBeGreaterThan(25)
  })
})

const offsetOf = async (file: string, text: string): Promise<number> => (await readFile(file)).indexOf(text)

async function change(file: string, offset: number): Promise<void> {
  const bytes = await readFile(file)
  bytes[offset] = (bytes[offset] ?? 0) ^ 1
  await writeFile(file, bytes)
}

const rewrite = async (folder: string, parts: Partial<Manifest>): Promise<void> => {
  const manifest = await manifestOf(folder)
  await writeFile(join(folder, 'manifest.json'), manifestText({ ...manifest, ...parts }))
}

/** What can have become of a backup, and what is said of it. */
const mutated: { what: string; of: 'whole' | 'whole.tar'; mutate(path: string): Promise<unknown>; says: RegExp }[] = [
  {
    what: 'a bit of a file has changed',
    of: 'whole',
    mutate: async (path) => {
      const archive = join(path, 'cluster.tar')
      await change(archive, (await offsetOf(archive, 'cluster/global/pg_control')) + 512 + 40)
    },
    says: /^cluster\/global\/pg_control in .*cluster\.tar is damaged: it does not have its checksum/,
  },
  {
    what: 'a bit of a name has changed',
    of: 'whole',
    mutate: async (path) => {
      const archive = join(path, 'cluster.tar')
      await change(archive, (await offsetOf(archive, 'cluster/global/pg_control')) + 8)
    },
    says: /cluster\.tar is damaged or cut off \(Invalid tar header/,
  },
  {
    what: 'it is cut off',
    of: 'whole',
    mutate: (path) => truncate(join(path, 'cluster.tar'), 5_000_100),
    says: /cluster\.tar is damaged or cut off \(Unexpected end of data\)/,
  },
  {
    what: 'it is cut off between two files',
    of: 'whole',
    mutate: async (path) => {
      const archive = join(path, 'cluster.tar')
      await truncate(archive, await offsetOf(archive, 'cluster/global/pg_control'))
    },
    says: /^cluster\/global\/pg_control is missing in .*cluster\.tar\. Use another backup\.$/,
  },
  {
    what: 'the archive is missing',
    of: 'whole',
    mutate: (path) => rm(join(path, 'cluster.tar')),
    says: /cluster\.tar is missing\. Use another backup\.$/,
  },
  {
    what: 'the manifest is missing',
    of: 'whole',
    mutate: (path) => rm(join(path, 'manifest.json')),
    says: /manifest\.json is missing: .* is no backup of Plumbline, or not a whole one\.$/,
  },
  {
    what: 'the manifest is cut off',
    of: 'whole',
    mutate: (path) => truncate(join(path, 'manifest.json'), 1000),
    says: /manifest\.json is damaged or cut off: it is no JSON object/,
  },
  {
    what: 'the manifest has changed',
    of: 'whole',
    mutate: async (path) =>
      change(join(path, 'manifest.json'), (await offsetOf(join(path, 'manifest.json'), 'sha256')) + 12),
    says: /manifest\.json is damaged: it does not have its own checksum/,
  },
  {
    what: 'it is of an unknown format',
    of: 'whole',
    mutate: (path) => rewrite(path, { format: 'plumbline-backup-9' as typeof format }),
    says: /manifest\.json says format "plumbline-backup-9", and this reads plumbline-backup-1/,
  },
  {
    what: 'it is of another major version of PostgreSQL',
    of: 'whole',
    mutate: (path) => rewrite(path, { postgres: { major: '17', version: '17.2', system_id: '1' } }),
    says: /was made by PostgreSQL 17 and the bundled one is 18: restore it with the version of Plumbline/,
  },
  {
    what: 'it is of a later version of Plumbline',
    of: 'whole',
    mutate: (path) => rewrite(path, { migrations: ['9999-later'] }),
    says: /was made by a later version of Plumbline \(.*\), whose 9999-later this one does not know/,
  },
  {
    what: 'a file is in it that is not in the manifest',
    of: 'whole',
    mutate: async (path) => rewrite(path, { files: (await manifestOf(path)).files.slice(1) }),
    says: /^cluster\/backup_label in .*cluster\.tar is not in the manifest/,
  },
  {
    what: 'a .tar file is cut off',
    of: 'whole.tar',
    mutate: (path) => truncate(path, 5_000_100),
    says: /whole\.tar is damaged or cut off \(Unexpected end of data\)/,
  },
  {
    what: 'a .tar file lacks its end',
    of: 'whole.tar',
    mutate: async (path) => truncate(path, (await readFile(path)).lastIndexOf('manifest.json')),
    says: /holds no manifest\.json: it is no backup of Plumbline, or not a whole one\.$/,
  },
  {
    what: 'a .tar file is none',
    of: 'whole.tar',
    mutate: (path) => writeFile(path, 'x'.repeat(2000)),
    says: /is damaged or cut off/,
  },
]

describe('A backup is refused by name, and nothing is restored, where', () => {
  test.for(mutated)('$what', async ({ of, mutate, says, what }) => {
    const path = join(stage.folder, `spoilt ${what}`, of)
    await cp(inFolder(of), path, { recursive: true })
    await mutate(path)
    const data = join(stage.folder, `data ${what}`)
    const { code, err } = await stage.give(['restore', path], { PLUMBLINE_DATA: data })
    expect(code).toBe(1)
    expect(err.trim().split('\n').at(-1)).toMatch(says)
    const left = await readdir(data, { recursive: true }).catch(() => [])
    expect(left.filter((name) => !/^(postgres|database-password)$/.test(name))).toEqual([])
    await rm(join(stage.folder, `spoilt ${what}`), { recursive: true })
  })

  test('there is none', async () => {
    const { code, err } = await stage.give(['restore', '/nowhere'], { PLUMBLINE_DATA: join(stage.folder, 'none') })
    expect({ code, err }).toEqual({ code: 1, err: '/nowhere is not there: name a backup.\n' })
  })

  test('the data folder is not empty', async () => {
    const data = join(stage.folder, 'mine')
    await mkdir(data)
    await appendFile(join(data, 'notes.txt'), 'mine')
    const { code, err } = await stage.give(['restore', inFolder('whole')], { PLUMBLINE_DATA: data })
    expect(code).toBe(1)
    expect(err).toBe(
      `${data} is not empty (notes.txt): move it away, or set PLUMBLINE_DATA to a folder that is empty or not there.\n`,
    )
    expect(await readdir(data)).toEqual(['notes.txt'])
    expect(await stage.give(['restore', inFolder('whole')])).toMatchObject({ code: 1 })
  })
})

test('After a refusal a whole backup is restored into the same folder.', async () => {
  const data = join(stage.folder, 'again')
  const cut = join(stage.folder, 'cut.tar')
  await cp(inFolder('whole'), cut, { recursive: true })
  await truncate(join(cut, 'cluster.tar'), 5_000_100)
  expect(await stage.give(['restore', cut], { PLUMBLINE_DATA: data })).toMatchObject({ code: 1 })
  expect(await stage.give(['restore', inFolder('whole')], { PLUMBLINE_DATA: data })).toMatchObject({ code: 0 })
  expect((await stage.give(['company', 'show', '1'], { PLUMBLINE_DATA: data })).out).toContain('Quay (company 1)')
})
