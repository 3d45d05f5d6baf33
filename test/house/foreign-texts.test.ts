import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** A page that shows a text of others without `Foreign` does not compile. Decisions, Foreign texts. */

const root = join(import.meta.dirname, '../..')

/** Ways to show the name of an account, and whether the compiler lets them pass. */
const ways: readonly (readonly [code: string, passes: boolean])[] = [
  ['<Foreign text={account.name} />', true],
  ['<p title={quote(account.name)}>{account.permissions.length}</p>', true],
  ['<p>{account.name}</p>', false],
  ['<p>{String(account.name)}</p>', false],
  ["<p>{account.name + ''}</p>", false],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code
  ['<p>{`${account.name}, ${account.id}`}</p>', false],
  ['<p title={account.email}>{account.id}</p>', false],
  // The way that is left: a list is joined whatever it has.
  ["<p>{[account.name].join(', ')}</p>", true],
  ['<p>{account.name.slice(1)}</p>', false],
]

test('A page cannot show a text of others but by the component, whatever it tries', async () => {
  const folder = await mkdtemp(join(root, 'console', '.probe-'))
  try {
    const page = [
      "import type { Account } from '../client/answers.ts'",
      "import { quote } from '../texts/foreign.ts'",
      "import { Foreign } from '../ui/foreign.tsx'",
      'export const used = [Foreign, quote]',
      ...ways.map(([code], n) => `export const Page${n} = ({ account }: { account: Account }) => ${code}`),
    ]
    await writeFile(join(folder, 'page.tsx'), page.join('\n'))
    const settings = { extends: '../tsconfig.json', include: ['page.tsx', '../texts/string-of-foreign.d.ts'] }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings))
    const tsc = join(root, 'node_modules/typescript-native/bin/tsc')
    const { stdout } = await promisify(execFile)(process.execPath, [tsc, '--project', folder], { cwd: root }).catch(
      (error: { stdout: string }) => error,
    )
    const wrong = new Set([...stdout.matchAll(/page\.tsx\((\d+),/g)].map(([, line]) => Number(line) - 5))
    expect(
      ways.map(([code], n) => [code, !wrong.has(n)]),
      stdout,
    ).toEqual(ways)
  } finally {
    await rm(folder, { recursive: true })
  }
})
