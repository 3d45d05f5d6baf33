import type { Definition } from '#registry/definition.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { importBatchBytes, importBatchRows } from '#registry/limits.ts'
import type { PlannedChange, Preview, RefusedRow } from '#registry/refusals.ts'
import type { LookUpResult } from '../console/responses.ts'
import type { BatchSummary } from '../console/results.ts'
import type { ImportFile } from './file.ts'
import {
  columnOf,
  createRowReader,
  type ImportSettings,
  type ReadRow,
  type RowProblem,
  type RowReader,
  valueShown,
} from './rows.ts'
import type { Catalogue } from './targets.ts'

/**
 * An import part by part: the effect of each row, and the batch that writes it. The caller looks up, tries and writes.
 * Decisions, Import.
 */

/** The operations of the service that an import uses. A refusal of one is thrown, and read by `refusalOf`. */
export type ImportService = {
  lookUp(field: string, values: readonly string[]): Promise<readonly LookUpResult[]>
  attempt(operations: readonly JsonObject[]): Promise<{ data: BatchSummary; plan?: Preview | undefined }>
  refusalOf(error: unknown): { code: string; refused?: readonly RefusedRow[] | undefined } | undefined
}

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

/** Returns the part that begins at a row, checked again; `to` is its former end. */
export type Importer = (from: number, to?: number) => Promise<Part>

export type ImportInput = {
  definition: Definition
  file: Pick<ImportFile, 'columns' | 'rows'>
  settings: ImportSettings
  currency: string
  catalogues: readonly Catalogue[]
}

export function createImporter(input: ImportInput, service: ImportService): Importer {
  const { definition, settings } = input
  const { rows } = input.file
  const read = createRowReader(input)
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

  return async (from, to) => {
    const reads = readPart(rows, read, from, to)
    for (const [index, row] of reads.entries()) row.problems.push(...repeated(row, from + index))
    await findReferences(service, reads)
    const found = await findRecords(service, settings, reads)
    const outcomes = reads.map(({ body, key, problems }, index): RowOutcome => {
      const n = from + index
      const id = key === null ? null : (found.get(key.toLowerCase())?.[0]?.id ?? null)
      const outcome = problems.length > 0 ? 'refused' : id === null ? 'created' : 'changed'
      const title = body[definition.title]
      const shown = typeof title === 'string' ? title : (key ?? '')
      return { n, line: rows[n]?.line ?? 0, outcome, id, title: shown, fields: {}, problems }
    })
    const { operations, plan } = await tryOut(service, settings, reads, outcomes)
    return { from, to: from + reads.length, rows: outcomes, operations, plan }
  }
}

/** Resolves the names in rows to ids. Refuses a row with a name of no record, or of several. */
async function findReferences(service: ImportService, reads: readonly ReadRow[]): Promise<void> {
  const wanted = Map.groupBy(
    reads.flatMap((row) => row.names.map((named) => ({ ...named, row }))),
    ({ path }) => path,
  )
  for (const [field, names] of wanted) {
    const found = await lookUp(
      service,
      field,
      names.map(({ text }) => text),
    )
    for (const { row, text, column } of names) {
      const [one, ...others] = found.get(text.toLowerCase()) ?? []
      const refuse = (code: 'unknown_name' | 'ambiguous_name', message: string, told: string[]): void => {
        row.problems.push({ column, value: text.slice(0, valueShown), field, code, message, told })
      }
      if (one && others.length === 0) row.body[field] = one.id
      else if (!one) refuse('unknown_name', 'is the name of no record', [])
      else {
        const candidates = [one, ...others].map(
          ({ id, title, also }) => `${title ?? ''} (${also === null ? `id ${id}` : `${also}, id ${id}`})`,
        )
        refuse('ambiguous_name', `may be ${candidates.join(' or ')}`, candidates)
      }
    }
  }
}

/** Finds the records of rows by the field that they are matched by. */
async function findRecords(service: ImportService, { match }: ImportSettings, reads: readonly ReadRow[]) {
  const keys = reads.flatMap(({ key, problems }) => (key === null || problems.length > 0 ? [] : [key]))
  return match === null ? new Map<string, LookUpResult[]>() : lookUp(service, match, keys)
}

/** Returns the records by values in lower case. A part has no more values than one call looks up. */
async function lookUp(service: ImportService, field: string, values: readonly string[]) {
  const asked = [...new Map(values.map((value) => [value.toLowerCase(), value])).values()]
  const found = asked.length === 0 ? [] : await service.lookUp(field, asked)
  return Map.groupBy(found, ({ place }) => (asked[place] as string).toLowerCase())
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
    const settle = (at: number, given: Partial<RowOutcome>): void => {
      const index = left[at] as number
      outcomes[index] = { ...(outcomes[index] as RowOutcome), ...given }
    }
    try {
      const { data, plan } = await service.attempt(operations)
      if (!plan) throw new Error('a try has no plan')
      const same = data.operations.flatMap(({ data: { changed } }, at) => (changed?.length === 0 ? [at] : []))
      if (same.length === 0) {
        const planned = plannedRows(plan.changes)
        for (const [at, index] of left.entries()) settle(at, { fields: planned(outcomes[index] as RowOutcome) })
        return { operations, plan: plan.hash }
      }
      for (const at of same) settle(at, { outcome: 'same' })
    } catch (error) {
      const { code, refused = [] } = service.refusalOf(error) ?? {}
      // A refusal that names no row would be retried without an end.
      if (code !== 'batch_refused' || refused.length === 0) throw error
      for (const { n, problem } of refused) {
        const row = reads[left[n] as number] as ReadRow
        settle(n, { outcome: 'refused', problems: problemsOf(settings, row, problem) })
      }
    }
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
          : (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, valueShown),
      ...{ field: path, code, message },
    }
  })
}
