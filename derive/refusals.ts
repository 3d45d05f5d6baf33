import { type Definition, type Problem, problem } from '#registry/definition.ts'
import { batchProblemsMax } from '#registry/limits.ts'
import { invalidFields, type RecordsSummary, Refusal, type RefusedOperation } from '#registry/refusals.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { formatName } from './words.ts'

/** Refusals with particulars in their sentence, for the service and for the document. */

export const givenTwice = (header: string, times: number): Refusal =>
  new Refusal('invalid_header', { detail: `${header} is given ${times} times; send it once.` })

export const malformedJson = (what: string): Refusal => new Refusal('malformed_json', { detail: `${what}.` })

export const memberTwice = (name: string): Refusal =>
  malformedJson(`The body has the member ${JSON.stringify(name.slice(0, 60))} twice`)

export const planIsFull = (records: string, limit: number, used: number): Refusal =>
  new Refusal('plan_limit_reached', {
    detail: `The plan holds ${limit} ${formatName(records)} and ${used} are in use. Delete some, or move to a larger plan.`,
    limit,
    used,
  })

export function deleteBlocked({ name, one, removal }: Definition, blockedBy: RecordsSummary[]): Refusal {
  const oneOf = (records: string) => (records === name ? one : definitionOf(registry, records)?.one)
  const what = blockedBy.map(({ records, count }) => `${count} ${count === 1 ? oneOf(records) : formatName(records)}`)
  return new Refusal('delete_blocked', {
    detail: `The ${one} is protected by history (${what.join(', ')}). Instead, ${removal.instead}.`,
    blocked_by: blockedBy,
  })
}

/** Returns the problems of an operation's body with paths inside of the operation. */
export const rowProblems = (problems: readonly Problem[]): Problem[] =>
  problems.map(({ field, ...rest }) => ({ field: field === '' ? 'body' : `body.${field}`, ...rest }))

/** Names the first problems of each row and counts the others: a thousand rows may have a hundred each. */
export function rowRefusal(problems: readonly Problem[]): Refusal {
  const left = problems.length - batchProblemsMax
  if (left <= 0) return invalidFields([...problems])
  const message = `The operation has ${left} more mistakes like these`
  const last = problems.at(-1)?.code ?? 'unknown_field'
  return invalidFields([...problems.slice(0, batchProblemsMax), problem('', last, message)])
}

/** `operations` is the count of the batch's operations. */
export function batchRefused(operations: number, refused: RefusedOperation[]): Refusal {
  const [first] = refused
  return new Refusal('batch_refused', {
    detail: `${refused.length} of ${operations} operations cannot be done, so none was. Operation ${first?.n}: ${first?.refusal.message}`,
    refused,
  })
}
