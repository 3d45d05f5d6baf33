import { inLine, spellText } from '#derive/format-printable.ts'
import type { Exit } from './exit-codes.ts'

/** The words, the environment and the streams of a command. Tests pass their own. */
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

/** The output of a command: one JSON object for programs, and text for people. */
export type CommandResult = {
  json: object
  text: string
  /** The output of `--quiet`: the id or the secret that a script needs next. Absent if there is none. */
  value?: string | number
}

export type CommandContext = {
  terminal: Terminal
  /** The environment, completed by the `.env` file. */
  environment: Environment
  /** Print one JSON object and nothing else. */
  wantsJson: boolean
  /** Print only the value, and only mistakes on the standard error. */
  isQuiet: boolean
  say(answer: CommandResult): void
  /** Sets the exit of a command that has printed its result and is not fully done. */
  end(exit: Exit): void
}

/** Most characters of a cell on a terminal. */
const cellMax = 100

function cutCell(text: string): string {
  const { isCut, length } = spellText(text, cellMax)
  return isCut ? `${inLine([...text].slice(0, cellMax).join(''))}… (${length})` : inLine(text)
}

/** Formats rows under headings: padded and cut columns on a terminal, cells separated by tabs elsewhere. */
export function formatTable(
  headings: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  { terminal }: Pick<CommandContext, 'terminal'>,
): string {
  const { isTTY } = terminal.stdout
  const cells = [headings, ...rows].map((row) => row.map((cell) => (isTTY ? cutCell : inLine)(String(cell))))
  if (!isTTY) return cells.map((row) => row.join('\t')).join('\n')
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
