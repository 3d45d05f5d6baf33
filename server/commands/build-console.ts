import { fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

/**
 * The console and the script of the reference page, built where they are missing or out of date. Nothing is fetched
 * for it.
 */

const root = join(import.meta.dirname, '../..')
const built = join(root, 'console/dist')
/** All that the build is made from. */
const sources = [
  'console',
  'registry',
  'derive',
  'vite.config.ts',
  'package-lock.json',
  'server/commands/console-builder.ts',
]
/** Beside the build: the hash of the sources it was made from. */
const note = 'built-from.txt'

/** Rejects with all that the bundler said of a build that failed, and with the reason of `signal` where that ended it. */
export async function buildConsole(progress: (sentence: string) => void, signal?: AbortSignal): Promise<void> {
  const hash = await hashOfSources()
  if ((await hashOfBuild()) === hash) return
  signal?.throwIfAborted()
  progress('Building the web interface …')
  // Beside its place, so that a build that fails or runs twice at once leaves no half of one.
  const place = join(root, `console/dist-${process.pid}`)
  try {
    await runBuilder(place, signal)
    await writeFile(join(place, note), hash)
    await takePlace(place, hash)
  } finally {
    await rm(place, { recursive: true, force: true })
  }
}

/**
 * A bundler takes half a gigabyte and gives little of it back; a process of its own (console-builder.ts) gives back all
 * of it. Its channel is how it knows that this process has gone.
 */
async function runBuilder(place: string, signal?: AbortSignal): Promise<void> {
  const builder = fork(join(import.meta.dirname, 'console-builder.ts'), [place], {
    // The first releases of Node 24 warn of TypeScript, which they run all the same.
    execArgv: ['--disable-warning=ExperimentalWarning'],
    // The bundler builds React's development version for any other value.
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let said = ''
  builder.stderr?.on('data', (chunk) => (said += chunk))
  const end = (): void => void builder.kill('SIGKILL')
  signal?.addEventListener('abort', end)
  if (signal?.aborted) end()
  const how = await new Promise<number | string>((resolve) => {
    builder.once('error', (error) => resolve(error.message))
    builder.once('close', (code, killedBy) => resolve(code ?? `it was ended by ${killedBy}`))
  })
  signal?.removeEventListener('abort', end)
  signal?.throwIfAborted()
  if (how !== 0) throw new Error(stripVTControlCharacters(said).trim() || `The build failed: ${how}`)
}

/** Another process may have been as quick; its build of the same sources is as good. */
async function takePlace(place: string, hash: string): Promise<void> {
  if ((await hashOfBuild()) === hash) return
  await rm(built, { recursive: true, force: true })
  try {
    await rename(place, built)
  } catch (error) {
    if ((await hashOfBuild()) !== hash) throw error
  }
}

const hashOfBuild = (): Promise<string | undefined> => readFile(join(built, note), 'utf8').catch(() => undefined)

async function hashOfSources(): Promise<string> {
  const hash = createHash('sha256')
  for (const file of (await Promise.all(sources.map(filesIn))).flat()) {
    hash
      .update(file)
      .update('\0')
      .update(await readFile(join(root, file)))
      .update('\0')
  }
  return hash.digest('hex')
}

/** A file itself, or those in a folder that are part of what is built, in a fixed order. */
async function filesIn(source: string): Promise<string[]> {
  if (source.includes('.')) return [source]
  const names = await readdir(join(root, source), { recursive: true, withFileTypes: true })
  return names
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((file) => !file.startsWith('console/dist'))
    .toSorted()
}
