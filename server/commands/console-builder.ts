import { mkdirSync, rmSync } from 'node:fs'
import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { stopSignals } from '../lifecycle.ts'
import { licenceAt, licenceText, pathsBelow, readLock } from './licences.ts'

/**
 * The process of build-console.ts that builds the console, and all other files of the pages, into the folder of its
 * argument. It writes errors to the standard error.
 */
const [place = ''] = process.argv.slice(2)
/** The package of the reference page, whose script is one file, built by its authors. */
const referencePackage = '@scalar/api-reference'
/** The quality of Brotli for that script of 4 MB: the best one takes ten seconds, for a tenth fewer bytes. */
const scriptQuality = 9

// A terminal signals all processes at once. The process that started this one decides whether the build goes on.
for (const signal of stopSignals) process.on(signal, () => undefined)
process.once('disconnect', endUnfinished)
if (!process.connected) endUnfinished()

try {
  // Before the work, so that a checkout that cannot be written fails at once. After the lines above, so that a signal
  // leaves no folder behind. An existing folder is of a killed process with the same id.
  rmSync(place, { recursive: true, force: true })
  mkdirSync(place)
  expectTools()
  // After the lines above, because loading vite blocks all events for a while.
  const { build } = await import('vite')
  const configFile = join(import.meta.dirname, '../../vite.config.ts')
  await build({ configFile, logLevel: 'silent', build: { outDir: place } })
  await copyFile(new URL('browser/standalone.js', import.meta.resolve(referencePackage)), join(place, 'scalar.js'))
  await compress(join(place, 'assets'), constants.BROTLI_MAX_QUALITY)
  await compress(place, scriptQuality)
  await writeLicences()
} catch (error) {
  process.exitCode = 1
  process.stderr.write(`${(error as Error).message}\n`)
}
process.off('disconnect', endUnfinished)
process.disconnect()

/** Throws if the build tools are missing. A server is installed without them; its interface is built elsewhere. */
function expectTools(): void {
  try {
    createRequire(import.meta.url).resolve('vite/package.json')
  } catch {
    throw new Error(
      `The packages that build it are not installed: run "npm ci && npm run build" in ${join(import.meta.dirname, '../..')}, or copy the folder console/dist from a build of the same sources.`,
    )
  }
}

/** Writes the licences of the packages in the interface, and of all that the reference page's script may contain. */
async function writeLicences(): Promise<void> {
  const ofBundle = join(place, 'licences.json')
  const lock = await readLock()
  const text = licenceText({
    'In the web interface': JSON.parse(await readFile(ofBundle, 'utf8')),
    'In the reference page': await Promise.all(pathsBelow(lock, referencePackage).map((path) => licenceAt(lock, path))),
  })
  await rm(ofBundle)
  await writeFile(join(place, 'licences.txt'), text)
}

/**
 * Removes the folder and exits, because the process that started this one has ended. Works synchronously: the threads
 * for asynchronous file work are busy with the build.
 */
function endUnfinished(): never {
  rmSync(place, { recursive: true, force: true, maxRetries: 5 })
  process.exit(1)
}

/** Compresses the files of a folder, so that none is compressed while a browser waits. */
async function compress(folder: string, quality: number): Promise<void> {
  const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }
  const names = (await readdir(folder)).filter((name) => /\.(js|css|svg)$/.test(name))
  await Promise.all(
    names.map(async (name) => {
      const bytes = await readFile(join(folder, name))
      await writeFile(join(folder, `${name}.gz`), await promisify(gzip)(bytes))
      await writeFile(join(folder, `${name}.br`), await promisify(brotliCompress)(bytes, brotli))
    }),
  )
}
