import type { Definition } from '#registry/definition.ts'
import { equalKey } from '#registry/equal.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { importBatchBytes, importBatchRows } from '#registry/limits.ts'
import type { PlannedChange, Preview, RefusedRow } from '#registry/refusals.ts'
import type { BatchSummary, LookUpResult } from '../console/responses.ts'
import type { Catalogue } from '../labels.ts'
import type { ImportFile } from './file.ts'
import {
  columnOf,
  createRowReader,
  type ImportSettings,
  type NamedReference,
  type RowProblem,
  type RowReader,
  valueShown,
} from './rows.ts'

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

export const outcomes = ['created', 'changed', 'same', 'refused'] as const
/** The effect of a row. */
export type Outcome = (typeof outcomes)[number]

/** A row as the operation that it stands for, and its effect. */
export type RowOutcome = {
  /** The index of the row in the file, from 0. */
  n: number
  line: number
  body: JsonObject
  names: NamedReference[]
  /** The value that finds the record. */
  key: string | null
  outcome: Outcome
  /** The id of the existing record. */
  id: number | null
  title: string
  /** The stored and the new value by field. */
  fields: { readonly [field: string]: readonly [Json, Json] }
  problems: RowProblem[]
  doubles: Double[]
}

/** A record, or an earlier row of the file, that may be the one of a row: both have the same value of a field. */
export type Double<Title = string> = { field: string; title: Title } & ({ id: number } | { line: number })

export const isWritten = ({ outcome }: RowOutcome): boolean => outcome === 'created' || outcome === 'changed'

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
  /** The fields by which doubles are found. */
  alike?: readonly string[]
}

export function createImporter(input: ImportInput, service: ImportService): Importer {
  const { definition, settings, alike = [] } = input
  const { rows } = input.file
  const read = createRowReader(input)
  const distinct = Object.keys(definition.fields).filter(
    (name) => definition.fields[name]?.unique || name === settings.match,
  )
  /** The first row with each value that one row alone may have, and with each record. */
  const firsts = new Map<string, number>()
  /** The first row with each value that tells doubles. */
  const firstRows = new Map<string, RowOutcome>()

  /** Refuses a row with a key that an earlier one has. */
  const claim = ({ n, problems }: RowOutcome, field: string, value: string, key: string): void => {
    const first = firsts.get(key)
    if (first === undefined || first >= n) {
      firsts.set(key, n)
      return
    }
    const line = String(rows[first]?.line)
    const message = `is the same as in line ${line}`
    problems.push({ column: columnOf(settings, field), value, field, code: 'twice', message, told: [line] })
  }

  return async (from, to) => {
    const part = readPart(rows, read, from, to)
    for (const row of part)
      for (const field of distinct) {
        const value = row.body[field]
        if (typeof value === 'string') claim(row, field, value, `${field} ${equalKey(value)}`)
      }
    await findReferences(service, part)
    await findRecords(service, settings, part)
    for (const row of part) {
      const { id, key, problems } = row
      if (settings.match !== null && key !== null && id !== null && problems.length === 0)
        claim(row, settings.match, key, `id ${id}`)
      row.outcome = row.problems.length > 0 ? 'refused' : row.id === null ? 'created' : 'changed'
      const title = row.body[definition.title]
      row.title = typeof title === 'string' ? title : (row.key ?? '')
    }
    const tried = await tryOut(service, settings, part)
    for (const field of alike) await findDoubles(service, field, part.filter(isWritten), firstRows)
    return { from, to: from + part.length, rows: part, ...tried }
  }
}

/** Resolves the names in rows to ids. Refuses a row with a name of no record, or of several. */
async function findReferences(service: ImportService, rows: readonly RowOutcome[]): Promise<void> {
  const wanted = Map.groupBy(
    rows.flatMap((row) => row.names.map((named) => ({ ...named, row }))),
    ({ path }) => path,
  )
  for (const [field, names] of wanted) {
    const found = await lookUp(
      service,
      field,
      names.map(({ text }) => text),
    )
    for (const { row, text, column } of names) {
      const [one, ...others] = found.get(equalKey(text)) ?? []
      const value = text.slice(0, valueShown)
      if (!one) row.problems.push({ column, value, field, code: 'unknown_name', message: 'is the name of no record' })
      else if (others.length === 0) row.body[field] = one.id
      else row.problems.push({ column, value, field, ...ambiguous([one, ...others]) })
    }
  }
}

