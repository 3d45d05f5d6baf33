import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { clusterExists } from '../../server/embedded/cluster.ts'
import type { Location } from '../../server/embedded/location.ts'
import { EmbeddedProblem, openOn } from '../../server/embedded/open.ts'
import { readOwnIdentity, run } from '../../server/embedded/processes.ts'
import { findBundledPackage } from '../../server/embedded/programs.ts'
import { isRoot, opener, stage } from './stage.ts'

test('A platform without a bundled PostgreSQL is told to set DATABASE_URL.', () => {
  expect(() => findBundledPackage('win32-x64')).toThrow(EmbeddedProblem)
  expect(() => findBundledPackage('win32-x64')).toThrow(/win32-x64.*set DATABASE_URL/)
})

test.each([
  ['18', '19'],
  ['19', '18'],
])('A folder of PostgreSQL %s is refused by a bundled %s, which names both and the way out.', async (made, bundled) => {
  const root = await mkdtemp(join(tmpdir(), 'plumbline-major-'))
  try {
    const cluster = join(root, 'cluster')
    await mkdir(cluster)
    await writeFile(join(cluster, 'PG_VERSION'), `${made}\n`)
    await expect(clusterExists({ cluster } as Location, bundled)).rejects.toThrow(
      `The database in ${cluster} was made by PostgreSQL ${made} and the bundled one is ${bundled}: start it with the version of Plumbline that made it and move each company with "plumbline export" and "plumbline import-company", or set PLUMBLINE_DATA to another folder.`,
    )
  } finally {
    await rm(root, { recursive: true })
  }
})

test('A data folder of another major version is left as it is.', async () => {
  const { machine, folder } = await stage()
  const { close } = await openOn(machine, { folder })
  await close()
  const version = join(folder, 'postgres', 'cluster', 'PG_VERSION')
  await writeFile(version, '17\n')
  await expect(openOn(machine, { folder })).rejects.toThrow(/made by PostgreSQL 17 and the bundled one is 18: /)
  expect(await readFile(version, 'utf8')).toBe('17\n')
})

test('A folder that cannot be made is named.', async () => {
  const { root, machine } = await stage()
  await writeFile(join(root, 'file'), '')
  await expect(openOn(machine, { folder: join(root, 'file', 'data') })).rejects.toThrow(
    /file\/data is not a folder.*PLUMBLINE_DATA/,
  )
})

test.skipIf(!isRoot)('A folder in which the user may not write is named.', async () => {
  const { machine, programs, folder } = await stage()
  await mkdir(folder)
  const ordinary = opener(folder, machine.shared, { programs, uid: 65_534 })
  expect((await ordinary.opened()).problem).toMatch(/data.* may not be used by this user .*, or set PLUMBLINE_DATA/)
})

test('What PostgreSQL says when it does not start is passed on.', async () => {
  const { machine, folder } = await stage()
  const { close } = await openOn(machine, { folder })
  await close()
  const conf = join(folder, 'postgres', 'cluster', 'postgresql.conf')
  await writeFile(conf, 'no_such_setting = 1\n')
  await expect(openOn(machine, { folder })).rejects.toThrow(/failed to start in .*no_such_setting/)
})

test.each([
  ['is missing', readOwnIdentity(), '/nowhere/program'],
  [
    'belongs to a user that we may not become',
    { ...readOwnIdentity(), uid: 2 ** 31 - 1, other: true },
    '/nowhere/program',
  ],
])('A program that cannot be started is no error of the process. It %s.', async (_, identity, file) => {
  const { ok, output } = await run(identity, file, [])
  expect({ ok, output }).toEqual({ ok: false, output: expect.stringMatching(/ENOENT|EPERM|EINVAL/) })
})
