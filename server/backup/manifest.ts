import { hash } from 'node:crypto'

/** The contents of a backup, with a checksum of its own. It is a file beside the others, or the last entry of a tar. */
export type Manifest = {
  format: typeof format
  started_at: string
  /** The earliest moment to which the archive can recover this backup. */
  finished_at: string
  /** The version of the program, and the migrations that its database had seen. */
  plumbline: string
  migrations: string[]
  postgres: { major: string; version: string; system_id: string }
  /** The part of PostgreSQL's log that makes the copy consistent; it is in the backup. */
  log: { timeline: number; start: string; stop: string }
  files: FileFacts[]
}

export type FileFacts = { path: string; bytes: number; sha256: string }

export const format = 'plumbline-backup-1'
export const manifestName = 'manifest.json'

export function manifestText(manifest: { format: string }): string {
  const checksum = checksumOf(manifest)
  return `${JSON.stringify({ ...manifest, checksum }, null, 1)}\n`
}

/** Parses a manifest. Throws if it has another format or not its own checksum. `where` names it in the message. */
export function readManifest<T extends { format: string }>(text: string, where: string, format: T['format']): T {
  const { checksum, ...manifest } = parseManifest(text, where) as T & { checksum?: unknown }
  if (manifest.format !== format)
    throw new BackupProblem(
      `${where} says format ${JSON.stringify(manifest.format ?? null)}, and this reads ${format}: use the command and the version of Plumbline that it is of.`,
    )
  if (checksum !== checksumOf(manifest))
    throw new BackupProblem(`${where} is damaged: it does not have its own checksum. Use another one.`)
  return manifest as unknown as T
}

function parseManifest(text: string, where: string): object {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // The error is thrown below.
  }
  throw new BackupProblem(`${where} is damaged or cut off: it is no JSON object. Use another one.`)
}

const checksumOf = (manifest: object): string => hash('sha256', JSON.stringify(manifest))

/** Thrown when a backup cannot be created or is not as it should be. The message names the reason and what to do. */
export class BackupProblem extends Error {
  override name = 'BackupProblem'
}
