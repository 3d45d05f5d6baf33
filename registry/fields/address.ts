import { countries } from '../iso-codes.ts'
import type { Json } from '../json.ts'
import { memoize } from '../memoize.ts'
import type { Field } from './index.ts'
import { type CommonMembers, type Kind, refuse } from './kind.ts'
import { foldLabel, spell } from './spelling.ts'

/** A postal address; every member may be absent. */
type AddressField = CommonMembers & { kind: 'address' }

const members: { readonly [name: string]: Field } = {
  line1: { kind: 'text', max: 200, example: '1 Quay Street', about: 'Street and house number.' },
  line2: { kind: 'text', max: 200, example: 'Unit 4', about: 'Flat, unit or floor.' },
  city: { kind: 'text', max: 100, example: 'Bristol', about: 'City or town.' },
  region: { kind: 'text', max: 100, example: 'Avon', about: 'State, county or province.' },
  postal_code: { kind: 'text', max: 20, example: 'BS1 4DJ', about: 'As the post of the country writes it.' },
  country: { kind: 'country', about: 'Two letters of ISO 3166-1, such as GB.' },
}

const nothing = Object.fromEntries(Object.keys(members).map((name) => [name, null]))

export const address: Kind<AddressField> = {
  schema: () => ({ type: 'object' }),
  must: () => 'must be an object with any of line1, line2, city, region, postal_code and country',
  // json and not jsonb: members keep their order, and no statement looks inside.
  column: () => 'json',
  members: () => members,
  typeName: () => 'Address',
  // An address without a value is stored as null.
  stored: (_, value) => (Object.values(value as object).some((member: Json) => member !== null) ? value : null),
  erased: ({ required }, { one, id }) => (required ? { ...nothing, line1: `Erased ${one} ${id}` } : null),
  parse: (text) => refuse('no_text', spell(text)),
  format: (value) =>
    Object.values(value as object)
      .filter((member) => member !== null)
      .join(', '),
  example: () => ({
    line1: '1 Quay Street',
    line2: null,
    city: 'Bristol',
    region: null,
    postal_code: 'BS1 4DJ',
    country: 'GB',
  }),
}

/** A country, as two capital letters. */
type CountryField = CommonMembers & { kind: 'country' }

export const country: Kind<CountryField> = {
  schema: () => ({ type: 'string', pattern: '^[A-Z]{2}$' }),
  asked: () => ({ enum: countries }),
  must: () => 'must be a country code of ISO 3166-1, two capital letters like GB',
  column: () => 'text',
  refuses: (_, value) => !countries.includes(value as string),
  typeName: () => 'Country',
  parse(text, _, { language }) {
    const spelled = spell(text)
    if (spelled === '') return { value: null }
    const code = spelled.toUpperCase()
    const value = countries.includes(code) ? code : codesByName(countries, language).get(foldLabel(spelled))
    return value === undefined ? refuse('no_such_word', spelled) : { value }
  },
  format: (value, _, { language }) => regionNames(countries, language, 'long').of(value as string) ?? (value as string),
  example: () => 'GB',
  sortable: true,
}

const regionNames = memoize(
  (_: readonly string[], language: string, style: string) =>
    new Intl.DisplayNames(language, { type: 'region', style: style as 'long' | 'short' }),
)

/** Returns the codes by the names of countries, long and short, in the languages of the interface and a further one. */
const codesByName = memoize(
  (codes: readonly string[], language: string): ReadonlyMap<string, string> =>
    new Map(
      ['en', 'de', language].flatMap((each) =>
        ['short', 'long'].flatMap((style) =>
          codes.map((code) => [foldLabel(regionNames(codes, each, style).of(code) ?? code), code] as const),
        ),
      ),
    ),
)
