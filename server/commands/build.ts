import { buildConsole } from './build-console.ts'

/** `npm run build` builds the console. */
try {
  await buildConsole((sentence) => process.stderr.write(`${sentence}\n`))
} catch (error) {
  process.exitCode = 1
  process.stderr.write(`${(error as Error).message}\n`)
}
