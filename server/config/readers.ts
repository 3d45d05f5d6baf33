import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { readMemoryBytes } from '../embedded/settings.ts'
import { isHere } from './exposure.ts'
import { type Form, oneOf, orNone, postgresUrlOf, wholeNumber } from './forms.ts'

/** The settings below depend on more than their own text. */

/** The form of a setting that may depend on others. `before` has the settings above it in the table. */
export type Reader<Value> = Omit<Form<Value>, 'read'> & {
  read: (text: string, before: EarlierSettings) => Value | undefined
}

/** The settings that later ones depend on. An invalid one is undefined. */
type EarlierSettings = { databaseUrl?: string | null; publicUrl?: string | null; processes?: number }

/**
 * The work of a start on the demo companies: add missing ones and enable their accounts (`on`), add them to a database
 * that never had them (`new`), leave them unchanged (`keep`), or disable their accounts (`off`).
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

/** A folder for copies of the bundled database. Invalid together with DATABASE_URL. */
export const ofBundled: Reader<string | null> = {
  must: 'left out with DATABASE_URL: it is about the bundled database ("plumbline backup")',
  read: (text, { databaseUrl }) => (text === '' ? null : databaseUrl ? undefined : text),
}

/** A file with the password of DATABASE_URL on its first line. It is read for each new connection. */
export const passwordFile: Reader<string | null> = {
  must: 'a file that can be read, with the password on its first line; without DATABASE_URL, or with a password in it, leave it out',
  read(text, { databaseUrl }) {
    if (text === '') return null
    // An invalid DATABASE_URL is reported by itself.
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

/** The bundled database has enough connections for the minimum of this many processes. */
const processesMax = 32
export const processCount: Form<number> = {
  must: `auto or a whole number from 1 to ${processesMax}`,
  read: (text) =>
    text === 'auto' ? Math.min(availableParallelism(), processesMax) : wholeNumber(1, processesMax).read(text),
}

/** Returns a reader of the form, with a value computed from the memory of a process for an empty text. */
const byMemory = ({ must, read }: Form<number>, fitting: (memory: number) => number): Reader<number> => ({
  must,
  read: (text, { processes = 1 }) => (text === '' ? fitting(readMemoryBytes() / processes) : read(text)),
})

const clampNumber = (least: number, value: number, most: number): number => Math.max(least, Math.min(value, most))

const megabyte = 1024 * 1024
/** Returns the form of a whole number of megabytes, whose value is in bytes. */
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

/** A number of connections. Empty: one for every 256 KiB of a process's memory. */
export const callersByMemory = byMemory(wholeNumber(16, 100_000), (memory) =>
  clampNumber(256, Math.floor(memory / (256 * 1024)), 16_384),
)

/** Bytes. Empty: a sixteenth of a process's memory, because a body takes up to twice its size while it is encoded. */
export const bufferByMemory = byMemory(megabytes, (memory) =>
  clampNumber(16 * megabyte, Math.floor(memory / 16), 512 * megabyte),
)

/** Bytes. Null means a share of the disk. */
export const diskReserve: Reader<number | null> = orNone(megabytesBetween(0, 1_048_576))
