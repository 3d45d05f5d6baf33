import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { buildConsole } from '#server/commands/build-console.ts'

const dist = join(import.meta.dirname, '../../console/dist')
const largestBytes = 248_000

beforeAll(() => buildConsole(() => undefined))

/** Returns the scripts that are loaded before the first page: those of the document, and what they import at once. */
async function firstScripts(): Promise<string[]> {
  const page = await readFile(join(dist, 'index.html'), 'utf8')
  const scripts = new Set<string>()
  const queue = [...page.matchAll(/src="\/(assets\/[^"]+\.js)"/g)].map(([, path]) => path as string)
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (scripts.has(path)) continue
    scripts.add(path)
    const text = await readFile(join(dist, path), 'utf8')
    for (const [, name] of text.matchAll(/(?:from|import)\s*["'`]\.\/([^"'`]+\.js)["'`]/g)) queue.push(`assets/${name}`)
  }
  return [...scripts]
}

test('the first page is there after 248 kB of script, none of it the parser of files', async () => {
  const scripts = await firstScripts()
  expect(scripts.length).toBeGreaterThan(3)
  const texts = await Promise.all(scripts.map((path) => readFile(join(dist, path), 'utf8')))
  expect(texts.some((text) => text.includes('CSV_QUOTE_NOT_CLOSED'))).toBe(false)
  const sizes = await Promise.all(scripts.map(async (path) => (await stat(join(dist, `${path}.br`))).size))
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  expect(bytes).toBeGreaterThan(100_000)
  expect(bytes).toBeLessThanOrEqual(largestBytes)
})
