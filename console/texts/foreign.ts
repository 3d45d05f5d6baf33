import { spellText } from '#derive/format-printable.ts'
import type { Json } from '#registry/json.ts'

/**
 * A text that others wrote, as the service answered it. At run time it is a string. The compiler takes it for a symbol,
 * which no page can show, join or insert into a sentence: only `Foreign` and `quote` show it. Decisions, Foreign
 * texts.
 */
export type ForeignText = symbol & { readonly foreign: 'text' }

/** Names of members whose texts the service writes: moments, ids, codes and choices of its own. */
type OwnName =
  | `${string}_${'at' | 'on' | 'since' | 'until' | 'is' | 'state' | 'in' | 'because'}`
  | `${string}_id`
  | 'across'
  | 'action'
  | 'add_ons'
  | 'at'
  | 'base_url'
  | 'because'
  | 'channel'
  | 'code'
  | 'country'
  | 'currency'
  | 'curl'
  | 'day'
  | 'door'
  | 'event'
  | 'events'
  | 'failure'
  | 'field'
  | 'fingerprint'
  | 'gate'
  | 'hash'
  | 'id'
  | 'lacking'
  | 'logo'
  | 'method'
  | 'mode'
  | 'on'
  | 'outcome'
  | 'permissions'
  | 'records'
  | 'route'
  | 'required_scope'
  | 'scope'
  | 'scopes'
  | 'secret'
  | 'since'
  | 'time_zone'
  | 'today'
  | 'token'
  | 'undo'
  | 'until'

/** An answer of the service, with the texts of others as such. Values of records stay: `FieldValue` shows them. */
export type FromService<Answer, Name = ''> = [Json] extends [Answer] ? Answer : FromMember<Answer, Name>

type FromMember<Answer, Name> = Answer extends string
  ? string extends Answer
    ? Name extends OwnName
      ? Answer
      : ForeignText
    : Answer
  : Answer extends readonly string[]
    ? FromService<Answer[number], Name>[]
    : Answer extends object
      ? { [Member in keyof Answer]: FromService<Answer[Member], Member> }
      : Answer

/** Takes a text that was made of texts of others for one. */
export const asForeign = (text: string): ForeignText => text as unknown as ForeignText

/** Most characters of a text of others, where it is no subject of its own. */
export const shownMax = 300

/** Letters that are written from right to left. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/**
 * Returns a text of others for a sentence, a label or a notice, which have no elements: spelled, cut with its length,
 * never empty, and set apart if it is written from right to left.
 */
export function quote(text: ForeignText | string | null | undefined, max = shownMax): string {
  const { text: spelled, length, isCut } = spellText(String(text ?? ''), max)
  if (spelled === '') return '–'
  const shown = isCut ? `${spelled}… (${length})` : spelled
  return rightToLeft.test(shown) ? `\u2068${shown}\u2069` : shown
}
