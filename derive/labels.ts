import type { Definition } from '#registry/definition.ts'
import { capital, formatName } from './words.ts'

/** Words of the interface in one language. */
export type Catalogue = {
  records: { readonly [resource: string]: { one?: string; fields?: Labels; values?: Labels } }
  commonFields: Labels
  memberFields: { readonly [owner: string]: Labels }
}
type Labels = { readonly [name: string]: string }

/** Returns the label of a field, or of a member behind that of its field, such as "Billing address City". */
export function columnLabel(
  catalogue: Catalogue,
  { name: resource }: Definition,
  { name, member }: { name: string; member: string | undefined },
): string {
  const label = catalogue.records[resource]?.fields?.[name] ?? catalogue.commonFields[name] ?? capital(formatName(name))
  return member === undefined ? label : `${label} ${memberLabel(catalogue, member)}`
}

/** Returns the label of a member of an address or of a line. */
export const memberLabel = ({ memberFields }: Catalogue, member: string, owner = 'address'): string =>
  memberFields[owner]?.[member] ?? capital(formatName(member))

/** Returns the singular of a resource at the begin of a line, such as "Time entry". */
export const oneLabel = ({ records }: Pick<Catalogue, 'records'>, { name, one }: Definition): string =>
  capital(records[name]?.one ?? one)

/** Returns the labels of a choice's value in each catalogue. */
export const valueLabels =
  (catalogues: readonly Pick<Catalogue, 'records'>[], { name }: Definition) =>
  (value: string): string[] =>
    catalogues.map(({ records }) => records[name]?.values?.[value] ?? capital(formatName(value.toLowerCase())))
