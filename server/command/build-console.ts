import { createHash } from 'node:crypto'
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'

/** The web interface, built from its sources where that is missing or out of date. Nothing is fetched for it. */

const root = join(import.meta.dirname, '../..')
const built = join(root, 'console/dist')
/** All that the build is made from. */
const sources = ['console', 'registry', 'derive', 'vite.config.ts', 'package-lock.json']
/** Beside the build: the hash of the sources it was made from. */
const note = 'built-from.txt'

export async function buildConsole(progress: (sentence: string) => void): Promise<void> {
  const hash = await hashOfSources()
  if ((await hashOfBuild()) === hash) return
  progress('Building the web interface …')
  // Beside its place, so that a build that fails or runs twice at once leaves no half of one.
  const place = join(root, `console/dist-${process.pid}`)
  try {
    const { build } = await import('vite')
    await build({ configFile: join(root, 'vite.config.ts'), logLevel: 'error', build: { outDir: place } })
    await compress(join(place, 'assets'))
    await writeFile(join(place, note), hash)
    await takePlace(place, hash)
  } finally {
    await rm(place, { recursive: true, force: true })
  }
}

/** Another process may have been as quick; its build of the same sources is as good. */
async function takePlace(place: string, hash: string): Promise<void> {
  await rm(built, { recursive: true, force: true })
  try {
    await rename(place, built)
  } catch (error) {
    if ((await hashOfBuild()) !== hash) throw error
  }
}

/** The files as browsers take them, so that none is compressed while somebody waits. */
async function compress(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /\.(js|css|svg)$/.test(name))
  await Promise.all(
    names.map(async (name) => {
      const bytes = await readFile(join(folder, name))
      await writeFile(join(folder, `${name}.gz`), await promisify(gzip)(bytes))
      await writeFile(join(folder, `${name}.br`), await promisify(brotliCompress)(bytes))
    }),
  )
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
