import { describe, expect, test } from 'vitest'
import { settings } from '#server/embedded/settings.ts'

const gigabyte = 2 ** 30
const settingOf = (name: string, memory: number): string | undefined =>
  settings('/cluster', '/socket', memory)
    .find((word) => word.startsWith(`${name}=`))
    ?.slice(name.length + 1)

describe('PostgreSQL keeps pages in a quarter of the memory, within bounds', () => {
  const rows: { memory: number; pages: string; files: string }[] = [
    { memory: 0.125 * gigabyte, pages: '64MB', files: '64MB' },
    { memory: 1 * gigabyte, pages: '256MB', files: '512MB' },
    { memory: 4 * gigabyte, pages: '1024MB', files: '2048MB' },
    { memory: 64 * gigabyte, pages: '2048MB', files: '32768MB' },
  ]
  test.each(rows)('of $memory bytes: $pages', ({ memory, pages, files }) => {
    expect(settingOf('shared_buffers', memory)).toBe(pages)
    expect(settingOf('effective_cache_size', memory)).toBe(files)
  })
})

test.each(['fsync', 'full_page_writes', 'synchronous_commit'])('%s is on', (name) => {
  expect(settingOf(name, gigabyte)).toBe('on')
})
