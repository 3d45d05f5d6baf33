import { createHash } from 'node:crypto'
import { lstat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { inStage } from '../store/company-rows.ts'
import type { Connection } from '../store/database.ts'
import { seenMigrations } from '../store/migrate.ts'
import { type CompanyManifest, companyFormat, linesOf } from './export-company.ts'
import { BackupProblem, manifestName, readManifest } from './manifest.ts'
import { hashChunks, readTar } from './tar.ts'

/** Imports a company under a new id; its records keep their ids. Checks the whole archive before the first write. */
export async function importCompany(connection: Connection, from: string, progress: (sentence: string) => void) {
  const file = resolve(from)
  progress('Checking the archive …')
  const manifest = await checkArchive(file)
  const seen = await seenMigrations(connection)
  if (seen.join() !== manifest.migrations.join())
    throw new BackupProblem(
      `${file} is of another version of the tables (Plumbline ${manifest.plumbline}): bring both sides to the same version with "plumbline migrate" and export anew.`,
    )
  const companyId = await inStage(connection, async ({ add, insert }) => {
    for await (const { path, content } of readTar(file)) {
      if (path === manifestName) continue
      progress(`Importing ${path} …`)
      for await (const lines of piecesOf(content))
        await add(path.slice(0, -linesOf.length), lines).catch(refusedLine(path, file))
    }
    return insert().catch(refusedLine('a row', file))
  })
  return { companyId, manifest }
}

/** Throws a `BackupProblem` if the database refuses the data (SQLSTATE 22 and 23), else the error itself. */
const refusedLine =
  (path: string, file: string) =>
  (error: unknown): never => {
    const { code = '', message } = error as { code?: string; message: string }
    if (!/^2[23]/.test(code)) throw error
    throw new BackupProblem(`${path} in ${file} is not what this version takes (${message}): nothing was imported.`)
  }

/** Reads the manifest. Throws if an entry is missing, damaged or not in the manifest. */
async function checkArchive(file: string): Promise<CompanyManifest> {
  if (!(await lstat(file).catch(() => undefined))?.isFile())
    throw new BackupProblem(`${file} does not exist or is no file: name the archive of a company.`)
  const found = new Map<string, { bytes: number; sha256: string }>()
  let text: string | undefined
  for await (const { path, content } of readTar(file)) {
    if (path === manifestName) {
      text = (await buffer(content)).toString('utf8')
      continue
    }
    const hash = createHash('sha256')
    let bytes = 0
    for await (const chunk of hashChunks(content, hash)) bytes += chunk.length
    found.set(path, { bytes, sha256: hash.digest('hex') })
  }
  if (text === undefined)
    throw new BackupProblem(`${file} holds no ${manifestName}: it is no archive of a company, or not a whole one.`)
  const manifest = readManifest<CompanyManifest>(text, `${manifestName} in ${file}`, companyFormat)
  for (const { path, bytes, sha256 } of manifest.files) {
    const is = found.get(path)
    if (!is) throw new BackupProblem(`${path} is missing in ${file}. Export it anew.`)
    if (is.bytes !== bytes || is.sha256 !== sha256)
      throw new BackupProblem(
        `${path} in ${file} was changed or is damaged: it does not have its checksum. Export it anew.`,
      )
    found.delete(path)
  }
  for (const path of found.keys())
    throw new BackupProblem(`${path} in ${file} is not in its manifest: it was added afterwards. Export it anew.`)
  return manifest
}

const pieceLines = 1000

/** Yields chunks of lines. Splits at line feeds alone, because a text may contain other line separators. */
async function* piecesOf(content: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest = ''
  let lines: string[] = []
  for await (const chunk of content) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = parts.pop() ?? ''
    lines.push(...parts)
    while (lines.length >= pieceLines) {
      yield lines.slice(0, pieceLines)
      lines = lines.slice(pieceLines)
    }
  }
  if (rest !== '') lines.push(rest)
  if (lines.length > 0) yield lines
}
