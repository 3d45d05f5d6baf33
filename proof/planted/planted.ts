import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

/** A bug that is planted in a copy of the service: `line`, which stands in `file` once, becomes `instead`. */
export type Planted = {
  bug: string
  /** The rule that has to find it. */
  rule: string
  file: string
  line: string
  instead: string
  /** Found under faults alone, or by failing messages one by one alone. */
  by?: 'faults' | 'messages'
}

export const planted: readonly Planted[] = JSON.parse(readFileSync(join(import.meta.dirname, 'planted.json'), 'utf8'))

const root = join(import.meta.dirname, '../..')
/** What is no source. */
const left = new Set(['.git', '.env', 'node_modules', 'data', 'test', 'docs'])

/** Makes a copy of the checkout, which shares its packages. */
export function copyCheckout(folder: string): void {
  mkdirSync(folder)
  for (const name of readdirSync(root))
    if (!left.has(name)) cpSync(join(root, name), join(folder, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
}

/** The text of a file with the bug in it. Throws where the line does not stand there exactly once. */
export function plant({ file, line, instead }: Planted, checkout = root): string {
  const lines = readFileSync(join(checkout, file), 'utf8').split('\n')
  const places = lines.flatMap((one, index) => (one.trim() === line ? [index] : []))
  const [place] = places
  if (place === undefined || places.length > 1)
    throw new Error(`${file} has ${places.length} times the line "${line}"; a bug replaces a line that is there once`)
  return lines.with(place, instead).join('\n')
}