/** Finds the record of each row by the field that rows are matched by. Refuses a row with several. */
async function findRecords(service: ImportService, settings: ImportSettings, rows: readonly RowOutcome[]) {
  const { match } = settings
  if (match === null) return
  const keys = rows.flatMap((row) => (row.key === null || row.problems.length > 0 ? [] : [{ row, key: row.key }]))
  const found = await lookUp(
    service,
    match,
    keys.map(({ key }) => key),
  )
  for (const { row, key } of keys) {
    const [one, ...others] = found.get(equalKey(key)) ?? []
    const value = key.slice(0, valueShown)
    if (one && others.length > 0)
      row.problems.push({ column: columnOf(settings, match), value, field: match, ...ambiguous([one, ...others]) })
    else row.id = one?.id ?? null
  }
}

/** Returns the refusal of a text that several records have, with their ids. */
function ambiguous(records: readonly LookUpResult[]) {
  const told = records.map(
    ({ id, title, also }) => `${title ?? ''} (${also === null ? `id ${id}` : `${also}, id ${id}`})`,
  )
  return { code: 'ambiguous_name' as const, message: `may be ${told.join(' or ')}`, told }
}

/** Finds the doubles of rows by the values that they write into a field. */
async function findDoubles(
  service: ImportService,
  field: string,
  rows: readonly RowOutcome[],
  firstRows: Map<string, RowOutcome>,
): Promise<void> {
  const values = rows.flatMap((row) => {
    const value = row.fields[field]?.[1]
    return typeof value === 'string' ? [{ row, value }] : []
  })
  const found = await lookUp(
    service,
    field,
    values.map(({ value }) => value),
  )
  for (const { row, value } of values) {
    const others = (found.get(equalKey(value)) ?? []).filter(({ id }) => id !== row.id)
    row.doubles.push(...others.map(({ id, title }) => ({ field, id, title: title ?? value })))
    const key = `${field} ${equalKey(value)}`
    const first = firstRows.get(key)
    if (first === undefined || first.n >= row.n) firstRows.set(key, row)
    else if (!others.some(({ id }) => id === first.id))
      row.doubles.push({ field, line: first.line, title: first.title })
  }
}

/** Returns the records by the keys of the values. A part has no more values than one call looks up. */
async function lookUp(service: ImportService, field: string, values: readonly string[]) {
  const asked = [...new Map(values.map((value) => [equalKey(value), value])).values()]
  const found = asked.length === 0 ? [] : await service.lookUp(field, asked)
  return Map.groupBy(found, ({ place }) => equalKey(asked[place] as string))
}

/** Returns as many rows as one batch may have. Keeps the former end, if there is one. */
function readPart(rows: ImportFile['rows'], read: RowReader, from: number, to = rows.length): RowOutcome[] {
  const part: RowOutcome[] = []
  let bytes = 0
  for (const [index, row] of rows.slice(from, Math.min(to, from + importBatchRows)).entries()) {
    const one = read(row, from + index)
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
async function tryOut(service: ImportService, settings: ImportSettings, rows: readonly RowOutcome[]) {
  for (;;) {
    const left = rows.filter(isWritten)
    const operations = left.map(
      ({ id, body }): JsonObject => (id === null ? { op: 'create', body } : { op: 'update', id, body }),
    )
    if (left.length === 0) return { operations, plan: null }
    try {
      const { data, plan } = await service.attempt(operations)
      if (!plan) throw new Error('a try has no plan')
      const same = left.filter((_, at) => data.operations[at]?.data.changed?.length === 0)
      for (const row of same) row.outcome = 'same'
      if (same.length > 0) continue
      const fieldsOf = plannedRows(plan.changes)
      for (const row of left) row.fields = fieldsOf(row)
      return { operations, plan: plan.hash }
    } catch (error) {
      const { code, refused = [] } = service.refusalOf(error) ?? {}
      // A refusal that names no row would be retried without an end.
      if (code !== 'batch_refused' || refused.length === 0) throw error
      for (const { n, problem } of refused) {
        const row = left[n] as RowOutcome
        row.outcome = 'refused'
        row.problems = problemsOf(settings, row, problem)
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

function problemsOf(settings: ImportSettings, { body }: RowOutcome, problem: RefusedRow['problem']): RowProblem[] {
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
