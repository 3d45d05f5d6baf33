import { mkdir, open, readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { folderProblem } from '../backup/create-complete.ts'
import type { Config } from '../config/config.ts'
import { flush } from '../embedded/folders.ts'
import { unlessAbsent } from '../embedded/problems.ts'

/**
 * A line of the file of erased persons, without a name. The file outlives the database: after a restore to an earlier
 * moment, these persons are erased again by it. Decisions, Persons.
 */
export type ErasedPerson = {
  company: number
  kind: string
  id: number
  at: string
  /** Whether papers of the books were emptied too. */
  papers?: true
}

export const erasedPersonsName = 'erased-persons.jsonl'

/** Returns the paths of the file: in the data folder, and beside the backups, which outlive the data folder. */
export const erasedPersonsFiles = ({ dataFolder, backupTo }: Config): string[] =>
  [dataFolder, ...(backupTo === null ? [] : [backupTo])].map((folder) => join(resolve(folder), erasedPersonsName))

/** Adds the persons to each file that does not have them, and flushes it. */
export async function noteErased(config: Config, persons: readonly ErasedPerson[]): Promise<void> {
  for (const file of erasedPersonsFiles(config)) {
    try {
      const known = new Map((await readErased(file))?.persons.map((person) => [keyOf(person), person]))
      const missing = persons.filter((person) => exceeds(person, known.get(keyOf(person))))
      if (missing.length > 0) await append(file, missing)
    } catch (error) {
      throw folderProblem(
        error,
        dirname(file),
        'set PLUMBLINE_DATA and PLUMBLINE_BACKUP_TO to folders that can be written',
      )
    }
  }
}

async function append(file: string, persons: readonly ErasedPerson[]): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const handle = await open(file, 'a+', 0o600)
  try {
    const { size } = await handle.stat()
    const last = Buffer.alloc(1)
    if (size > 0) await handle.read(last, 0, 1, size - 1)
    // A line that a crash cut off is ended first.
    const start = size === 0 || last.toString() === '\n' ? '' : '\n'
    await handle.appendFile(start + persons.map((person) => `${JSON.stringify(person)}\n`).join(''))
    await handle.sync()
  } finally {
    await handle.close()
  }
  await flush(dirname(file))
}

/** The persons in a file, each once, and the number of unreadable lines. */
export type ErasedPersons = { persons: ErasedPerson[]; unreadable: number }

/** Reads a file of erased persons. Returns null if it does not exist. */
export async function readErased(file: string): Promise<ErasedPersons | null> {
  const text = await unlessAbsent(readFile(file, 'utf8'))
  if (text === undefined) return null
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const persons = new Map<string, ErasedPerson>()
  let unreadable = 0
  for (const line of lines) {
    const person = readLine(line)
    if (!person) unreadable++
    else if (exceeds(person, persons.get(keyOf(person)))) persons.set(keyOf(person), person)
  }
  return { persons: [...persons.values()], unreadable }
}

/** Returns whether a line erases more than another one of the same person. */
export const exceeds = ({ papers }: ErasedPerson, known: ErasedPerson | undefined): boolean =>
  known === undefined || (papers === true && !known.papers)

/** Formats a key that is unique for a person. */
export const keyOf = ({ company, kind, id }: Pick<ErasedPerson, 'company' | 'kind' | 'id'>): string =>
  `${company} ${kind} ${id}`

function readLine(line: string): ErasedPerson | undefined {
  try {
    const { company, kind, id, at, papers } = JSON.parse(line) as { [name in keyof ErasedPerson]?: unknown }
    const isPerson = isId(company) && typeof kind === 'string' && isId(id) && typeof at === 'string'
    return isPerson ? { company, kind, id, at, ...(papers === true && { papers }) } : undefined
  } catch {
    return undefined
  }
}

const isId = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0
