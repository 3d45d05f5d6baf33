import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bundledPackage } from '../../server/embedded/machine.ts'
import { EmbeddedProblem, openOn } from '../../server/embedded/open.ts'
import { isRoot, opener, stage } from './stage.ts'

test('A platform without a bundled PostgreSQL is told to set DATABASE_URL.', () => {
  expect(() => bundledPackage('win32-x64')).toThrow(EmbeddedProblem)
  expect(() => bundledPackage('win32-x64')).toThrow(/win32-x64.*set DATABASE_URL/)
})

test('A cluster of another major version is named and left alone.', async () => {
  const { machine, folder } = await stage()
  const { close } = await openOn(machine, { folder })
  await close()
  await writeFile(join(folder, 'postgres', 'cluster', 'PG_VERSION'), '17\n')
  await expect(openOn(machine, { folder })).rejects.toThrow(
    /made by PostgreSQL 17 and the bundled one is 18: .*pg_dump/,
  )
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
  expect((await ordinary.opened()).problem).toMatch(/You may not write in .*data.*: set PLUMBLINE_DATA/)
})

test('What PostgreSQL says when it does not start is passed on.', async () => {
  const { machine, folder } = await stage()
  const { close } = await openOn(machine, { folder })
  await close()
  const conf = join(folder, 'postgres', 'cluster', 'postgresql.conf')
  await writeFile(conf, 'no_such_setting = 1\n')
  await expect(openOn(machine, { folder })).rejects.toThrow(/failed to start in .*no_such_setting/)
})
