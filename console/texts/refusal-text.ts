import type { Problem } from '#registry/definition.ts'
import { isRefused, isUnauthorized, RefusedError } from '../client/ask.ts'
import type { Texts } from './en/index.ts'

/** A field's problem in the reader's language where the catalogue knows its code, else in the service's words. */
export const problemText = ({ code, message }: Problem, { problems }: Texts): string => problems[code] || message

/** What to say of an error that no field can show. */
export function errorText(error: unknown, texts: Texts): string {
  if (!(error instanceof RefusedError)) return texts.trouble.unexpected
  const { code, detail } = error.body
  if (code === 'unreachable') return texts.trouble.unreachable
  if (code === 'not_found' && !error.body.errors) return texts.trouble.notFound
  return texts.trouble.codes[code] || detail || error.body.title || texts.trouble.unexpected
}

/** Why somebody was not let in. */
export function refusalText(error: unknown, texts: Texts): string {
  if (isRefused(error, 'too_many_requests')) return texts.signIn.throttled
  if (isUnauthorized(error) || isRefused(error, 'validation_failed')) return texts.signIn.wrong
  return errorText(error, texts)
}
