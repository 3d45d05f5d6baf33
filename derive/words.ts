import type { Definition, Match } from '#registry/definition.ts'
import { type Field, kindOf } from '#registry/fields/index.ts'
import { isPlanLimited, planLimit, planNames } from '#registry/subscription.ts'

/** Words of the documents for names of the registry. */

/** "Time entries". */
export const labelOf = ({ name }: Definition): string => capital(formatName(name))

/** "a time entry", "an estimate". */
export const aOne = ({ one }: Definition): string => `${/^[aeiou]/.test(one) ? 'an' : 'a'} ${one}`

/** "Estimate", "TimeEntry"; "Equipment" for a "piece of equipment". */
export const schemaName = ({ one }: Definition): string =>
  (one.split(' of ').at(-1) as string).split(/[ _]/).map(capital).join('')

/** Returns the type name of a choice: "ProjectStatus". */
export const choiceName = (definition: Definition, field: string): string => schemaName(definition) + pascal(field)

/** "time entries" out of `time_entries`. */
export const formatName = (name: string): string => name.replaceAll('_', ' ')

/** "UpdatedSince" out of `updated_since`, "IfMatch" out of `If-Match`. */
export const pascal = (name: string): string => name.split(/[_-]/).map(capital).join('')

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** "A list of at most 500 lines" out of "must be a list of at most 500 lines". */
export const valueWords = (field: Field): string =>
  capital(
    kindOf(field)
      .must(field)
      .replace(/^must be /, ''),
  )

/** "1 token", "2 tokens". */
export const formatCount = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`

/** "a", "a and b", "a, b and c". */
export const series = (items: readonly string[], last = 'and'): string =>
  items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} ${last} ${items.at(-1)}`

/** "`a`, `b` and `c`". */
export const inCode = (items: readonly (string | boolean)[], last?: string): string =>
  series(
    items.map((item) => `\`${item}\``),
    last,
  )

/** Returns a sentence with the needs of an operation. */
export function neededFor(scopes: readonly string[], addOn: string): string {
  const ofScopes = scopes.length === 0 ? '' : `the ${scopes.length === 1 ? 'scope' : 'scopes'} ${inCode(scopes)} and `
  return `Needs ${ofScopes}the ${addOn === 'api' ? 'add-on `api`' : `add-ons \`api\` and \`${addOn}\``}.`
}

/** "25 on STARTER, 250 on PRO, no limit on ENTERPRISE", or undefined if no plan limits the resource. */
export const planWords = ({ name }: Definition): string | undefined =>
  isPlanLimited(name)
    ? planNames.map((plan) => `${planLimit(plan, name) ?? 'no limit'} on ${plan}`).join(', ')
    : undefined

/** Returns the effects of a deletion as sentences for the documents. */
export function removalWords({ one, removal, protection }: Definition): string[] {
  const { hardWhen, relations } = removal
  const restrict = relations.flatMap(({ records, onDelete: { restrict, cascade, otherwise } }) => [
    ...(restrict ? [formatMatch(records, restrict)] : []),
    ...(otherwise === 'restrict'
      ? [`${formatName(records)}${cascade ? ` other than those ${withWords(cascade)}` : ''}`]
      : []),
  ])
  const cascade = relations.flatMap(({ records, onDelete: { cascade, restrict, otherwise } }) => [
    ...(cascade ? [formatMatch(records, cascade)] : []),
    ...(otherwise === 'cascade' ? [formatOther(records, restrict)] : []),
  ])
  const staying = (effect: 'unlinked' | 'kept') =>
    relations.flatMap(({ records, onDelete: { restrict, cascade, otherwise } }) =>
      otherwise === effect ? [formatOther(records, restrict ?? cascade)] : [],
    )
  const itself = protection ? [`the ${one} itself ${withWords(protection.when)}`] : []
  const sentence = (what: string, items: string[]): string[] =>
    items.length > 0 ? [`${what}: ${items.join('; ')}.`] : []
  return [
    ...sentence('Refused with `delete_blocked` because of', [...itself, ...restrict]),
    ...sentence('Deleted with it', cascade),
    ...sentence('Kept, with the reference set to null', staying('unlinked')),
    ...sentence('Kept as they are', staying('kept')),
    hardWhen
      ? `The mode is \`hard\`, erased for good, for one ${withWords(hardWhen)}, and \`soft\` for any other.`
      : 'The mode is `soft`: the record is no longer served, and the company can restore it in the web interface.',
  ]
}

const formatMatch = (records: string, match: Match): string => `${formatName(records)} ${withWords(match)}`
const formatOther = (records: string, apart: Match | undefined): string =>
  `${apart ? 'other ' : ''}${formatName(records)}`

/** "with `status` `ISSUED` or `PAID`". */
export const withWords = (match: Match): string =>
  series(Object.entries(match).map(([column, values]) => `with \`${column}\` ${inCode(values, 'or')}`))
