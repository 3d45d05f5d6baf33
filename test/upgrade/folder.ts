import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { shippedMigrations } from '#server/store/migration-files.ts'

const root = join(import.meta.dirname, '../..')

/** The module that migrations in TypeScript create indexes by. */
export const concurrentIndex = '#server/store/concurrent-index.ts'

/** The shipped migrations and those given, by file name, in a folder that is gone when the test is over. */
export async function folderWith(files: { [name: string]: string }): Promise<string> {
  const base = await mkdtemp(join(tmpdir(), 'plumbline-migrations-'))
  onTestFinished(() => rm(base, { recursive: true, force: true }))
  // Short names of modules are known beside a package.json.
  for (const name of ['package.json', 'registry', 'server']) await symlink(join(root, name), join(base, name))
  const folder = join(base, 'migrations')
  await cp(shippedMigrations, folder, { recursive: true })
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return folder
}
