import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from './config.ts'

/** The key that seals tokens: as set, else one kept in the data folder, readable by its owner alone. */
export async function sealingSecret({ secret, dataFolder }: Config): Promise<string> {
  if (secret !== null) return secret
  const file = join(dataFolder, 'secret')
  await mkdir(dataFolder, { recursive: true })
  try {
    // "wx": where two processes start together, one writes and both read the same.
    await writeFile(file, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx', flush: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return whole(file)
}

/** The other process may still be writing it. */
async function whole(file: string): Promise<string> {
  for (let tries = 0; tries < 50; tries++) {
    const text = (await readFile(file, 'utf8')).trim()
    if (text.length >= 32) return text
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`${file} holds no key of at least 32 characters; remove it only if no token was ever sealed with it`)
}
