import type { Tags } from '#derive/expected-version.ts'

/** The entity tags of the codings of a response, compared with those of callers (RFC 9110 8.8.3). */

/** Codings of answers. Each form has a tag of its own, ending in the coding's name (RFC 9110 8.8.3.3). */
export const codings = ['br', 'gzip'] as const
export type Coding = (typeof codings)[number]

/** Returns the tag of one form of an answer. */
export const tagOfForm = (tag: string, coding: Coding | undefined): string =>
  coding === undefined ? tag : `${tag.slice(0, -1)}-${coding}"`

/** Returns the tag that the caller has of this state, in any form, by weak comparison (RFC 9110 8.8.3.2). */
export function knownForm(tag: string, tags: Tags | undefined): string | undefined {
  if (tags === undefined) return undefined
  if (tags === 'any') return tag
  const forms = formsOf(tag)
  const known = tags.find(({ opaque }) => forms.includes(`"${opaque}"`))
  return known && `"${known.opaque}"`
}

/** Returns whether an If-Match allows the state with this tag; weak tags never do (RFC 9110 13.1.1). */
export function isAllowed(tags: Tags | undefined, tag: string): boolean {
  if (tags === undefined || tags === 'any') return true
  const forms = formsOf(tag)
  return tags.some(({ weak, opaque }) => !weak && forms.includes(`"${opaque}"`))
}

const formsOf = (tag: string): string[] => [tag, ...codings.map((coding) => tagOfForm(tag, coding))]
