import { mkdirSync, rmSync } from 'node:fs'
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import { stopSignals } from '../lifecycle.ts'
import { licenceText, pathsBelow, pathsOfModules, readLock } from './licences.ts'

/**
 * The process that builds the console, and all else that the pages load, into the folder of its argument, for build-console.ts. What goes wrong is
 * said on the standard error.
 */
const [place = ''] = process.argv.slice(2)
/** Its script is one file, made by its makers. */
const referencePackage = '@scalar/api-reference'

// A terminal signals all processes at once: whether the build goes on is up to the process that started it.
for (const signal of stopSignals) process.on(signal, () => undefined)
process.once('disconnect', endUnfinished)
if (!process.connected) endUnfinished()

try {
  // Before the work, so that a checkout that may not be written says so at once; and here, so that nobody is killed
  // between this and the lines above. One that is there was left by a killed process of the same id.
  rmSync(place, { recursive: true, force: true })
  mkdirSync(place)
  expectTools()
  // After the lines above: loading it takes a while in which nothing else is heard.
  const { build } = await import('vite')
  const configFile = join(import.meta.dirname, '../../vite.config.ts')
  const made = await build({ configFile, logLevel: 'silent', build: { outDir: place } })
  await compress(join(place, 'assets'))
  await copyFile(new URL('browser/standalone.js', import.meta.resolve(referencePackage)), join(place, 'scalar.js'))
  await writeFile(join(place, 'licences.txt'), await licencesOf(made))
} catch (error) {
  process.exitCode = 1
  process.stderr.write(`${(error as Error).message}\n`)
}
process.off('disconnect', endUnfinished)
process.disconnect()

/** A server is installed without what only building needs; its interface is built elsewhere and copied with it. */
function expectTools(): void {
  try {
    createRequire(import.meta.url).resolve('vite/package.json')
  } catch {
    throw new Error(
      `The packages that build it are not installed: run "npm ci && npm run build" in ${join(import.meta.dirname, '../..')}, or copy the folder console/dist from a build of the same sources.`,
    )
  }
}

/** Of the packages that modules of the interface came from, and of all that the reference page's script may hold. */
async function licencesOf(made: Awaited<ReturnType<typeof import('vite')['build']>>): Promise<string> {
  const chunks = [made].flat().flatMap((each) => ('output' in each ? each.output : []))
  const modules = chunks.flatMap((each) => (each.type === 'chunk' ? each.moduleIds : []))
  const lock = await readLock()
  return licenceText(lock, {
    'In the web interface': pathsOfModules(modules),
    'In the reference page': pathsBelow(lock, referencePackage),
  })
}

/** The process that started it has gone. Nothing may be put off: the threads that would do it are busy with the build. */
function endUnfinished(): never {
  rmSync(place, { recursive: true, force: true, maxRetries: 5 })
  process.exit(1)
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
