import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { readMemoryBytes } from '../embedded/settings.ts'
import { isHere } from './exposure.ts'
import { type Form, oneOf, orNone, postgresUrlOf, wholeNumber } from './forms.ts'

/** Settings of which more than their own text counts. */

/** What a text says: undefined where it is not what it must be. `before` are the settings above it. */
export type Reader<Value> = Omit<Form<Value>, 'read'> & {
  read: (text: string, before: EarlierSettings) => Value | undefined
}

/** What settings below may depend on; what is wrong is missing. */
type EarlierSettings = { databaseUrl?: string | null; publicUrl?: string | null; processes?: number }

/**
 * What a start does about the demo companies: adds them where they are missing and opens their accounts (`on`), adds them
 * to a database that never had them (`new`), takes them as they are (`keep`) or closes their accounts (`off`).
 */
export type DemoMode = 'on' | 'new' | 'keep' | 'off'

const demoWords = oneOf('auto', 'on', 'off')
export const demoMode: Reader<DemoMode> = {
  must: demoWords.must,
  read(text, { databaseUrl, publicUrl }) {
    const word = demoWords.read(text)
    return word === 'auto' ? (databaseUrl === null && isHere(publicUrl ?? null) ? 'new' : 'keep') : word
  },
}

/** A folder for what is made of the bundled database, which there is not with another one. */
export const ofBundled: Reader<string | null> = {
  must: 'left out with DATABASE_URL: it is about the bundled database ("plumbline backup")',
  read: (text, { databaseUrl }) => (text === '' ? null : databaseUrl ? undefined : text),
}

/** A file with the password of DATABASE_URL on its first line. It is read for each new connection. */
export const passwordFile: Reader<string | null> = {
  must: 'a file that can be read, with the password on its first line; without DATABASE_URL, or with a password in it, leave it out',
  read(text, { databaseUrl }) {
    if (text === '') return null
    // What is wrong with the address is said of the address.
    if (databaseUrl === undefined) return text
    return databaseUrl !== null && !hasPassword(databaseUrl) && isPasswordFile(text) ? text : undefined
  },
}

function hasPassword(databaseUrl: string): boolean {
  const url = postgresUrlOf(databaseUrl)
  return url !== null && (url.password !== '' || url.searchParams.has('password'))
}

function isPasswordFile(path: string): boolean {
  try {
    return /^[^\r\n]/.test(readFileSync(path, 'utf8'))
  } catch {
    return false
  }
}

/** The least that each of so many processes needs of the database still fits into what the bundled one takes. */
const processesMax = 32
export const processCount: Form<number> = {
  must: `auto or a whole number from 1 to ${processesMax}`,
  read: (text) =>
    text === 'auto' ? Math.min(availableParallelism(), processesMax) : wholeNumber(1, processesMax).read(text),
}

/** Of the form, or what goes with the memory that a process has. */
const byMemory = ({ must, read }: Form<number>, fitting: (memory: number) => number): Reader<number> => ({
  must,
  read: (text, { processes = 1 }) => (text === '' ? fitting(readMemoryBytes() / processes) : read(text)),
})

const clampNumber = (least: number, value: number, most: number): number => Math.max(least, Math.min(value, most))

const megabyte = 1024 * 1024
/** Bytes, from a whole number of megabytes. */
const megabytesBetween = (min: number, max: number): Form<number> => {
  const count = wholeNumber(min, max)
  return {
    must: count.must,
    read: (text) => {
      const megabytesRead = count.read(text)
      return megabytesRead === undefined ? undefined : megabytesRead * megabyte
    },
  }
}

export const megabytes = megabytesBetween(1, 65_536)

/** A connection for every 256 KiB of a process's memory. */
export const callersByMemory = byMemory(wholeNumber(16, 100_000), (memory) =>
  clampNumber(256, Math.floor(memory / (256 * 1024)), 16_384),
)

/** A sixteenth of a process's memory; what is counted takes up to twice its size while it is encoded. */
export const bufferByMemory = byMemory(megabytes, (memory) =>
  clampNumber(16 * megabyte, Math.floor(memory / 16), 512 * megabyte),
)

/** Bytes; null: what goes with the size of the disk. */
export const diskReserve: Reader<number | null> = orNone(megabytesBetween(0, 1_048_576))
