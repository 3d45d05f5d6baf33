import { fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { type Limit, waitFor } from '../wait/wait.ts'

/** Builds the pages and the script of the reference page if they are out of date. Nothing is downloaded. */

const root = join(import.meta.dirname, '../..')
const built = join(root, 'console/dist')
/** All inputs of the build. */
const sources = [
  'console',
  'registry',
  'derive',
  'import',
  'vite.config.ts',
  'package-lock.json',
  'server/commands/console-builder.ts',
]
/** The file in the build with the hash of its sources. */
const note = 'built-from.txt'

/** Builds the console. Rejects with the bundler's output if it fails, or with the reason of `signal` if it aborts. */
export async function buildConsole(progress: (sentence: string) => void, signal?: AbortSignal): Promise<void> {
  const hash = await hashOfSources()
  if ((await hashOfBuild()) === hash) return
  signal?.throwIfAborted()
  progress('Building the web interface …')
  // Builds into a temporary folder, so that a failed build, or two at once, leave no half build.
  const place = join(root, `console/dist-${process.pid}`)
  try {
    await runBuilder(place, signal)
    await writeFile(join(place, note), hash)
    await takePlace(place, hash)
  } finally {
    await rm(place, { recursive: true, force: true })
  }
}

const buildLimit: Limit = { ms: 600_000, of: 'the build of the web interface' }

/**
 * Runs the bundler in a process of its own (console-builder.ts), because it takes half a gigabyte and frees little of
 * it. That process ends when its IPC channel closes, which happens when this one ends.
 */
async function runBuilder(place: string, signal?: AbortSignal): Promise<void> {
  const builder = fork(join(import.meta.dirname, 'console-builder.ts'), [place], {
    // The first releases of Node 24 run TypeScript with a warning.
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
  const how = await waitFor<number | string>(buildLimit, (resolve) => {
    builder.once('error', (error) => resolve(error.message))
    builder.once('close', (code, killedBy) => resolve(code ?? `it was ended by ${killedBy}`))
    return end
  }).finally(() => signal?.removeEventListener('abort', end))
  signal?.throwIfAborted()
  if (how !== 0) throw new Error(stripVTControlCharacters(said).trim() || `The build failed: ${how}`)
}

/** Moves the build to its place. Uses the build of another process if it has the same sources. */
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

/**
 * Returns a file itself, or the files of a folder that are inputs of the build, in a fixed order: no tests, no builds, and
 * nothing whose name begins with a point, which some other process has there for a moment.
 */
async function filesIn(source: string): Promise<string[]> {
  if (source.includes('.')) return [source]
  const names = await readdir(join(root, source), { recursive: true, withFileTypes: true })
  return names
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((file) => !file.startsWith('console/dist') && !file.includes('/.'))
    .toSorted()
}
