import { describe, expect, test } from 'vitest'
import { createServerArguments } from '#server/embedded/settings.ts'

const gigabyte = 2 ** 30
const settingOf = (name: string, memory: number, disk = 100 * gigabyte): string | undefined =>
  createServerArguments('/cluster', '/socket', { memory, disk })
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

describe('The log of changes has a tenth of a disk below 10 GB, and what PostgreSQL gives it on a larger one', () => {
  const megabyte = 2 ** 20
  const rows: { disk: number; most: string | undefined; least: string | undefined }[] = [
    { disk: 100 * megabyte, most: '32MB', least: '32MB' },
    { disk: 400 * megabyte, most: '40MB', least: '40MB' },
    { disk: 5000 * megabyte, most: '500MB', least: '80MB' },
    { disk: 10_000 * megabyte, most: undefined, least: undefined },
  ]
  test.each(rows)('of $disk bytes: $most', ({ disk, most, least }) => {
    expect(settingOf('max_wal_size', gigabyte, disk)).toBe(most)
    expect(settingOf('min_wal_size', gigabyte, disk)).toBe(least)
  })
})

test.each(['fsync', 'full_page_writes', 'synchronous_commit'])('%s is on', (name) => {
  expect(settingOf(name, gigabyte)).toBe('on')
})
