import { join } from 'node:path'
import { EmbeddedProblem } from '#server/embedded/open.ts'
import { BenchProblem } from '../../bench/problem.ts'
import { attackAll } from './attack-all.ts'
import { help, readOptions } from './options.ts'
import { isPossible } from './possible.ts'

const usualOutput = join(import.meta.dirname, '../../docs/security/hostile')

try {
  const options = readOptions(process.argv.slice(2), usualOutput)
  if (options.help) process.stdout.write(help)
  else if (!isPossible) throw new BenchProblem('The attacks can be made on Linux alone.')
  else await attackAll(options)
} catch (error) {
  if (!(error instanceof BenchProblem || error instanceof EmbeddedProblem)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
