/** Formats rows as columns: the first to the left, numbers to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...all.map((row) => [...(row[column] ?? '')].length)))
  const line = (row: readonly string[]): string =>
    widths
      .map((width, column) => {
        const cell = row[column] ?? ''
        const blanks = ' '.repeat(width - [...cell].length)
        return column === 0 ? cell + blanks : blanks + cell
      })
      .join('  ')
      .trimEnd()
  return [line(head), widths.map((width) => '─'.repeat(width)).join('  '), ...rows.map(line)].join('\n')
}

/** Formats a number for people, with significant digits only. */
export function formatNumber(number: number | null | undefined, digits = 0): string {
  if (number === null || number === undefined || Number.isNaN(number)) return '–'
  return number.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}
