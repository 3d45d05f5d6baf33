import { access } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { Mistake } from './mistake.ts'

/**
 * What is about an existing company makes no new database. Given in the wrong folder it would otherwise start an empty
 * one there, and say that there is no such company.
 */
export async function needDatabase(config: Config): Promise<void> {
  if (await hasDatabase(config)) return
  const folder = resolve(config.dataFolder)
  throw new Mistake(
    `There is no database in ${folder}: go to the folder that the server was started in, or set PLUMBLINE_DATA or DATABASE_URL as it has them; "plumbline company create" makes a new one.`,
    'not_found',
  )
}

/** Whether there is a database already, as far as can be said without starting anything. */
export async function hasDatabase({ databaseUrl, dataFolder }: Config): Promise<boolean> {
  if (databaseUrl !== null) return true
  // The cluster, or root's note of where it is kept.
  const signs = ['postgres/cluster', 'postgres-is-elsewhere.txt'].map((name) => isThere(join(dataFolder, name)))
  return (await Promise.all(signs)).includes(true)
}

/** A path that may not be looked at counts as there; opening it says why it cannot be used. */
const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  )
