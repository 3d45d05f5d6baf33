import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openBrowserProgram } from '../stage/chromium.ts'

let shared: string
beforeAll(async () => {
  shared = await mkdtemp(join(tmpdir(), 'plumbline-shared-'))
  await chmod(shared, 0o1777)
  vi.stubEnv('TMPDIR', shared)
  vi.stubEnv('CHROME_PATH', '')
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await rm(shared, { recursive: true })
})

test('A program that somebody put into the shared temporary folder is not run.', async () => {
  const planted = join(shared, 'chromium')
  await writeFile(planted, '#!/bin/sh\necho planted\n', { mode: 0o755 })
  const { path, remove } = await openBrowserProgram()
  try {
    expect(path).not.toBe(planted)
    // Nobody else can put a file beside it, and two runs at once have two folders.
    expect((await stat(dirname(path))).mode & 0o777).toBe(0o700)
    expect((await stat(path)).size).toBeGreaterThan(100 * 1024 * 1024)
  } finally {
    await remove()
  }
  expect(await readdir(shared)).toEqual(['chromium'])
  // Unpacking is two seconds of computing: much longer where others compute.
})

test('CHROME_PATH names another browser, and it stays where it is.', async () => {
  const own = join(shared, 'own-browser')
  await writeFile(own, '')
  vi.stubEnv('CHROME_PATH', own)
  const { path, remove } = await openBrowserProgram()
  await remove()
  expect(path).toBe(own)
  expect((await stat(own)).isFile()).toBe(true)
})
