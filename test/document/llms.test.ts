import { describe, expect, test } from 'vitest'
import { llms } from '#derive/llms.ts'
import { isDataRoute, routes } from '#derive/routes.ts'
import { about, base, served, withTimeEntries } from './registries.ts'

/** The page for language models is short and complete. */

const text = llms(served, about)

describe('/llms.txt', () => {
  test('is less than 4 KB', () => {
    expect(Buffer.byteLength(text)).toBeLessThan(4096)
  })

  test('begins with a title and a sentence (llmstxt.org)', () => {
    expect(text).toMatch(/^# .+\n\n> .+\n/)
  })

  test.each(served.filter((route) => !isDataRoute(route)))('leads to $path', ({ path }) => {
    expect(text).toContain(`](${base}${path})`)
  })

  test.each(served.filter(isDataRoute))('names $id', ({ method, path, definition }) => {
    const name = definition?.name
    const paths = new Set([path, path.replace(`/${name}`, '/<records>')])
    const spellings = [...paths].map((each) => `- \`${method} ${each}\`: `)
    expect(spellings.filter((spelling) => text.includes(spelling))).toHaveLength(1)
    if (name) expect(text).toContain(`\`${name}\``)
  })

  test('says how to write safely', () => {
    for (const header of ['Idempotency-Key', 'X-Dry-Run', 'If-Plan', 'If-Match', 'X-Write-Id'])
      expect(text).toContain(header)
  })

  test('follows the registry', () => {
    expect(llms(routes(withTimeEntries), about)).toContain('`time_entries`')
  })
})
