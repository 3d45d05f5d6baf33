import { type Problem, problem } from '#registry/definition.ts'
import { isObject, type Json } from '#registry/json.ts'
import { batchOperationsMax } from '#registry/limits.ts'
import { permission } from '#registry/permissions.ts'
import { invalidFields, Refusal } from '#registry/refusals.ts'
import { type Registry, servedResources } from '#registry/resources/index.ts'
import { type BatchOperation, findUnknownMembers, isName, needOf, oneOf, readOperation } from './batch-operation.ts'
import type { BodyNeeds } from './operations/operation.ts'
import { rightsOfBody } from './visible.ts'

/**
 * Parses a batch row by row, without I/O. A row that cannot be parsed keeps its problems, so that the refusal lists it
 * together with those that the service refuses. Decisions, Batch.
 */

export const batchModes = ['all', 'each'] as const
export type BatchMode = (typeof batchModes)[number]

export type Batch = { mode: BatchMode; rows: BatchRow[] }

/** `n` counts from 0. */
export type BatchRow = { n: number; as: string | undefined } & ({ wanted: BatchOperation } | { problems: Problem[] })

/**
 * Returns the scopes, add-ons and rights that the operations of a batch need. Operations that cannot be parsed need
 * none.
 */
export function batchNeeds(body: Json): BodyNeeds {
  const given = isObject(body) && Array.isArray(body.operations) ? body.operations.slice(0, batchOperationsMax) : []
  const known = given.flatMap((row) => needOf(row, servedResources) ?? [])
  return {
    scopes: [...new Set(known.map(({ definition, action }) => permission(definition.name, action)))],
    addOns: [...new Set(known.map(({ definition }) => definition.served?.addOn ?? 'api'))],
    rights: [...new Set(known.flatMap(({ definition, body }) => rightsOfBody(definition, body)))],
  }
}

/** Parses a batch of the resources in `among`. Throws if the body is no batch at all. */
export function readBatch(body: Json, among: Registry = servedResources): Batch {
  if (!isObject(body)) throw invalidFields([problem('', 'wrong_type', 'The body must be one JSON object')])
  const { mode, operations } = body
  const isList = Array.isArray(operations) && operations.length > 0
  const lacking = operations === undefined ? 'required' : 'wrong_type'
  const problems = [
    ...findUnknownMembers(body, ['mode', 'operations']),
    ...(isMode(mode) ? [] : [oneOf('mode', mode, batchModes)]),
    ...(isList ? [] : [problem('operations', lacking, 'must be a list of at least one operation')]),
  ]
  if (isList && operations.length > batchOperationsMax) {
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
    const read = readOperation(row, names, among)
    const as = isName(row.as) ? row.as : undefined
    if (as !== undefined && !names.has(as)) names.set(as, { n, records: row.records, op: row.op })
    return { n, as, ...read }
  })
}

const isMode = (mode: Json | undefined): mode is BatchMode => (batchModes as readonly unknown[]).includes(mode)
