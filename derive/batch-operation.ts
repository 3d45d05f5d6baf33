import { type Definition, type Problem, problem } from '#registry/definition.ts'
import { referenceOf } from '#registry/fields/index.ts'
import { isObject, type Json, type JsonObject } from '#registry/json.ts'
import { batchNameLengthMax, idMax } from '#registry/limits.ts'
import type { Action } from '#registry/permissions.ts'
import { definitionOf, type Registry } from '#registry/resources/index.ts'
import { checkObject } from './check-object.ts'
import { type ExpectedVersion, expectedOf, readTags } from './expected-version.ts'

/** One operation of a batch, and all of its problems. */

/** The operations: the action of the scope, the ways to name the record, and whether there is a body. */
export const batchOperations = {
  create: { action: 'EDIT', names: null, sends: true },
  update: { action: 'EDIT', names: 'either', sends: true },
  upsert: { action: 'EDIT', names: 'reference', sends: true },
  delete: { action: 'DELETE', names: 'either', sends: false },
} as const satisfies { [op: string]: { action: Action; names: 'either' | 'reference' | null; sends: boolean } }
export type BatchOp = keyof typeof batchOperations
export const batchOps = Object.keys(batchOperations) as BatchOp[]

export type BatchOperation = {
  op: BatchOp
  definition: Definition
  /** One of these names the record; a create has neither. */
  id: number | undefined
  externalRef: string | undefined
  /** True if there may be no record with the reference yet. */
  mayBeNew: boolean
  expected: ExpectedVersion
  body: JsonObject
  /** The fields of `body` that refer to an earlier operation, with its number. */
  refs: ReadonlyMap<string, number>
}

/** The earlier operations by name. */
export type Names = ReadonlyMap<string, { n: number; records: Json | undefined; op: Json | undefined }>

export function readOperation(
  row: JsonObject,
  names: Names,
  among: Registry,
): { wanted: BatchOperation } | { problems: Problem[] } {
  const { op, id, external_ref: externalRef, if_match: ifMatch, body, as } = row
  const definition = resourceOf(among, row.records)
  const known = isOp(op) ? batchOperations[op] : undefined
  const words = { op: batchOps, records: among.map(({ name }) => name) }
  const { refs, lost } = readRefs(definition, body, names)
  const problems = [
    ...checkObject(row, {
      members: { ...members, ...words },
      isSorted: true,
      absent: (member) => (member ? 'is required' : undefined),
      unknown: () => notKnown(Object.keys(members)),
      check: (member, value, at) => (member ? oneOf(at, value, member) : { value }),
    }).problems,
    ...(known ? [...targetProblems(known, id, externalRef), ...bodyProblems(known, body)] : []),
    ...(known ? conditionProblems(known, ifMatch) : []),
    ...nameProblems(as, names),
    ...lost,
  ]
  if (!isOp(op) || !definition || problems.length > 0) return { problems }
  const tags = ifMatch === undefined ? undefined : readTags(ifMatch as string)
  if (ifMatch !== undefined && !tags) return { problems: [problem('if_match', 'wrong_format', noTags)] }
  const mayBeNew = batchOperations[op].names === 'reference'
  const expected = expectedOf({ ifMatch: tags })
  return { wanted: { op, definition, id, externalRef, mayBeNew, expected, body: body ?? {}, refs } as BatchOperation }
}

const noTags = 'must be * or a list of ETags in quotes, as ETag gave them'

/** Returns the resource and scope of an operation, or undefined if it cannot be parsed. */
export function needOf(
  row: Json,
  among: Registry,
): { definition: Definition; action: Action; body: Json | undefined } | undefined {
  const definition = isObject(row) ? resourceOf(among, row.records) : undefined
  return isObject(row) && isOp(row.op) && definition
    ? { definition, action: batchOperations[row.op].action, body: row.body }
    : undefined
}

/** The members of an operation in their order, by name. Those that depend on each other are checked together. */
const members: { readonly [name: string]: readonly string[] | null } = Object.fromEntries(
  ['op', 'records', 'id', 'external_ref', 'if_match', 'body', 'as'].map((name) => [name, null]),
)

type BatchAction = (typeof batchOperations)[BatchOp]

function targetProblems({ names }: BatchAction, id: Json | undefined, externalRef: Json | undefined): Problem[] {
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

function bodyProblems({ sends }: BatchAction, body: Json | undefined): Problem[] {
  if (!sends) return body === undefined ? [] : [problem('body', 'unknown_field', 'is not for a delete')]
  if (body === undefined) return [problem('body', 'required', 'is required')]
  return isObject(body) ? [] : [problem('body', 'wrong_type', 'must be a JSON object')]
}

function conditionProblems({ names }: BatchAction, ifMatch: Json | undefined): Problem[] {
  if (ifMatch === undefined) return []
  if (!names) return [problem('if_match', 'unknown_field', 'is not for a create')]
  return typeof ifMatch === 'string' ? [] : [problem('if_match', 'wrong_type', 'must be an ETag in quotes, as text')]
}

const namePattern = new RegExp(`^[\\w.-]{1,${batchNameLengthMax}}$`)
export const isName = (as: Json | undefined): as is string => typeof as === 'string' && namePattern.test(as)

function nameProblems(as: Json | undefined, names: Names): Problem[] {
  if (as === undefined) return []
  if (!isName(as)) {
    const message = `must be 1 to ${batchNameLengthMax} letters, digits, points, dashes or underscores`
    return [problem('as', 'wrong_format', message)]
  }
  return names.has(as) ? [problem('as', 'not_unique', 'is the name of an earlier operation')] : []
}

/** Reads `{"$ref": "name"}` in the fields that refer to a record. */
function readRefs(definition: Definition | undefined, body: Json | undefined, names: Names) {
  const refs = new Map<string, number>()
  const lost: Problem[] = []
  if (!definition || !isObject(body)) return { refs, lost }
  for (const [name, value] of Object.entries(body)) {
    const field = referenceOf(Object.hasOwn(definition.fields, name) ? definition.fields[name] : undefined)
    if (!field || !isObject(value)) continue
    const { $ref: to, ...rest } = value
    const named = typeof to === 'string' ? names.get(to) : undefined
    if (
      named &&
      Object.keys(rest).length === 0 &&
      named.records === field.to &&
      isOp(named.op) &&
      batchOperations[named.op].sends
    )
      refs.set(name, named.n)
    else {
      const message = `must be an id, or {"$ref": "…"} with what an earlier create, update or upsert of ${field.to} in this batch has in "as"`
      lost.push(problem(`body.${name}`, 'not_found', message))
    }
  }
  return { refs, lost }
}

const isOp = (op: Json | undefined): op is BatchOp => (batchOps as readonly unknown[]).includes(op)

const resourceOf = (among: Registry, records: Json | undefined): Definition | undefined =>
  typeof records === 'string' ? definitionOf(among, records) : undefined

/** Returns the value if it is one of the words, else its problem. */
export const oneOf = (path: string, value: Json, words: readonly string[]): Problem[] | { value: Json } =>
  (words as readonly Json[]).includes(value)
    ? { value }
    : [problem(path, typeof value === 'string' ? 'not_allowed' : 'wrong_type', `must be one of ${words.join(', ')}`)]

/** Returns the message for an unknown member of an object that is no record. */
export const notKnown = (names: readonly string[]): string => `is not known here; there are ${names.join(', ')}`
