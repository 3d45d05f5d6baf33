import { faultMessage } from '#derive/parse-value.ts'
import type { Problem } from '#registry/definition.ts'
import type { Field } from '#registry/fields/index.ts'
import type { Fault, Habits } from '#registry/fields/kind.ts'
import { isRefused, isUnauthorized, RefusedError } from '../client/ask.ts'
import type { Texts } from './en/index.ts'
import { type ForeignText, quote } from './foreign.ts'

type ShownProblem = Pick<Problem, 'code'> & { message: ForeignText | string }

/** Most characters of a sentence of the service, which may quote texts of others. */
const sentenceMax = 2000

/** Returns a field's problem in the reader's language, or in the service's words if the catalogue lacks its code. */
export const problemText = ({ code, message }: ShownProblem, { problems }: Texts): string =>
  problems[code] || quote(message, sentenceMax)

/** Returns why a typed text is no value, in the reader's language or in the words of the check. */
export const faultText = (fault: Fault, field: Field, habits: Habits, { faults, problems }: Texts): string =>
  faults[fault.code]?.(quote(fault.part)) ||
  problems[fault.code] ||
  quote(faultMessage(fault, field, habits), sentenceMax)

/** Returns the text of an error that is about no field. */
export function errorText(error: unknown, texts: Texts): string {
  if (!(error instanceof RefusedError)) return texts.trouble.unexpected
  const { code, detail, title } = error.body
  const own = detail || title
  if (code === 'unreachable') return texts.trouble.unreachable
  if (code === 'not_found' && !error.body.errors) return texts.trouble.notFound
  return texts.trouble.codes[code] || (own ? quote(own, sentenceMax) : texts.trouble.unexpected)
}

/** Returns the text of a refused sign-in. */
export function refusalText(error: unknown, texts: Texts, namesCompany = false): string {
  if (isRefused(error, 'too_many_requests')) return texts.signIn.throttled
  if (isUnauthorized(error) || isRefused(error, 'validation_failed')) {
    return namesCompany ? texts.signIn.wrongWithCompany : texts.signIn.wrong
  }
  return errorText(error, texts)
}
