import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/**
 * `npm run audit` asks the registry for known weaknesses of the served packages, and checks the signatures of the
 * installed ones. Exits with 0 if both are clean, and with 1 if either has a finding. Otherwise it exits with 2: the
 * registry did not answer, which is neither a finding nor a proof.
 */
const root = join(import.meta.dirname, '..')
const timeoutMilliseconds = 180_000

/** The result of one question: no finding, a finding, or no answer of the registry. */
export type Verdict = 'clean' | 'found' | 'silent'
type AuditOutput = { status: number | null; stdout: string; stderr: string }

export const questions = [
  {
    about: 'Known weaknesses of what is served',
    words: ['audit', '--omit=dev', '--json'],
    verdict: ({ status, stdout }: AuditOutput): Verdict => {
      const said = memberOf(stdout)
      if (said?.metadata === undefined) return 'silent'
      return status === 0 ? 'clean' : 'found'
    },
  },
  {
    about: 'Signatures of what is installed',
    words: ['audit', 'signatures', '--json'],
    verdict: ({ stdout }: AuditOutput): Verdict => {
      const said = memberOf(stdout)
      if (!Array.isArray(said?.invalid) || !Array.isArray(said.missing)) return 'silent'
      return said.invalid.length + said.missing.length === 0 ? 'clean' : 'found'
    },
  },
]

function memberOf(text: string): { [member: string]: unknown } | null {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const sentences: { [verdict in Verdict]: string } = {
  clean: 'nothing found.',
  found: 'FOUND',
  silent: 'the registry did not answer; ask another one (npm config set registry), or look at its own pages.',
}

const exitCodes: { [verdict in Verdict]: number } = { clean: 0, found: 1, silent: 2 }

if (process.argv[1] === import.meta.filename) {
  const verdicts = questions.map(({ about, words, verdict }) => {
    const said = spawnSync('npm', words, { cwd: root, encoding: 'utf8', timeout: timeoutMilliseconds })
    const found = verdict(said)
    console.log(`${about}: ${sentences[found]}`)
    if (found === 'found') console.log(said.stdout)
    return found
  })
  const worst = (['found', 'silent'] as const).find((verdict) => verdicts.includes(verdict)) ?? 'clean'
  process.exitCode = exitCodes[worst]
}
