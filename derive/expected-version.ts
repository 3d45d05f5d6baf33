/** The entity tags of callers, and the versions of a record that they expect (RFC 9110 8.8.3 and 13.1). */

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

export const hasWeak = (tags: Tags | undefined): boolean => Array.isArray(tags) && tags.some(({ weak }) => weak)

export type Conditions = { ifMatch?: Tags | undefined; ifNoneMatch?: Tags | undefined }

/** The conditions of a caller on the version of a record (RFC 9110 13.1); undefined is none. */
export type ExpectedVersion =
  | {
      /** The record must exist. */
      present?: true
      /** The version must be one of these. */
      versions?: readonly number[]
      /** Some ETags of the caller were weak, and named no version. */
      weakened?: boolean
      /** The version must be none of these; `any` excludes every version. */
      unwanted?: 'any' | readonly number[]
    }
  | undefined

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
