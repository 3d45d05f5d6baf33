import { readdirSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'

/** What a version left behind, and what it had answered. */
export type Snapshot = {
  /** SQL that makes its database in an empty one. */
  database: string
  /** Everything it asked of its database, each statement once. */
  statements: readonly string[]
  token: string
  answers: readonly AnsweredCall[]
}

export type AnsweredCall = {
  method: string
  path: string
  headers: { readonly [name: string]: string }
  body?: unknown
  status: number
  answer: unknown
}

const folder = join(import.meta.dirname, 'snapshots')
const fileOf = (name: string): string => join(folder, `${name}.json.gz`)

/** The versions that there are snapshots of. */
export const snapshots = (): string[] =>
  readdirSync(folder)
    .map((file) => file.replace('.json.gz', ''))
    .toSorted()

export const snapshotOf = (
  made: Pick<Snapshot, 'token' | 'answers'>,
  database: string,
  statements: readonly string[],
): Snapshot => ({ ...made, database, statements })

export async function writeSnapshot(name: string, snapshot: Snapshot): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(fileOf(name), gzipSync(JSON.stringify(snapshot), { level: 9 }))
}

export const readSnapshot = async (name: string): Promise<Snapshot> =>
  JSON.parse(gunzipSync(await readFile(fileOf(name))).toString('utf8'))
