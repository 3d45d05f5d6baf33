import { fieldCodes } from '#registry/field-codes.ts'
import { type RefusalCode, refusals } from '#registry/refusals.ts'

/** What the page and the document of the refusals say. Names of members stand between backticks. */

export const errorsTitle = 'Errors'

export const errorsOpening = [
  'Every refusal has the same body, `application/problem+json` of RFC 9457. Its `code` is meant for programs and never gets another name; its `detail` says to people what went wrong in this case. The `type` leads to the section of the code on this page.',
  'Quote the `request_id`, which is also in the header `X-Request-Id`, when you ask about an answer.',
]

export type RefusalSection = { code: RefusalCode; status: number; title: string; when: string; advice: string }

export const refusalSections = (): RefusalSection[] =>
  Object.entries(refusals).map(([code, refusal]) => ({ code: code as RefusalCode, ...refusal }))

export const fieldCodesOpening =
  'With `validation_failed`, `errors` has an entry for each field that is wrong: the `field` (as in `lines[2].quantity`, or empty for the body as a whole), a `code` of its own and a `message`.'

export const fieldCodeRows = (): [code: string, meaning: string][] => Object.entries(fieldCodes)
