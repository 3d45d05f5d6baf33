import { isRefused, isUnauthorized } from '../client/ask.ts'
import type { Texts } from '../texts/en/index.ts'
import { errorText } from '../texts/refused.ts'

/** Why somebody was not let in. */
export function refusalText(error: unknown, texts: Texts): string {
  if (isRefused(error, 'too_many_requests')) return texts.signIn.throttled
  if (isUnauthorized(error) || isRefused(error, 'validation_failed')) return texts.signIn.wrong
  return errorText(error, texts)
}
