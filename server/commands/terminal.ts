import { inLine } from '#derive/format-printable.ts'
import type { Exit } from './exit-codes.ts'

/** Where a command was given: its words, its surroundings and its streams. Tests bring their own. */
export type Terminal = {
  words: readonly string[]
  environment: Environment
  /** The working directory. */
  folder: string
  stdin: AsyncIterable<Uint8Array | string> & { isTTY?: boolean }
  stdout: Output
  stderr: Output
}

export type Environment = { readonly [name: string]: string | undefined }

type Output = { write(text: string): unknown; isTTY?: boolean }

/** What a command has to say: to programs as one JSON object, to people as text. */
export type CommandResult = {
  json: object
  text: string
  /** What `--quiet` prints instead: the id or the secret that a script goes on with; nothing where there is none. */
  value?: string | number
}

/** What every command is given to work with. */
export type CommandContext = {
  terminal: Terminal
  /** The environment, completed by the `.env` file. */
  environment: Environment
  /** One JSON object is wanted, and nothing else. */
  wantsJson: boolean
  /** Only the value is wanted, and on the standard error only mistakes. */
  isQuiet: boolean
  say(answer: CommandResult): void
  /** Sets how a command exits that has answered and was not done in full. */
  end(exit: Exit): void
}

type Cell = string | number

/**
 * Formats rows under their headings: padded columns on a terminal, with numbers to the right, and cells separated by tabs
 * elsewhere.
 */
export function formatTable(
  headings: readonly string[],
  rows: readonly (readonly Cell[])[],
  { terminal }: Pick<CommandContext, 'terminal'>,
): string {
  const cells = [headings, ...rows].map((row) => row.map((cell) => inLine(String(cell))))
  if (!terminal.stdout.isTTY) return cells.map((row) => row.join('\t')).join('\n')
  const widths = headings.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)))
  const isNumber = headings.map((_, column) => rows.every((row) => typeof row[column] === 'number'))
  const lines = cells.map((row) =>
    row
      .map((cell, column) => (isNumber[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
  return lines.join('\n')
}
