import { mkdirSync, rmSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'

/**
 * The process that builds the web interface into the folder of its argument, for build-console.ts. What goes wrong is
 * said on the standard error.
 */
const [place = ''] = process.argv.slice(2)

// A terminal signals all processes at once: whether the build goes on is up to the process that started it.
process.on('SIGTERM', () => undefined).on('SIGINT', () => undefined)
process.once('disconnect', endUnfinished)
if (!process.connected) endUnfinished()

try {
  // Before the work, so that a checkout that may not be written says so at once; and here, so that nobody is killed
  // between this and the lines above. One that is there was left by a killed process of the same id.
  rmSync(place, { recursive: true, force: true })
  mkdirSync(place)
  // After the lines above: loading it takes a while in which nothing else is heard.
  const { build } = await import('vite')
  const configFile = join(import.meta.dirname, '../../vite.config.ts')
  await build({ configFile, logLevel: 'silent', build: { outDir: place } })
  await compress(join(place, 'assets'))
} catch (error) {
  process.exitCode = 1
  process.stderr.write(`${(error as Error).message}\n`)
}
process.off('disconnect', endUnfinished)
process.disconnect()

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
