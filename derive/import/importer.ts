import type { Definition, Problem } from '#registry/definition.ts'
import { equalKey } from '#registry/equal.ts'
import type { Habits } from '#registry/fields/kind.ts'
import { isObject, type Json, type JsonObject } from '#registry/json.ts'
import { importBatchBytes, importBatchRows } from '#registry/limits.ts'
import type { Doubt, PlannedChange, Preview, RefusedRow } from '#registry/refusals.ts'
import type { BatchSummary, LookUpResult } from '../console/responses.ts'
import type { Catalogue } from '../labels.ts'
import { isReadAs } from '../parse-value.ts'
import type { FileRow, ImportFile } from './file.ts'
import {
  columnOf,
  createRowReader,
  type ImportSettings,
  type NamedReference,
  type RowProblem,
  type RowReader,
  valueShown,
} from './rows.ts'
import { newWord, wordKey } from './words.ts'

/**
 * An import part by part: the effect of each row, and the batch that writes it. The caller looks up, tries and writes.
 * Decisions, Import.
 */

/** The operations of the service that an import uses. A refusal of one is thrown, and read by `refusalOf`. */
export type ImportService = {
  lookUp(field: string, values: readonly string[]): Promise<readonly LookUpResult[]>
  attempt(
    operations: readonly JsonObject[],
  ): Promise<{ data: BatchSummary; plan?: Preview | undefined; doubts?: readonly Doubt[] }>
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
  /** The cells that were left empty because they do not fit. */
  emptied: RowProblem[]
  /** The doubts that were accepted. */
  accepted: RowProblem[]
}

/** A record, or an earlier row of the file, that may be the one of a row: both have the same value of a field. */
export type Double<Title = string> = { field: string; title: Title } & ({ id: number } | { line: number })

export const isWritten = ({ outcome }: RowOutcome): boolean => outcome === 'created' || outcome === 'changed'

/** Rows of one batch. */
export type Part = {
  from: number
  to: number
  rows: RowOutcome[]
  operations: JsonObject[]
  plan: string | null
  /** True if the batch creates words, which later batches then find. */
  hasNewWords: boolean
  /** True if a row was tried again by itself, so that the batch is no longer the one of its rows. */
  isStale?: boolean
}

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

/** The first row with a value that one row alone may have, or with a record, and its value. */
export type FirstRow = { n: number; value: string }

/** Creates an importer. Importers of one file share the first row with each value (`field key`) and record (`id 7`). */
export function createImporter(
  input: ImportInput,
  service: ImportService,
  firsts = new Map<string, FirstRow>(),
): Importer {
  const { definition, settings, alike = [] } = input
  const { rows } = input.file
  const read = createRowReader(input)
  const distinct = Object.keys(definition.fields).filter(
    (name) => definition.fields[name]?.unique || name === settings.match,
  )
  /** The first row with each value that tells doubles. */
  const firstRows = new Map<string, RowOutcome>()

  /** Refuses a row with a key that an earlier one has. */
  const claim = ({ n, problems }: RowOutcome, field: string, value: string, key: string): void => {
    const first = firsts.get(key)
    // A row that was mended since may have another value.
    if (!first || first.n >= n || !hasValue(first, field)) {
      firsts.set(key, { n, value })
      return
    }
    const line = String(rows[first.n]?.line)
    const message = `is the same as in line ${line}`
    problems.push({ column: columnOf(settings, field), value, field, code: 'twice', message, told: [line] })
  }

  const textIn = ({ key, body }: RowOutcome, field: string) => (field === settings.match ? key : body[field])
  const hasValue = ({ n, value }: FirstRow, field: string): boolean => {
    const now = textIn(read(rows[n] as FileRow, n), field)
    return typeof now === 'string' && equalKey(now) === equalKey(value)
  }

  return async (from, to) => {
    const part = readPart(rows, read, from, to)
    for (const row of part)
      for (const field of distinct) {
        const value = textIn(row, field)
        if (typeof value === 'string') claim(row, field, value, `${field} ${equalKey(value)}`)
      }
    await findReferences(service, part)
    if (settings.unfit === 'empty') for (const row of part) leaveEmpty(row)
    await findRecords(service, settings, part)
    for (const row of part) {
      const { id, key, problems } = row
      if (settings.match !== null && key !== null && id !== null && problems.length === 0)
        claim(row, settings.match, key, `id ${id}`)
      row.outcome = row.problems.length > 0 ? 'refused' : row.id === null ? 'created' : 'changed'
      const title = row.body[definition.title]
      row.title = typeof title === 'string' ? title : (row.key ?? '')
    }
    const tried = await tryOut(service, input, part)
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
    for (const { row, text, column, isNew, isOptional } of names) {
      const [one, ...others] = found.get(equalKey(text)) ?? []
      const refuse = (reason: Pick<RowProblem, 'code' | 'message' | 'told'>): void => {
        const problem = { column, value: text.slice(0, valueShown), field, ...reason }
        row.problems.push({ ...problem, ...(isOptional && { isUnfit: true }) })
      }
      if (one && others.length === 0) row.body[field] = one.id
      else if (one) refuse(ambiguous([one, ...others]))
      else if (isNew) row.body[field] = { $ref: text }
      else refuse({ code: 'unknown_name', message: 'is the name of no record' })
    }
  }
}

