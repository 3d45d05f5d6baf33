import type { AddOn } from '#registry/add-ons.ts'
import type { Definition, Problem, ProblemCode } from '#registry/definition.ts'
import { isObject, type Json, type JsonObject } from '#registry/json.ts'
import { batchNameLengthMax, batchOperationsMax, idMax } from '#registry/limits.ts'
import { type Action, permission } from '#registry/permissions.ts'
import { invalidFields, Refusal } from '#registry/refusals.ts'
import { definitionOf, type Registry, registry } from '#registry/resources/index.ts'

/**
 * What a batch says, read row by row: pure. A row that cannot be understood keeps its problems, so that it is named
 * together with those that the service refuses. Decisions, Batch.
 */

export const batchModes = ['all', 'each'] as const
export type BatchMode = (typeof batchModes)[number]

/** What each needs the scope for, how it names its record, and whether it sends what becomes of it. */
const ops = {
  create: { action: 'EDIT', names: null, sends: true },
  update: { action: 'EDIT', names: 'either', sends: true },
  upsert: { action: 'EDIT', names: 'reference', sends: true },
  delete: { action: 'DELETE', names: 'either', sends: false },
} as const satisfies { [op: string]: { action: Action; names: 'either' | 'reference' | null; sends: boolean } }
export type BatchOp = keyof typeof ops
export const batchOps = Object.keys(ops) as BatchOp[]

export type Batch = { mode: BatchMode; rows: BatchRow[] }

/** `n` counts from 0. */
export type BatchRow = { n: number; as: string | undefined } & ({ wanted: BatchWanted } | { problems: Problem[] })

export type BatchWanted = {
  op: BatchOp
  definition: Definition
  /** Of all but a create. */
  target: BatchTarget | null
  ifMatch: string | undefined
  body: JsonObject
  /** The fields of `body` that stand for the id of an earlier operation, and which. */
  refs: ReadonlyMap<string, number>
}

/** Where `mayBeNew`, no record needs to have the reference yet. */
export type BatchTarget = { id: number } | { externalRef: string; mayBeNew: boolean }

export const served = registry.filter((definition) => definition.served)

/** The scopes and add-ons that the operations of a batch need; of what cannot be understood, none. */
export function batchNeeds(body: Json): { scopes: string[]; addOns: AddOn[] } {
  const given = isObject(body) && Array.isArray(body.operations) ? body.operations.slice(0, batchOperationsMax) : []
  const known = given.flatMap((row) => {
    if (!isObject(row) || !isOp(row.op)) return []
    const definition = named(served, row.records)
    return definition ? [{ definition, scope: permission(definition.name, ops[row.op].action) }] : []
  })
  return {
    scopes: [...new Set(known.map(({ scope }) => scope))],
    addOns: [...new Set(known.map(({ definition }) => definition.served?.addOn ?? 'api'))],
  }
}

/** Refused as a whole where it is no batch at all. `among` are the resources that it may be about. */
export function readBatch(body: Json, among: Registry = served): Batch {
  if (!isObject(body)) throw invalidFields([problem('', 'wrong_type', 'The body must be one JSON object')])
  const { mode, operations } = body
  const problems = [
    ...strangers(body, ['mode', 'operations']),
    ...(isMode(mode) ? [] : [oneOf('mode', mode, batchModes)]),
    ...(Array.isArray(operations) && operations.length > 0
      ? []
      : [
          problem(
            'operations',
            operations === undefined ? 'required' : 'wrong_type',
            'must be a list of at least one operation',
          ),
        ]),
  ]
  if (Array.isArray(operations) && operations.length > batchOperationsMax) {
    throw new Refusal('payload_too_large', {
      detail: `The batch has ${operations.length} operations; send at most ${batchOperationsMax} in one.`,
    })
  }
  if (problems.length > 0) throw invalidFields(problems)
  return { mode: mode as BatchMode, rows: readRows(operations as Json[], among) }
}

function readRows(operations: readonly Json[], among: Registry): BatchRow[] {
  const names = new Map<string, { n: number; records: Json | undefined; op: Json | undefined }>()
  return operations.map((row, n) => {
    if (!isObject(row)) {
      return { n, as: undefined, problems: [problem('', 'wrong_type', 'The operation must be a JSON object')] }
    }
    const read = readRow(row, names, among)
    const as = isName(row.as) ? row.as : undefined
    if (as !== undefined && !names.has(as)) names.set(as, { n, records: row.records, op: row.op })
    return { n, as, ...read }
  })
}

type Names = ReadonlyMap<string, { n: number; records: Json | undefined; op: Json | undefined }>

function readRow(row: JsonObject, names: Names, among: Registry): { wanted: BatchWanted } | { problems: Problem[] } {
  const { op, records, id, external_ref: externalRef, if_match: ifMatch, body, as } = row
  const definition = named(among, records)
  const known = isOp(op) ? ops[op] : undefined
  const problems = [
    ...strangers(row, members),
    ...(known ? [] : [oneOf('op', op, batchOps)]),
    ...(definition
      ? []
      : [
          oneOf(
            'records',
            records,
            among.map(({ name }) => name),
          ),
        ]),
    ...(known ? targetProblems(known, id, externalRef) : []),
    ...(known ? bodyProblems(known, body) : []),
    ...(known ? conditionProblems(known, ifMatch) : []),
    ...nameProblems(as, names),
  ]
  const { refs, lost } = readRefs(definition, body, names)
  problems.push(...lost)
  if (!isOp(op) || !definition || problems.length > 0) return { problems }
  const target = !ops[op].names
    ? null
    : id !== undefined
      ? { id: id as number }
      : { externalRef: externalRef as string, mayBeNew: ops[op].names === 'reference' }
  const wanted = {
    op,
    definition,
    target,
    ifMatch: ifMatch as string | undefined,
    body: (body ?? {}) as JsonObject,
    refs,
  }
  return { wanted }
}

