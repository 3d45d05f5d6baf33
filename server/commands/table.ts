import { inLine } from '#derive/format-printable.ts'
import type { CommandContext } from './terminal.ts'

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
