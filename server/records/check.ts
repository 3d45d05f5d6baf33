import { type CheckResult, checkRecord, findAcceptable, type ReferenceResult } from '#derive/input.ts'
import { choicesPath, chosenFields } from '#derive/operations/choices.ts'
import { type Definition, type Problem, problem, type ReferencedRecords, type SumValues } from '#registry/definition.ts'
import { isSameJson, type Json, type JsonObject } from '#registry/json.ts'
import { referencesOf, uniqueFields } from '#sql/records/columns.ts'
import { leadsTo, lockTree } from '#sql/records/lock-order.ts'
import { lookedUp, lookUp, readingReferences, type SentValues } from '#sql/records/prefetch.ts'
import type { Actor, WriteContext } from './actor.ts'
import type { PrefetchedRow } from './look-up.ts'
import type { ReadRecord } from './preview.ts'

/**
 * Returns the record as it would be, its problems except circles of a tree, and its doubts if a person is asked; with the day,
 * if anything has read it.
 */
export function judgeRecord(
  { accepts }: Actor,
  definition: Definition,
  { body, before, prefetched, sums, today, asChanged }: JudgedBody,
) {
  const days: string[] = []
  const noted = (): string => {
    days.push(today())
    return today()
  }
  const write = { today: noted, asChanged, asksDoubts: accepts !== undefined }
  const judged = checkRecord(definition, body, before, write, (checked) => ({
    ...whatItLeadsTo(definition, checked, before, prefetched),
    sums,
  }))
  return { ...judged, today: days[0] }
}

/** `asChanged` are fields that count as changed also where the sent value is the stored one. */
type JudgedBody = {
  body: Json
  before: JsonObject | null
  prefetched: PrefetchedRow
  sums: SumValues | undefined
  today(): string
  asChanged?: readonly string[]
}

/** Returns the values that a body sends for references and unique fields. Unacceptable values are not looked up. */
export const sentOf = (definition: Definition, body: Json): SentValues =>
  Object.fromEntries(
    lookedUp(definition).map((name) => [name, findAcceptable(definition, body, name) as string | number | null]),
  )

/** Returns the member that is true if another live record has the value of a unique field. */
export const takenColumn = (field: string): string => `${field}__taken`

/** Returns the records that the rules of a record have read. */
export const readOf = (definition: Definition, prefetched: PrefetchedRow): ReadRecord[] =>
  referencesOf(definition).map(([field, { to: records }]) => {
    return { field, records, record: (prefetched?.[field] ?? null) as JsonObject | null }
  })

/** Returns the referenced records, and the problems of references and unique values that are new. */
function whatItLeadsTo(
  definition: Definition,
  { sent, after }: CheckResult,
  before: JsonObject | null,
  prefetched: PrefetchedRow,
): ReferenceResult {
  const isNew = (name: string): boolean =>
    name in sent && sent[name] !== null && !isSameJson(sent[name], before?.[name])
  const found = foundOf(definition, after, prefetched)
  const lost = referencesOf(definition).filter(([name]) => isNew(name) && !found[name])
  const taken = uniqueFields(definition).filter((name) => isNew(name) && prefetched?.[takenColumn(name)])
  return { found, missing: [...lost.map(([name, { to }]) => notFound(definition, name, to)), ...taken.map(notUnique)] }
}

/** Returns the prefetched records to which a record refers, by reference. */
export const foundOf = (definition: Definition, record: JsonObject, prefetched: PrefetchedRow): ReferencedRecords =>
  Object.fromEntries(
    referencesOf(definition)
      .filter(([name]) => record[name] !== null)
      .map(([name]) => [name, (prefetched?.[name] ?? undefined) as JsonObject | undefined]),
  )

/** Reads the referenced records of a stored record, as far as its rules read them. */
export async function lookUpFound(
  { transaction, actor }: WriteContext,
  definition: Definition,
  record: JsonObject,
): Promise<ReferencedRecords> {
  const reading = readingReferences(definition)
  const references = Object.fromEntries(reading.map((name) => [name, record[name] as number | null]))
  if (Object.values(references).every((id) => id === null)) return {}
  const [row] = await transaction.run<JsonObject>(lookUp(actor.companyId, definition, references))
  return foundOf(definition, references, row ?? null)
}

/**
 * Returns the same message for a record that is missing, deleted, of another company or of the wrong sort: no oracle.
 */
function notFound(definition: Definition, name: string, to: string): Problem {
  const path = definition.served && chosenFields(definition).includes(name) ? choicesPath(definition, name) : undefined
  const where = path === undefined ? '' : `; \`GET ${path}\` lists them`
  return problem(name, 'not_found', `must be the id of one of the company’s live ${to.replaceAll('_', ' ')}${where}`)
}

export const notUnique = (field: string): Problem =>
  problem(field, 'not_unique', 'is taken by another record (capitals do not count)')

/**
 * Returns the references that would close a circle. The lock of the tree keeps two concurrent moves from closing one
 * together.
 */
export async function checkCircles(
  { transaction, actor: { companyId } }: WriteContext,
  definition: Definition,
  after: JsonObject,
  before: JsonObject,
): Promise<Problem[]> {
  const problems: Problem[] = []
  for (const [name, { tree }] of referencesOf(definition)) {
    const to = after[name]
    if (!tree || typeof to !== 'number' || to === before[name]) continue
    await transaction.run(lockTree(companyId, definition.name, name))
    const [row] = await transaction.run<{ leads: boolean }>(
      leadsTo(companyId, definition.name, name, to, before.id as number),
    )
    if (row?.leads) problems.push(problem(name, 'cycle', 'would close a circle that leads back to this record'))
  }
  return problems
}