const members = ['op', 'records', 'id', 'external_ref', 'if_match', 'body', 'as']

type Op = (typeof ops)[BatchOp]

function targetProblems({ names }: Op, id: Json | undefined, externalRef: Json | undefined): Problem[] {
  if (!names) {
    return Object.entries({ id, external_ref: externalRef })
      .filter(([, value]) => value !== undefined)
      .map(([name]) =>
        problem(name, 'unknown_field', 'is for an operation on a record that has one; a create has everything in body'),
      )
  }
  if (names === 'reference' && id !== undefined)
    return [problem('id', 'not_allowed', 'is not for an upsert, whose record is named by external_ref')]
  if (names === 'reference' && externalRef === undefined) return [problem('external_ref', 'required', 'is required')]
  if (id !== undefined && externalRef !== undefined)
    return [problem('external_ref', 'not_allowed', 'cannot be sent together with id; one of them names the record')]
  if (id === undefined && externalRef === undefined)
    return [problem('id', 'required', 'is required, or external_ref instead')]
  if (id !== undefined && !(Number.isInteger(id) && (id as number) >= 1 && (id as number) <= idMax))
    return [problem('id', 'wrong_type', 'must be the id of a record (a positive whole number)')]
  if (externalRef !== undefined && !(typeof externalRef === 'string' && externalRef.trim() !== ''))
    return [problem('external_ref', 'wrong_type', 'must be the external reference of a record')]
  return []
}

function bodyProblems({ sends }: Op, body: Json | undefined): Problem[] {
  if (!sends) return body === undefined ? [] : [problem('body', 'unknown_field', 'is not for a delete')]
  if (body === undefined) return [problem('body', 'required', 'is required')]
  return isObject(body) ? [] : [problem('body', 'wrong_type', 'must be a JSON object')]
}

function conditionProblems({ names }: Op, ifMatch: Json | undefined): Problem[] {
  if (ifMatch === undefined) return []
  if (!names) return [problem('if_match', 'unknown_field', 'is not for a create')]
  return typeof ifMatch === 'string' ? [] : [problem('if_match', 'wrong_type', 'must be an ETag in quotes, as text')]
}

const namePattern = new RegExp(`^[\\w.-]{1,${batchNameLengthMax}}$`)
const isName = (as: Json | undefined): as is string => typeof as === 'string' && namePattern.test(as)

function nameProblems(as: Json | undefined, names: Names): Problem[] {
  if (as === undefined) return []
  if (!isName(as)) {
    const message = `must be 1 to ${batchNameLengthMax} letters, digits, points, dashes or underscores`
    return [problem('as', 'wrong_format', message)]
  }
  return names.has(as) ? [problem('as', 'not_unique', 'is the name of an earlier operation')] : []
}

/** `{"$ref": "name"}` where a reference is expected. */
function readRefs(definition: Definition | undefined, body: Json | undefined, names: Names) {
  const refs = new Map<string, number>()
  const lost: Problem[] = []
  if (!definition || !isObject(body)) return { refs, lost }
  for (const [name, value] of Object.entries(body)) {
    const field = Object.hasOwn(definition.fields, name) ? definition.fields[name] : undefined
    if (field?.kind !== 'reference' || !isObject(value)) continue
    const { $ref: to, ...rest } = value
    const named = typeof to === 'string' ? names.get(to) : undefined
    if (named && Object.keys(rest).length === 0 && named.records === field.to && isOp(named.op) && ops[named.op].sends)
      refs.set(name, named.n)
    else {
      const message = `must be an id, or {"$ref": "…"} with what an earlier create, update or upsert of ${field.to} in this batch has in "as"`
      lost.push(problem(`body.${name}`, 'not_found', message))
    }
  }
  return { refs, lost }
}

const isMode = (mode: Json | undefined): mode is BatchMode => (batchModes as readonly unknown[]).includes(mode)
const isOp = (op: Json | undefined): op is BatchOp => (batchOps as readonly unknown[]).includes(op)

const named = (among: Registry, records: Json | undefined): Definition | undefined =>
  typeof records === 'string' ? definitionOf(among, records) : undefined

const problem = (field: string, code: ProblemCode, message: string): Problem => ({ field, code, message })

const oneOf = (field: string, given: Json | undefined, words: readonly string[]): Problem =>
  given === undefined
    ? problem(field, 'required', 'is required')
    : problem(field, typeof given === 'string' ? 'not_allowed' : 'wrong_type', `must be one of ${words.join(', ')}`)

/** Named up to a hundred: a row with more is no slip. */
const strangers = (given: JsonObject, known: readonly string[]): Problem[] =>
  Object.keys(given)
    .filter((name) => !known.includes(name))
    .slice(0, 100)
    .map((name) => problem(name.slice(0, 100), 'unknown_field', `is not known here; there are ${known.join(', ')}`))
