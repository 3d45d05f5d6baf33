import type { ExpectedVersion } from '../records/expected.ts'

/** Entity tags: what they are made of, and the conditions that callers make of them (RFC 9110 8.8.3 and 13.1). */

/** Codings in which an answer may go out; each form has a tag of its own, ending in the name (RFC 9110 8.8.3.3). */
export const codings = ['br', 'gzip'] as const
export type Coding = (typeof codings)[number]

/** `any` is the asterisk. */
export type Tags = 'any' | readonly { weak: boolean; opaque: string }[]

const element = /^(W\/)?"([!#-~\x80-\xff]*)"[ \t]*(?:,|$)/
const emptyElements = /^[ \t,]+/

/** Undefined where it is no list of tags. Empty elements are none (RFC 9110 5.6.1). */
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

/** The tag of one form of an answer. */
export const tagOfForm = (tag: string, coding: Coding | undefined): string =>
  coding === undefined ? tag : `${tag.slice(0, -1)}-${coding}"`

/** The tag that the caller has of this state, of whichever form; weak comparison (RFC 9110 8.8.3.2). */
export function knownForm(tag: string, tags: Tags | undefined): string | undefined {
  if (tags === undefined) return undefined
  if (tags === 'any') return tag
  const forms = formsOf(tag)
  const known = tags.find(({ opaque }) => forms.includes(`"${opaque}"`))
  return known && `"${known.opaque}"`
}

/** Whether an If-Match allows the state with this tag; weak tags never do (RFC 9110 13.1.1). */
export function isAllowed(tags: Tags | undefined, tag: string): boolean {
  if (tags === undefined || tags === 'any') return true
  const forms = formsOf(tag)
  return tags.some(({ weak, opaque }) => !weak && forms.includes(`"${opaque}"`))
}

const formsOf = (tag: string): string[] => [tag, ...codings.map((coding) => tagOfForm(tag, coding))]

export const hasWeak = (tags: Tags | undefined): boolean => Array.isArray(tags) && tags.some(({ weak }) => weak)

export type Conditions = { ifMatch?: Tags | undefined; ifNoneMatch?: Tags | undefined }

/** What the conditions of a call say of the record that it is about: any representation of a version will do. */
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
