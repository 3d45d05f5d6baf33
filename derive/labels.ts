import type { Definition } from '#registry/definition.ts'
import { capital, formatName } from './words.ts'

/** Words of the interface in one language. */
export type Catalogue = {
  records: { readonly [resource: string]: { fields?: Labels; values?: Labels } }
  commonFields: Labels
  memberFields: { readonly [owner: string]: Labels }
}
type Labels = { readonly [name: string]: string }

/** Returns the labels of a choice's value in each catalogue. */
export const valueLabels =
  (catalogues: readonly Pick<Catalogue, 'records'>[], { name }: Definition) =>
  (value: string): string[] =>
    catalogues.map(({ records }) => records[name]?.values?.[value] ?? capital(formatName(value.toLowerCase())))
