import type { Importer, Part, RowOutcome } from './importer.ts'

/** From the file to the whole difference, and from that to what is written: the same in the interface and by the command. */

export type Counts = { created: number; changed: number; same: number; refused: number }

export const countsOf = (rows: readonly RowOutcome[]): Counts => {
  const counts = { created: 0, changed: 0, same: 0, refused: 0 }
  for (const { outcome } of rows) counts[outcome] += 1
  return counts
}

export type Watch = {
  /** So many rows are done. */
  tell(done: number): void
  isStopped(): boolean
}

/** The parts of the rows behind the first `from`; undefined where it was stopped. */
export async function previewAll(
  importer: Importer,
  total: number,
  watch: Watch,
  from = 0,
): Promise<Part[] | undefined> {
  const parts: Part[] = []
  for (let at = from; at < total; ) {
    if (watch.isStopped()) return undefined
    const part = await importer.part(at)
    parts.push(part)
    at = part.to
    watch.tell(at)
  }
  return parts
}

/** Does a part as it was shown; `changed` where it would do something else by now. */
export type ApplyPart = (part: Part) => Promise<'done' | 'changed'>

export type Applying = {
  parts: readonly Part[]
  apply: ApplyPart
  /** These rows would do something else than was shown: they are shown anew, and done only on a yes. */
  confirm(rows: readonly RowOutcome[]): Promise<boolean>
}

/** Does all parts in their order. A part is done, or nothing of it. */
export async function applyAll(
  importer: Importer,
  { parts, apply, confirm }: Applying,
  watch: Watch,
): Promise<'done' | 'stopped'> {
  for (let part of parts) {
    if (watch.isStopped()) return 'stopped'
    while ((await apply(part)) === 'changed') {
      const shown = new Set(part.rows.map((row) => JSON.stringify(row)))
      part = await importer.part(part.from, part.to)
      const other = part.rows.filter((row) => !shown.has(JSON.stringify(row)))
      if (!(await confirm(other.length > 0 ? other : part.rows))) return 'stopped'
    }
    watch.tell(part.to)
  }
  return 'done'
}
