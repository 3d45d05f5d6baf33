import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Path of the browser's program; null in a run without tests in test/browser. */
    browserPath: string | null
  }
}

/** Unpacks the browser for one run, before the workers start, and passes its path on. */
export default async function setup(project: TestProject) {
  const isNeeded = project.vitest.state.getPaths().some((path) => path.includes('/test/browser/'))
  if (!isNeeded) {
    project.provide('browserPath', null)
    return undefined
  }
  const { path, remove } = await openBrowserProgram()
  project.provide('browserPath', path)
  return remove
}

/** The program of CHROME_PATH, or the Chromium that npm brought, unpacked into a new folder of our own. */
export async function openBrowserProgram(): Promise<{ path: string; remove(): Promise<void> }> {
  const { CHROME_PATH } = process.env
  if (CHROME_PATH) return { path: CHROME_PATH, remove: async () => {} }
  // mkdtemp closes it to everybody else, so only we can put a program there.
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-browser-'))
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 5 })
  try {
    return { path: await unpackInto(folder), remove }
  } catch (error) {
    await remove()
    throw error
  }
}

/**
 * The package unpacks into TMPDIR, and returns a file that is already there, whoever made it. A process of its own gets
 * the new folder as TMPDIR, because the tests of this process go on using another one.
 */
async function unpackInto(folder: string): Promise<string> {
  const unpacker = join(import.meta.dirname, 'chromium-unpacker.ts')
  const env = { ...process.env, TMPDIR: folder }
  const { stdout } = await promisify(execFile)(process.execPath, [unpacker], { env })
  if (stdout !== join(folder, 'chromium'))
    throw new Error(`The browser was unpacked to ${stdout} and not to ${folder}.`)
  return stdout
}
