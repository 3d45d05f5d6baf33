import type { FieldCode, RefusalCode, Scope } from './types.gen.ts'
import type { FieldProblem, Problem, RecordGroup, RefusedOperation, UndoConflict, WritePlan } from './wire.ts'

/** The members that a refusal has besides those of every refusal, by its code. */
type ProblemMembers = {
  validation_failed: { errors: FieldProblem<FieldCode>[] }
  insufficient_scope: { required_scope: Scope | (string & {}) }
  feature_off: { feature: string }
  plan_limit_reached: { limit: number; used: number }
  delete_blocked: { blocked_by: RecordGroup[] }
  protected: { blocked_by: RecordGroup[] }
  batch_refused: { refused: RefusedOperation[] }
  plan_changed: { plan: WritePlan }
  undo_conflict: { conflicts: UndoConflict[] }
}

/** `not_a_problem`: the answer is no refusal of the service, but of something in front of it, such as a proxy. */
type Code = RefusalCode | 'not_a_problem'

type RefusedOf<C extends Code> = Error & {
  readonly name: 'Refused'
  readonly code: C
  readonly status: number
  readonly title: string
  readonly detail: string
  readonly requestId: string | undefined
  /** Seconds after which the call should be sent again. */
  readonly retryAfter: number | undefined
} & (C extends keyof ProblemMembers ? Readonly<ProblemMembers[C]> : unknown)

/** A refusal of the service. `code` determines its members. */
export type Refused = { [C in Code]: RefusedOf<C> }[Code]

const isText = (value: unknown): boolean => typeof value === 'string'
const isNumber = (value: unknown): boolean => typeof value === 'number'
const isList = (value: unknown): boolean => Array.isArray(value)
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !isList(value)

/** The members of a body that an error takes over, each with its type. Any other could replace those of an Error. */
const problemMembers: { readonly [name in Exclude<keyof Problem, 'request_id'>]-?: (value: unknown) => boolean } = {
  type: isText,
  title: isText,
  status: isNumber,
  detail: isText,
  code: isText,
  errors: isList,
  required_scope: isText,
  feature: isText,
  limit: isNumber,
  used: isNumber,
  blocked_by: isList,
  refused: isList,
  plan: isObject,
  conflicts: isList,
}

class RefusedError extends Error {
  override readonly name = 'Refused'
  readonly requestId: string | undefined
  readonly retryAfter: number | undefined

  constructor(problem: Problem, retryAfter: number | undefined) {
    super(`${problem.status} ${problem.code}: ${isText(problem.detail) ? problem.detail : ''}`)
    Object.assign(this, { type: 'about:blank', title: '', detail: '' })
    for (const [name, isOfItsType] of Object.entries(problemMembers)) {
      const value = problem[name as keyof Problem]
      if (Object.hasOwn(problem, name) && isOfItsType(value)) Object.assign(this, { [name]: value })
    }
    this.requestId = isText(problem.request_id) ? problem.request_id : undefined
    this.retryAfter = retryAfter
  }
}

/** Declared so that `error instanceof Refused` and then `switch (error.code)` narrow. */
export const Refused = RefusedError as unknown as { new (problem: Problem, retryAfter: number | undefined): Refused }

/** Thrown when the deadline passed without an answer that settles the call. It may have happened: go on with `key`. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
  /** The key of the write: the same call with it is done at most once. */
  readonly key: string | undefined
  readonly attempts: number

  constructor({ key, attempts, cause }: { key: string | undefined; attempts: number; cause: unknown }) {
    const last = cause instanceof Error ? cause.message : String(cause)
    super(`no answer that settles the call in ${attempts} attempts, the last one: ${last}`, { cause })
    this.key = key
    this.attempts = attempts
  }
}

/** Thrown when a webhook is not from the service, or is too old. */
export class BadSignature extends Error {
  override readonly name = 'BadSignature'
}
