import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildConsole } from '#server/commands/build-console.ts'
import createRunFolder from '../stage/run-folder.ts'
import { runPage } from './run-page.ts'

/** Runs the pages that are named, such as docs/batch.md, one after the other. Exits with 1 if one of them fails. */
const paths = process.argv.slice(2)
if (paths.length === 0) throw new Error('Name a page: npm run pages -- docs/batch.md')
const clear = createRunFolder()
await buildConsole((sentence) => console.error(sentence))
for (const path of paths) {
  const startedAt = performance.now()
  try {
    await runPage(path, join(tmpdir(), `plumbline-page-${process.pid}`))
    console.log(`${path}: as printed, ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  } catch (error) {
    console.error((error as Error).message)
    process.exitCode = 1
  }
}
clear()
