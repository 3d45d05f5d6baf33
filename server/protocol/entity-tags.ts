import type { ExpectedVersion } from '../records/expected.ts'

/** Entity tags: their form, and the conditions of callers (RFC 9110 8.8.3 and 13.1). */

/** Codings of answers. Each form has a tag of its own, ending in the coding's name (RFC 9110 8.8.3.3). */
export const codings = ['br', 'gzip'] as const
export type Coding = (typeof codings)[number]

/** `any` is the asterisk. */
export type Tags = 'any' | readonly { weak: boolean; opaque: string }[]

const element = /^(W\/)?"([!#-~\x80-\xff]*)"[ \t]*(?:,|$)/
const emptyElements = /^[ \t,]+/

/** Parses a list of tags; undefined if it is none. Empty elements are ignored (RFC 9110 5.6.1). */
export function readTags(given: string): Tags | undefined {
  if (given.trim() === '*') return 'any'
  const tags: { weak: boolean; opaque: string }[] = []
  for (let rest = given.replace(emptyElements, ''); rest !== ''; ) {
    const match = element.exec(rest)
    if (!match) return undefined
    tags.push({ weak: match[1] !== undefined, opaque: match[2] as string })
    rest = rest.slice(match[0].length).replace(emptyElements, '')
  }
  return tags.length > 0 ? tags : undefined
}

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

export const hasWeak = (tags: Tags | undefined): boolean => Array.isArray(tags) && tags.some(({ weak }) => weak)

export type Conditions = { ifMatch?: Tags | undefined; ifNoneMatch?: Tags | undefined }

/** Returns the expected version of a record, by the conditions of a call: any representation of a version counts. */
export function expectedOf({ ifMatch, ifNoneMatch }: Conditions): ExpectedVersion {
  if (ifMatch === undefined && ifNoneMatch === undefined) return undefined
  return {
    ...(ifMatch === undefined ? {} : { present: true }),
    ...(ifMatch === undefined || ifMatch === 'any'
      ? {}
      : { versions: versionsOf(ifMatch.filter(({ weak }) => !weak)), weakened: hasWeak(ifMatch) }),
    ...(ifNoneMatch === undefined ? {} : { unwanted: ifNoneMatch === 'any' ? 'any' : versionsOf(ifNoneMatch) }),
  }
}

const versionsOf = (tags: Exclude<Tags, 'any'>): number[] =>
  tags
    .map(({ opaque }) => /^(\d{1,10})-[\w-]{22}(?:-(?:br|gzip))?$/.exec(opaque)?.[1])
    .filter((version) => version !== undefined)
    .map(Number)
