import { run } from './run.ts'

// A closed reader (`plumbline … | head`) is no failure.
process.stdout.on('error', () => undefined)
process.stderr.on('error', () => undefined)

process.exitCode = await run({
  words: process.argv.slice(2),
  environment: process.env,
  folder: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
})
