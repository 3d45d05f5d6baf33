import { createReadStream } from 'node:fs'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { version } from '../config/config.ts'
import { flush } from '../embedded/folders.ts'
import { ourselves } from '../embedded/identity.ts'
import { sweep, unfinished } from '../embedded/leftovers.ts'
import { companyRows, companyTables, inSnapshot, leftOut } from '../store/company-rows.ts'
import type { Connection } from '../store/database.ts'
import { seenMigrations } from '../store/migrate.ts'
import { BackupProblem, type FileFacts, manifestName, manifestText } from './manifest.ts'
import { writeTar } from './tar.ts'

/** What an exported company is: a file of lines for each table, and this as the last entry. */
export type CompanyManifest = {
  format: typeof companyFormat
  exported_at: string
  plumbline: string
  migrations: string[]
  company_id: number
  files: (FileFacts & { rows: number })[]
  left_out: { [table: string]: string }
}

export const companyFormat = 'plumbline-company-1'
export const linesOf = '.jsonl'

export type ExportTask = {
  connection: Connection
  companyId: number
  to: string
  now(): Date
  progress(sentence: string): void
}

/** One archive with everything of a company but secrets, as of one moment. It has its name when it is whole. */
export async function exportCompany({
  connection,
  companyId,
  to,
  now,
  progress,
}: ExportTask): Promise<CompanyManifest> {
  const target = resolve(to)
  const parent = dirname(target)
  await mkdir(parent, { recursive: true })
  if (await stat(target).catch(() => undefined))
    throw new BackupProblem(`${target} is there already: name another file.`)
  await sweep(parent, ourselves())
  const aside = unfinished(parent)
  await mkdir(aside, { mode: 0o700 })
  const writer = writeTar(join(aside, 'archive.tar'))
  try {
    const files: CompanyManifest['files'] = []
    const exportedAt = now()
    await inSnapshot(connection, async (client) => {
      for (const table of await companyTables(client)) {
        progress(`Exporting ${table.table} …`)
        // An entry says its length first, so its lines are counted in a file before they become one.
        const lines = join(aside, 'lines')
        const { rows, bytes } = await spool(companyRows(client, table, companyId), lines)
        const facts = await writer.file(`${table.table}${linesOf}`, bytes, createReadStream(lines))
        if (table.table === 'companies' && rows === 0)
          throw new BackupProblem(`There is no company ${companyId}: name one that there is.`)
        files.push({ ...facts, rows })
        await rm(lines)
      }
    })
    const manifest: CompanyManifest = {
      format: companyFormat,
      exported_at: exportedAt.toISOString(),
      plumbline: version,
      migrations: await seenMigrations(connection),
      company_id: companyId,
      files,
      left_out: leftOut,
    }
    const text = Buffer.from(manifestText(manifest))
    await writer.file(manifestName, text.length, [text])
    await writer.end()
    await rename(join(aside, 'archive.tar'), target)
    await flush(parent)
    return manifest
  } finally {
    writer.destroy()
    await rm(aside, { recursive: true, force: true })
  }
}

async function spool(pieces: AsyncIterable<string[]>, file: string): Promise<{ rows: number; bytes: number }> {
  const handle = await open(file, 'wx', 0o600)
  let [rows, bytes] = [0, 0]
  try {
    for await (const lines of pieces) {
      const piece = Buffer.from(lines.map((line) => `${line}\n`).join(''))
      await handle.writeFile(piece)
      rows += lines.length
      bytes += piece.length
    }
  } finally {
    await handle.close()
  }
  return { rows, bytes }
}
