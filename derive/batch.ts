import { type Problem, problem } from '#registry/definition.ts'
import { isObject, type Json } from '#registry/json.ts'
import { batchOperationsMax } from '#registry/limits.ts'
import { permission } from '#registry/permissions.ts'
import { invalidFields, Refusal } from '#registry/refusals.ts'
import { type Registry, servedResources } from '#registry/resources/index.ts'
import { type BatchOperation, isName, needOf, notKnown, oneOf, readOperation } from './batch-operation.ts'
import { checkObject } from './check-object.ts'
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

/** Returns the scopes, add-ons and rights that a batch needs. Operations that cannot be parsed need none. */
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
  const { accepted, problems } = checkObject(body, {
    members: batchMembers,
    isSorted: true,
    absent: ({ absent }) => absent,
    unknown: () => notKnown(Object.keys(batchMembers)),
    check: ({ check }, value, path) => check(path, value),
  })
  const { mode, operations } = accepted as { mode: BatchMode; operations: Json[] }
  if (operations?.length > batchOperationsMax) {
    throw new Refusal('payload_too_large', {
      detail: `The batch has ${operations.length} operations; send at most ${batchOperationsMax} in one.`,
    })
  }
  if (problems.length > 0) throw invalidFields(problems)
  return { mode, rows: readRows(operations, among) }
}

const listMust = 'must be a list of at least one operation'

const batchMembers = {
  mode: { absent: 'is required', check: (path: string, value: Json) => oneOf(path, value, batchModes) },
  operations: {
    absent: listMust,
    check: (path: string, value: Json) =>
      Array.isArray(value) && value.length > 0 ? { value } : [problem(path, 'wrong_type', listMust)],
  },
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
