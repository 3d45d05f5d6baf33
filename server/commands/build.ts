import { buildConsole } from './build-console.ts'

/** `npm run build`: the console, and nothing served. */
try {
  await buildConsole((sentence) => process.stderr.write(`${sentence}\n`))
} catch (error) {
  process.exitCode = 1
  process.stderr.write(`${(error as Error).message}\n`)
}
