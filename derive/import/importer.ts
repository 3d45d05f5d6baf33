import type { Definition } from '#registry/definition.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { importBatchBytes, importBatchRows } from '#registry/limits.ts'
import type { PlannedChange, Preview, RefusedRow } from '#registry/refusals.ts'
import type { LookUpResult } from '../console/responses.ts'
import type { ImportFile } from './file.ts'
import { findRecords, findReferences } from './find.ts'
import { columnOf, type ImportSettings, type ReadRow, type RowProblem, type RowReader } from './rows.ts'

/**
 * An import part by part: the effect of each row, and the batch that writes it. The caller looks up, tries and writes.
 * Decisions, Import.
 */

/** The operations of the service that an import uses. */
export type ImportService = {
  lookUp(field: string, values: readonly string[]): Promise<readonly LookUpResult[]>
  attempt(operations: readonly JsonObject[]): Promise<TryResult>
}

export type TryResult =
  | { refused: readonly RefusedRow[] }
  | { changed: readonly (readonly string[] | null)[]; plan: Preview }

/** The effect of a row. */
export type Outcome = keyof typeof opOf | 'same' | 'refused'

/** The operation that writes a row. */
const opOf = { created: 'create', changed: 'update' } as const

const opFor = (outcome: Outcome): string | undefined => (opOf as { readonly [outcome: string]: string })[outcome]

export type RowOutcome = {
  /** The index of the row in the file, from 0. */
  n: number
  line: number
  outcome: Outcome
  /** The id of the existing record. */
  id: number | null
  title: string
  /** The stored and the new value by field. */
  fields: { readonly [field: string]: readonly [Json, Json] }
  problems: readonly RowProblem[]
}

/** Rows of one batch. */
export type Part = { from: number; to: number; rows: RowOutcome[]; operations: JsonObject[]; plan: string | null }

export type Importer = {
  /** Returns the part that begins at a row, checked again; `to` is its former end. */
  part(from: number, to?: number): Promise<Part>
}

export type ImportInput = {
  definition: Definition
  file: Pick<ImportFile, 'rows'>
  settings: ImportSettings
  read: RowReader
}

export function createImporter(
  { definition, file: { rows }, settings, read }: ImportInput,
  service: ImportService,
): Importer {
  const unique = Object.keys(definition.fields).filter((name) => definition.fields[name]?.unique)
  /** The first row with each unique value. */
  const firsts = new Map<string, number>()

  const repeated = (row: ReadRow, n: number): RowProblem[] =>
    unique.flatMap((field): RowProblem[] => {
      const value = row.body[field]
      if (typeof value !== 'string') return []
      const key = `${field} ${value.toLowerCase()}`
      const first = firsts.get(key)
      if (first === undefined || first >= n) {
        firsts.set(key, n)
        return []
      }
      const line = String(rows[first]?.line)
      const message = `is the same as in line ${line}`
      return [{ column: columnOf(settings, field), value, field, code: 'twice', message, told: [line] }]
    })

  return {
    async part(from, to) {
      const reads = readPart(rows, read, from, to)
      for (const [index, row] of reads.entries()) row.problems.push(...repeated(row, from + index))
      await findReferences(service, reads)
      const found = await findRecords(service, settings, reads)
      const outcomes = reads.map((row, index): RowOutcome => {
        const n = from + index
        const id = row.key === null ? null : (found.get(row.key.toLowerCase()) ?? null)
        const outcome = row.problems.length > 0 ? 'refused' : id === null ? 'created' : 'changed'
        const title = row.body[definition.title]
        return {
          ...{ n, line: rows[n]?.line ?? 0, outcome, id, title: typeof title === 'string' ? title : (row.key ?? '') },
          ...{ fields: {}, problems: row.problems },
        }
      })
      const { operations, plan } = await tryOut(service, settings, reads, outcomes)
      return { from, to: from + reads.length, rows: outcomes, operations, plan }
    },
  }
}

/** Returns as many rows as one batch may have. Keeps the former end, if there is one. */
function readPart(rows: ImportFile['rows'], read: RowReader, from: number, to = rows.length): ReadRow[] {
  const part: ReadRow[] = []
  let bytes = 0
  for (const row of rows.slice(from, Math.min(to, from + importBatchRows))) {
    const one = read(row)
    // Longest size of a character of a body in UTF-8 and JSON.
    bytes += 100 + 3 * JSON.stringify(one.body).length
    if (part.length > 0 && bytes > importBatchBytes) break
    part.push(one)
  }
  return part
}

/**
 * Tries the rows, drops refused and unchanged ones, and repeats until every row changes something. The rows left are
 * the batch, and the preview of the last try is its effect.
 */
async function tryOut(
  service: ImportService,
  settings: ImportSettings,
  reads: readonly ReadRow[],
  outcomes: RowOutcome[],
) {
  for (;;) {
    const left = outcomes.flatMap(({ outcome }, index) => (opFor(outcome) ? [index] : []))
    const operations = left.map((index): JsonObject => {
      const { outcome, id } = outcomes[index] as RowOutcome
      return { op: opFor(outcome) as string, ...(id === null ? {} : { id }), body: (reads[index] as ReadRow).body }
    })
    if (operations.length === 0) return { operations, plan: null }
    const tried = await service.attempt(operations)
    const settle = (at: number, given: Partial<RowOutcome>): void => {
      const index = left[at] as number
      outcomes[index] = { ...(outcomes[index] as RowOutcome), ...given }
    }
    if ('refused' in tried) {
      // A refusal that names no row would be retried without an end.
      if (tried.refused.length === 0) throw new Error('a batch was refused for no row')
      for (const { n, problem } of tried.refused) {
        const row = reads[left[n] as number] as ReadRow
        settle(n, { outcome: 'refused', problems: problemsOf(settings, row, problem) })
      }
      continue
    }
    const same = tried.changed.flatMap((changed, at) => (changed?.length === 0 ? [at] : []))
    if (same.length === 0) {
      const planned = plannedRows(tried.plan.changes)
      for (const [at, index] of left.entries()) settle(at, { fields: planned(outcomes[index] as RowOutcome) })
      return { operations, plan: tried.plan.hash }
    }
    for (const at of same) settle(at, { outcome: 'same' })
  }
}

/** Returns the preview of each row: updates by id, creates in their order. */
function plannedRows(changes: readonly PlannedChange[]): (row: RowOutcome) => RowOutcome['fields'] {
  const made = changes.filter(({ id }) => id === null)[Symbol.iterator]()
  const byId = new Map(changes.map((change) => [change.id, change]))
  return ({ id }) => {
    const change = id === null ? made.next().value : byId.get(id)
    const pairs = Object.entries(change?.fields ?? {}).map(([name, pair]) => {
      const [before = null, after = null] = pair as Json[]
      return [name, [before, after] as const] as const
    })
    return Object.fromEntries(pairs)
  }
}

function problemsOf(settings: ImportSettings, { body }: ReadRow, problem: RefusedRow['problem']): RowProblem[] {
  const { errors, detail } = problem
  if (!errors || errors.length === 0) return [{ column: null, value: '', field: '', code: 'refused', message: detail }]
  return errors.map(({ field, code, message }) => {
    const path = field.replace(/^body\.?/, '')
    const value = body[path.split('.')[0] as string]
    return {
      column: columnOf(settings, path),
      value:
        value === undefined || value === null
          ? ''
          : (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 200),
      ...{ field: path, code, message },
    }
  })
}
