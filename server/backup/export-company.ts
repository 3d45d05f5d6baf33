import { createReadStream } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { version } from '../config/config.ts'
import { createUnfinishedPath } from '../embedded/folders.ts'
import { noCompany } from '../service/company.ts'
import { companyRows, companyTables, inSnapshot, leftOut } from '../store/company-rows.ts'
import type { Connection } from '../store/database.ts'
import { seenMigrations } from '../store/migrate.ts'
import { createComplete } from './create-complete.ts'
import { type FileFacts, manifestName, manifestText } from './manifest.ts'
import { writeTar } from './tar.ts'

/** The last entry of the archive of a company. The other entries are one file of lines for each table. */
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

/** Exports a company, without secrets, as of one moment. The archive gets its name when it is whole. */
export const exportCompany = (task: ExportTask): Promise<CompanyManifest> =>
  createComplete({ to: task.to, ifTaken: 'name another file', remedy: 'name a file on another disk' }, (fresh) =>
    writeArchive(fresh, task),
  )

async function writeArchive(fresh: string, task: ExportTask): Promise<CompanyManifest> {
  const { connection, companyId, now, progress } = task
  const writer = writeTar(fresh)
  // A tar entry begins with its length, so the lines go to a file first, which has a length.
  const lines = createUnfinishedPath(dirname(fresh))
  try {
    const files: CompanyManifest['files'] = []
    const exportedAt = now()
    await inSnapshot(connection, async (client) => {
      for (const table of await companyTables(client)) {
        progress(`Exporting ${table.table} …`)
        const { rows, bytes } = await spool(companyRows(client, table, companyId), lines)
        const facts = await writer.file(`${table.table}${linesOf}`, bytes, createReadStream(lines))
        if (table.table === 'companies' && rows === 0) throw noCompany(companyId)
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
    return manifest
  } finally {
    await writer.destroy()
    await rm(lines, { force: true })
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
