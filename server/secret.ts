import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Config } from './config/config.ts'
import { flush, writeSecret } from './embedded/folders.ts'
import { unlessAbsent } from './embedded/problems.ts'
import type { SealingKeys } from './store/seal.ts'
import { type Limit, waitWithin } from './wait/wait.ts'

/**
 * Returns the keys that seal secrets: those of the settings, else one in the data folder that only its owner can read.
 * The file is read for each use, so that a running service uses the new key after `plumbline key rotate`.
 */
export function sealingKeys(config: Config): SealingKeys {
  const { secret, previousSecret } = config
  const given = previousSecret === null ? [] : [previousSecret]
  if (secret !== null) return { current: async () => secret, all: async () => [secret, ...given] }
  const { file, former } = filesOf(config)
  return {
    current: () => waitWithin(fileLimit, keyIn(config)),
    // The former key exists until nothing is sealed with it any more.
    all: () =>
      waitWithin(
        fileLimit,
        (async () => [await keyIn(config), ...(await keyOrNone(former)), ...given, ...(await keyOrNone(file))])(),
      ),
  }
}

/** A caller waits for the key, and a transaction may. */
const fileLimit: Limit = { ms: 5000, of: 'reading the key file' }

/** Returns the existing keys, without creating one. */
export function sealingKeysThere(config: Config): SealingKeys {
  const { file } = filesOf(config)
  const keys = sealingKeys(config)
  const needKey = async (): Promise<void> => {
    if (config.secret === null && (await keyOrNone(file)).length === 0) throw new Error(`${file} is not there`)
  }
  return {
    current: () => needKey().then(keys.current),
    all: () => needKey().then(keys.all),
  }
}

/** Reads the key of the data folder. Creates it if it is missing. */
async function keyIn(config: Config): Promise<string> {
  const { file } = filesOf(config)
  await mkdir(config.dataFolder, { recursive: true })
  try {
    // "wx", so that of two processes that start together one writes and both read the same key.
    await writeFile(file, `${drawKey()}\n`, { mode: 0o600, flag: 'wx', flush: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return readSecret(file)
}

/** Returns whether a change of the key in the data folder has begun. The former key stays until `endChange`. */
export const isChanging = async (config: Config): Promise<boolean> =>
  (await keyOrNone(filesOf(config).former)).length > 0

/**
 * Replaces the key by a new one and keeps the former one beside it. After a kill at any moment, the two files have
 * every key that is in use, and the same call completes the change. The new key is written whole before the present one
 * gets its second name, and an atomic rename puts it in place.
 */
export async function beginChange(config: Config): Promise<void> {
  const { file, former, next } = filesOf(config)
  const present = await keyIn(config)
  const [kept] = await keyOrNone(former)
  if (kept !== undefined && kept !== present) return
  const owner = await stat(file)
  await rm(next, { force: true })
  // Root may change the key of a service that runs as another user, who has to stay its owner.
  await writeSecret(next, `${drawKey()}\n`, owner)
  if (kept === undefined) await link(file, former)
  await flush(config.dataFolder)
  await rename(next, file)
  await flush(config.dataFolder)
}

/** Returns the existing key files of the data folder. */
export async function keyFiles(config: Config): Promise<string[]> {
  const { file, former } = filesOf(config)
  const there = await Promise.all(
    [file, former].map(async (path) => ((await keyOrNone(path)).length > 0 ? [path] : [])),
  )
  return there.flat()
}

/** Removes the former key. Called when nothing is sealed with it any more. */
export async function endChange(config: Config): Promise<void> {
  const { former, next } = filesOf(config)
  for (const file of [next, former]) await rm(file, { force: true })
  await flush(config.dataFolder)
}

const filesOf = ({ dataFolder }: Config) => ({
  file: join(dataFolder, 'secret'),
  former: join(dataFolder, 'secret.former'),
  next: join(dataFolder, 'secret.next'),
})

const drawKey = (): string => randomBytes(32).toString('hex')

async function keyOrNone(file: string): Promise<string[]> {
  const text = (await unlessAbsent(readFile(file, 'utf8')))?.trim()
  return text ? [text] : []
}

/** Reads a key file. Tries again if another process is still writing it. */
async function readSecret(file: string): Promise<string> {
  for (let tries = 0; tries < 50; tries++) {
    const text = (await readFile(file, 'utf8')).trim()
    if (text.length >= 32) return text
    await setTimeout(20)
  }
  throw new Error(`${file} holds no key of at least 32 characters; remove it only if no token was ever sealed with it`)
}
