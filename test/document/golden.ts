import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'

/** Compares with a committed file; `UPDATE_GOLDENS=1` writes it, to be reviewed as a difference. */
export function expectGolden(path: string, text: string): void {
  const file = new URL(`../../${path}`, import.meta.url)
  if (process.env.UPDATE_GOLDENS === '1') writeFileSync(file, text)
  let committed: string
  try {
    committed = readFileSync(file, 'utf8')
  } catch {
    throw new Error(`${fileURLToPath(file)} is missing; UPDATE_GOLDENS=1 writes it`)
  }
  expect(text, `${path} is behind; UPDATE_GOLDENS=1 rewrites it`).toBe(committed)
}

export const pretty = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
