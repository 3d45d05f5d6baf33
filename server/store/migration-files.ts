import { readdir } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { MigrationBuilder, RunnerOption } from 'node-pg-migrate'
import type pg from 'pg'
import { appliedMigrations as appliedNames, migrationsTable } from '#sql/system/migrations.ts'

/** The migrations of this version. Each is a file of SQL with its way back, or a module with `up` and `down`. */
export const shippedMigrations = join(import.meta.dirname, '../../migrations')

/** Returns the names of the migrations in a folder, in their order. */
export const knownMigrations = async (folder = shippedMigrations): Promise<string[]> =>
  (await readdir(folder))
    .filter((file) => endings.some((ending) => file.endsWith(ending)))
    .map((file) => parse(file).name)
    .sort()

const endings = ['.sql', '.ts']

/** Returns the names of the migrations that a database has, in their order. */
export async function appliedMigrations(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string | null }>(migrationsTable.text)
  if (!rows[0]?.name) return []
  const applied = await client.query<{ name: string }>(appliedNames.text)
  return applied.rows.map(({ name }) => name)
}

/**
 * A migration in TypeScript. Each of its statements commits by itself, so all must be idempotent. In a new database
 * they are part of its one transaction.
 */
type MigrationModule = { up: MigrationStep; down: MigrationStep }
type MigrationStep = (pgm: MigrationBuilder) => Promise<void>

/** Returns loaders of migrations for the library: its own would compile TypeScript, which Node runs as it is. */
export const loadersOf = (isOneTransaction: boolean): NonNullable<RunnerOption['migrationLoaderStrategies']> => [
  { extensions: ['.sql'], loader: 'legacySql' },
  {
    extensions: ['.ts'],
    loader: (files) => Promise.all(files.map((file) => loadModule(file, isOneTransaction))),
  },
]

async function loadModule(file: string, isOneTransaction: boolean) {
  const { up, down }: Partial<MigrationModule> = await import(pathToFileURL(file).href)
  if (!up || !down) throw new Error(`${file} must export "up" and "down"`)
  const runStep = (step: MigrationStep) => (pgm: MigrationBuilder) => {
    if (!isOneTransaction) pgm.noTransaction()
    return step(pgm)
  }
  return { id: file, filePaths: [file], actions: { up: runStep(up), down: runStep(down) } }
}
