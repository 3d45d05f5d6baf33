import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * `npm run goldens` rewrites every derived file of the repository that a test compares. It prints the changed files,
 * and then the differences of the whole documents to those of the last commit.
 */
const root = join(import.meta.dirname, '..')
/** The tests that compare, in groups. The documents include files that the first group writes. */
const groups = [
  ['test/document/compatibility.test.ts'],
  [
    'test/document/goldens.test.ts',
    'test/ship/packages.test.ts',
    'test/house/plans.test.ts',
    'test/clients/package.test.ts',
    'test/http/write-answers.test.ts',
    'sql/statements.test.ts',
  ],
]
const written = [
  'test/goldens',
  'docs/errors.md',
  'docs/third-party.md',
  'clients/typescript/src/types.gen.ts',
  'registry/additions.gen.ts',
]

for (const tests of groups) {
  const words = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...tests, '-u']
  const { status } = spawnSync(process.execPath, words, { cwd: root, stdio: 'inherit' })
  process.exitCode ||= status ?? 1
}

const folder = mkdtempSync(join(tmpdir(), 'plumbline-goldens-'))
const before = join(folder, 'before')
try {
  git('worktree', 'add', '--quiet', '--detach', before, 'HEAD')
  symlinkSync(join(root, 'node_modules'), join(before, 'node_modules'))
  for (const [name, checkout] of Object.entries({ before, now: root })) writeDocuments(checkout, join(folder, name))
  console.log(git('status', '--short', '--', ...written) || 'No file has changed.')
  const compared = spawnSync('git', ['diff', '--no-index', '--unified=2', 'before.json', 'now.json'], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 2 ** 27,
  })
  console.log(compared.stdout || 'Neither document has changed.')
} finally {
  git('worktree', 'remove', '--force', before)
  rmSync(folder, { recursive: true, force: true })
}

/** Writes both documents of a checkout in a process of its own, because its modules differ. */
function writeDocuments(checkout: string, path: string): void {
  const program = `
    import { writeFileSync } from 'node:fs'
    import { openapi } from '#derive/openapi.ts'
    import { postman } from '#derive/postman.ts'
    import { routes } from '#derive/routes.ts'
    import { registry } from '#registry/resources/index.ts'
    const about = { base: 'https://erp.example.com', version: '0.0.0' }
    const served = routes(registry)
    const documents = { openapi: openapi(served, about), postman: postman(served, about) }
    writeFileSync(${JSON.stringify(`${path}.json`)}, JSON.stringify(documents, null, 1))`
  execFileSync(process.execPath, ['--input-type=module-typescript', '--eval', program], { cwd: checkout })
}

function git(...words: string[]): string {
  return execFileSync('git', words, { cwd: root, encoding: 'utf8' })
}
