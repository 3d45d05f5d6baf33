import { chmod, chown, cp, lstat, mkdir, readdir, readFile, rm, stat, unlink, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { EmbeddedProblem, openOn } from '../../server/embedded/open.ts'
import { findUnprivileged } from '../../server/embedded/processes.ts'
import { findBundledPackage } from '../../server/embedded/programs.ts'
import { linkOpener } from './programs.ts'
import { ask, isRoot, opener, stage } from './stage.ts'

/** A copy of the package as npm leaves it when it refuses its install script. */
async function packageWithoutLinks(folder: string): Promise<string[]> {
  await cp(findBundledPackage(), folder, { recursive: true, verbatimSymlinks: true })
  const links = JSON.parse(await readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8')) as { target: string }[]
  const paths = links.map(({ target }) => join(folder, target))
  await Promise.all(paths.map((path) => rm(path, { force: true })))
  return paths
}

test('Links that npm did not make are made, by two starts at once.', async () => {
  const { root, machine, folder } = await stage()
  const links = await packageWithoutLinks(join(root, 'package'))
  const own = { ...machine, package: join(root, 'package') }
  const both = await Promise.all([openOn(own, { folder }), openOn(own, { folder: `${folder}2` })])
  for (const link of links) expect((await lstat(link)).isSymbolicLink()).toBe(true)
  expect((await readdir(join(root, 'package', 'native', 'lib'))).length).toBe(
    (await readdir(join(findBundledPackage(), 'native', 'lib'))).length,
  )
  await Promise.all(both.map(({ close }) => close()))
})

test.skipIf(!isRoot)(
  'A place in the data folder that another start already uses is not left for a second one.',
  async () => {
    const { root, machine } = await stage(homedir())
    await chmod(root, 0o700)
    const { root: reachable } = await stage()
    const shared = join(reachable, 'shared')
    const used = join(root, 'data', 'postgres')
    // What another start has begun, which could reach it.
    await mkdir(join(used, 'unfinished'), { recursive: true })
    const { uid, gid } = findUnprivileged(null)
    await chown(used, uid, gid)
    await expect(openOn({ ...machine, shared }, { folder: join(root, 'data') })).rejects.toThrow('cannot reach')
    expect(await readdir(join(root, 'data'))).not.toContain('postgres-is-elsewhere.txt')
    expect(await readdir(reachable)).not.toContain('shared')
  },
)

test.skipIf(!isRoot)(
  'A checkout and a data folder which only root can enter are worked with from elsewhere.',
  async () => {
    const { root } = await stage(homedir())
    await chmod(root, 0o700)
    // Somewhere PostgreSQL's user can reach, unlike root's home.
    const { root: reachable } = await stage()
    const shared = join(reachable, 'shared')
    const programs = { ...(await linkOpener(root)), node: process.execPath }
    const platform = basename(programs.package)

    const folder = join(root, 'data')
    const first = opener(folder, shared, { programs })
    expect(await first.next()).toEqual({
      progress: 'Copying the bundled PostgreSQL to where the user "nobody" can run it …',
    })
    const { how, connection } = await first.opened()
    expect(how).toBe('created')
    expect(await ask(connection!, 'select 1')).toBe(1)
    await first.close()

    const note = await readFile(join(folder, 'postgres-is-elsewhere.txt'), 'utf8')
    const home = note.trim().split('\n').at(-1)!
    expect(connection!.host).toBe(join(home, 'socket'))
    expect(home.startsWith(shared)).toBe(true)
    expect(await readdir(folder)).toEqual(['database-password', 'postgres-is-elsewhere.txt'])
    expect(await readFile(join(home, 'cluster', 'PG_VERSION'), 'utf8')).toBe('18\n')

    const copy = (await readdir(shared)).find((name) => name.startsWith(platform))!
    const made = await stat(join(shared, copy))
    expect([made.uid, made.mode & 0o777]).toEqual([0, 0o755])

    // One file of the copy is lost: it is not used as it is.
    await unlink(join(shared, copy, 'native', 'share', 'postgresql', 'snowball_create.sql'))
    const second = opener(folder, shared, { programs })
    expect(await second.opened()).toMatchObject({ how: 'started', connection })
    await second.close()
    expect((await readdir(shared)).filter((name) => name.startsWith('.'))).toEqual([])
    expect((await stat(join(shared, copy))).ino).not.toBe(made.ino)

    // Opened later, the data folder is not taken for an empty one.
    await chmod(root, 0o755)
    const third = opener(folder, shared, { programs })
    expect(await third.opened()).toMatchObject({ how: 'started', connection })
    await third.close()

    // Removed, it is.
    await chmod(root, 0o700)
    await rm(folder, { recursive: true })
    const [one, other] = [opener(folder, shared, { programs }), opener(folder, shared, { programs })]
    const both = await Promise.all([one.opened(), other.opened()])
    expect(both.filter(({ how }) => how === 'created')).toHaveLength(1)
    expect(both[0].connection).toEqual(both[1].connection)
    expect(both[0].connection).not.toEqual(connection)
    await Promise.all([one.close(), other.close()])
    expect(await readdir(shared)).toHaveLength(3)
  },
)

test.skipIf(!isRoot)('A folder for copies which others made or can change is not used.', async () => {
  const { root, machine } = await stage(homedir())
  await chmod(root, 0o700)
  const folder = join(root, 'data')
  const { root: reachable } = await stage()
  const shared = join(reachable, 'shared')
  await mkdir(shared)
  await chmod(shared, 0o777)
  await expect(openOn({ ...machine, shared }, { folder })).rejects.toThrow(/not safe to use/)
  await chmod(shared, 0o755)
  await chown(shared, 65_534, 65_534)
  await expect(openOn({ ...machine, shared }, { folder })).rejects.toThrow(EmbeddedProblem)
})

test.skipIf(!isRoot)('Other private files in the data folder stay root’s.', async () => {
  const { machine, folder } = await stage()
  await mkdir(folder)
  await writeFile(join(folder, 'secret'), 'x', { mode: 0o600 })
  const { close } = await openOn(machine, { folder })
  await close()
  expect(await stat(join(folder, 'secret'))).toMatchObject({ uid: 0, mode: 0o100600 })
  expect(await stat(folder)).toMatchObject({ uid: 0 })
  expect((await stat(join(folder, 'postgres'))).mode & 0o777).toBe(0o700)
})

test.skipIf(!isRoot)('An ordinary user runs PostgreSQL as itself; what it made, root runs as that user.', async () => {
  const { machine, programs, folder } = await stage()
  await mkdir(folder)
  await chown(folder, 65_534, 65_534)
  const ordinary = opener(folder, machine.shared, { programs, uid: 65_534 })
  expect(await ordinary.opened()).toMatchObject({ how: 'created' })
  const root = await openOn(machine, { folder })
  expect(root.how).toBe('attached')
  await ordinary.close()
  await root.close()

  const again = await openOn(machine, { folder })
  expect(again.how).toBe('started')
  expect((await stat(join(folder, 'postgres', 'cluster', 'postmaster.pid'))).uid).toBe(65_534)
  await again.close()
})

test('A long path gets its socket in a short private folder.', async () => {
  const { root, machine } = await stage()
  const { connection, close } = await openOn(machine, { folder: join(root, 'd'.repeat(120)) })
  expect(connection.host.length).toBeLessThan(88)
  expect((await stat(connection.host)).mode & 0o777).toBe(0o700)
  expect(await ask(connection, 'select 1')).toBe(1)
  await close()
  await rm(connection.host, { recursive: true })
})

test('A path may hold blanks, quotes and commas.', async () => {
  const { root, machine } = await stage()
  const { connection, close } = await openOn(machine, { folder: join(root, `o'Neil, "a" $b\\ü`) })
  expect(await ask(connection, 'select 1')).toBe(1)
  await close()
})
