import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'plumbline-pure-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const impure = {
  'an async function': 'export async function read() {}',
  'an async arrow': 'export const read = async () => 1',
  'an async method': 'export const reader = { async read() {} }',
  'a promise': 'export const read = () => Promise.resolve(1)',
  'the type of a promise': 'export type Read = () => Promise<number>',
  'a variable that changes': 'export function count() { let at = 0; return () => at++ }',
}
const texts = {
  ...impure,
  'a counted loop': 'export function sum(most: number) { for (let at = 0; at < most; at++) {} }',
}

/** Returns the files that the rule refuses, in a folder with the settings of the checkout. */
function lint(): string[] {
  cpSync(join(root, 'biome.json'), join(folder, 'biome.json'))
  cpSync(join(root, 'tools/pure.grit'), join(folder, 'tools/pure.grit'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  for (const place of ['derive', 'server']) {
    mkdirSync(join(folder, place))
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, place, `${name}.ts`), text)
  }
  const options = { cwd: folder, encoding: 'utf8' } as const
  const { stdout, stderr } = spawnSync(
    join(root, 'node_modules/.bin/biome'),
    ['lint', '--max-diagnostics=none'],
    options,
  )
  return [...(stdout + stderr).matchAll(/^(\S.*\.ts):\d+:\d+ plugin/gm)].map(([, file]) => file as string)
}

test('what waits or changes is refused in derive/, and nowhere else', () => {
  expect([...new Set(lint())].toSorted()).toEqual(
    Object.keys(impure)
      .map((name) => `derive/${name}.ts`)
      .toSorted(),
  )
})
