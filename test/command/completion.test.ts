import { execFile, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createStage, type Stage } from './stage.ts'

/** The scripts of `plumbline completion`, sourced by the shells that this machine has. */

let stage: Stage
beforeAll(async () => {
  stage = await createStage()
  for (const shell of ['bash', 'zsh', 'fish'])
    await writeFile(join(stage.folder, shell), (await stage.give(['completion', shell])).out)
})
afterAll(() => stage.clear())

/** What is typed, and the words that complete it; a folder has nothing that begins like them. */
const rows: { typed: string; words: string[] }[] = [
  { typed: 'plumbline to', words: ['token'] },
  { typed: 'plumbline token r', words: ['revoke', 'rotate'] },
  { typed: 'plumbline --json token rotate --com', words: ['--company'] },
  { typed: 'plumbline token rotate --company 1 --y', words: ['--yes'] },
  { typed: 'plumbline serve --vers', words: [] },
  { typed: 'plumbline completion z', words: ['zsh'] },
  { typed: 'plumbline nonsense zzz', words: [] },
]

/** How each shell is asked what completes `$1`; fish adds a description behind a tab. */
const asking = {
  bash: `source ./bash; read -ra COMP_WORDS <<< "$1"; COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _plumbline; printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: `compinit() { }; compdef() { }; compadd() { shift; print -l -- \${(M)@:#$words[CURRENT]*} }; _files() { }
    autoload() { }; source ./zsh; words=(\${(s: :)1}); CURRENT=$#words; _plumbline`,
  fish: `source ./fish; complete -C $argv[1]`,
}

const run = promisify(execFile)

describe.for(Object.keys(asking) as (keyof typeof asking)[])('%s', (shell) => {
  const isHere = spawnSync(shell, ['-c', 'true']).status === 0
  test.runIf(isHere).for(rows)('completes "$typed"', async ({ typed, words }) => {
    const given = shell === 'fish' ? [typed] : [shell, typed]
    const { stdout } = await run(shell, ['-c', asking[shell], ...given], { cwd: stage.folder })
    const said = stdout.split('\n').map((line) => line.split('\t')[0])
    expect(said.filter((word) => word !== '').sort()).toEqual(words)
  })
})

test('A shell that it has no script for is a usage mistake that names the shells.', async () => {
  const { code, err } = await stage.give(['completion', 'tcsh'])
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('bash, zsh, fish') })
})