/** Finds the record of each row by the field that rows are matched by. Refuses a row with several. */
async function findRecords(service: ImportService, settings: ImportSettings, rows: readonly RowOutcome[]) {
  const { match } = settings
  if (match === null) return
  const keys = rows.flatMap((row) => (row.key === null || row.problems.length > 0 ? [] : [{ row, key: row.key }]))
  // An id needs no look-up: a try refuses it if there is no such record.
  if (match === 'id') {
    for (const { row, key } of keys) row.id = Number(key)
    return
  }
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
function readPart(rows: ImportFile['rows'], read: RowReader, from: number, to?: number): RowOutcome[] {
  const part: RowOutcome[] = []
  let bytes = 0
  for (const [index, row] of rows.slice(from, to ?? from + importBatchRows).entries()) {
    const one = read(row, from + index)
    // Longest size of a character of a body in UTF-8 and JSON.
    bytes += 100 + 3 * JSON.stringify(one.body).length
    if (to === undefined && part.length > 0 && bytes > importBatchBytes) break
    part.push(one)
  }
  return part
}

/** Leaves the cells empty that do not fit optional fields. */
function leaveEmpty(row: RowOutcome): void {
  row.emptied = row.problems.filter(({ isUnfit }) => isUnfit)
  row.problems = row.problems.filter(({ isUnfit }) => !isUnfit)
}

/** Returns the operations that create the new words of rows, and the rows' bodies that refer to them. */
function createWords(definition: Definition, rows: readonly RowOutcome[]) {
  const words = new Map<string, JsonObject>()
  const bodies = rows.map(({ body, names }) => {
    const refs = names.flatMap(({ path, text, isNew }): [string, JsonObject][] => {
      if (!isNew || !isObject(body[path])) return []
      const operation = newWord(definition.fields[path], text)
      const key = wordKey(JSON.stringify(operation))
      const word = words.get(key) ?? { ...operation, as: `word${words.size + 1}` }
      words.set(key, word)
      return [[path, { $ref: word.as as string }]]
    })
    return { ...body, ...Object.fromEntries(refs) }
  })
  return { words: [...words.values()], bodies }
}

/**
 * Tries the rows, drops refused and unchanged ones and values that only the reader spells otherwise, and repeats until
 * every row changes something. The rows left are the batch, and the preview of the last try is its effect.
 */
async function tryOut(
  service: ImportService,
  { definition, settings, currency }: ImportInput,
  rows: readonly RowOutcome[],
): Promise<Pick<Part, 'operations' | 'plan' | 'hasNewWords'>> {
  const habits: Habits = { language: 'en', currency, decimal: '.', dayOrder: 'day' }
  for (;;) {
    const left = rows.filter(isWritten)
    const { words, bodies } = createWords(definition, left)
    const operations = [
      ...words,
      ...left.map(({ id }, at): JsonObject => {
        const body = bodies[at] as JsonObject
        return id === null ? { op: 'create', body } : { op: 'update', id, body }
      }),
    ]
    const hasNewWords = words.length > 0
    if (left.length === 0) return { operations, plan: null, hasNewWords }
    try {
      const { data, plan, doubts = [] } = await service.attempt(operations)
      if (!plan) throw new Error('a try has no plan')
      for (const row of left) row.accepted = []
      for (const { n = 0, ...doubt } of doubts) {
        const row = left[n - words.length]
        if (row) judgeDoubt(settings, row, doubt)
      }
      if (!left.every(isWritten)) continue
      const same = left.filter((_, at) => data.operations[words.length + at]?.data.changed?.length === 0)
      for (const row of same) row.outcome = 'same'
      if (same.length > 0) continue
      const fieldsOf = plannedRows(plan.changes.filter(({ records }) => records === definition.name))
      for (const row of left) row.fields = withNewWords(row, fieldsOf(row))
      const respellings = left.flatMap((row) =>
        Object.entries(row.fields)
          .filter(([name, [stored, value]]) => {
            const field = definition.fields[name]
            return row.id !== null && name in row.body && field && isReadAs(field, stored, value, habits)
          })
          .map(([name]) => ({ row, name })),
      )
      for (const { row, name } of respellings) delete row.body[name]
      if (respellings.length > 0) continue
      return { operations, plan: plan.hash, hasNewWords }
    } catch (error) {
      const { code, refused = [] } = service.refusalOf(error) ?? {}
      // A refusal that names no row would be retried without an end.
      if (code !== 'batch_refused' || refused.length === 0) throw error
      for (const { n, problem } of refused) {
        const as = words[n]?.as
        const concerned = left.filter((_, at) =>
          as === undefined ? at === n - words.length : refersTo(bodies[at], as),
        )
        for (const row of concerned) {
          row.outcome = 'refused'
          row.problems = problemsOf(settings, row, problem)
        }
      }
    }
  }
}

/** Adds a doubt to the accepted ones of its row, or refuses the row. */
function judgeDoubt(settings: ImportSettings, row: RowOutcome, doubt: Doubt): void {
  const problem = { ...problemOf(settings, row, doubt), doubt: doubt.code }
  if (settings.accepts?.includes(doubt.code)) row.accepted.push(problem)
  else {
    row.outcome = 'refused'
    row.problems.push(problem)
  }
}

const refersTo = (body: JsonObject | undefined, as: Json): boolean =>
  Object.values(body ?? {}).some((value) => isObject(value) && value.$ref === as)

/** Returns the fields of a row with its new words by their names, before they are created and after. */
const withNewWords = ({ names }: RowOutcome, fields: RowOutcome['fields']): RowOutcome['fields'] => ({
  ...fields,
  ...Object.fromEntries(
    names.flatMap(({ path, text, isNew }) => (isNew && fields[path] ? [[path, [fields[path][0], text] as const]] : [])),
  ),
})

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

function problemsOf(settings: ImportSettings, row: RowOutcome, problem: RefusedRow['problem']): RowProblem[] {
  const { errors, detail } = problem
  if (!errors || errors.length === 0) return [{ column: null, value: '', field: '', code: 'refused', message: detail }]
  return errors.map((one) => problemOf(settings, row, one))
}

function problemOf(settings: ImportSettings, { body }: RowOutcome, { field, code, message }: Problem): RowProblem {
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
}
