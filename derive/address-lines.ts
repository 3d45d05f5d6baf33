import type { JsonObject } from '#registry/json.ts'
import { memoize } from '#registry/memoize.ts'

type Address = {
  readonly [member in 'line1' | 'line2' | 'city' | 'region' | 'postal_code' | 'country']?: string | null
}

/**
 * Returns the lines of an address as the post of its country writes them, with the country last unless it is `home`, the
 * sender's. An address without a country is written as one at home. `locale` is the language of the country's name (BCP 47).
 */
export function addressLines(address: JsonObject, home: string | null, locale: string): string[] {
  const { country } = address as Address
  const abroad = country && country !== home ? [countryNames(Intl, locale).of(country) ?? country] : []
  return [...linesInCountry(address, home), ...abroad]
}

/** Returns the lines of an address without its country. */
export function linesInCountry(address: JsonObject, home: string | null): string[] {
  const { line1, line2, city, region, postal_code: code, country } = address as Address
  const place = places[country ?? home ?? ''] ?? codeFirst
  return [line1, line2, ...place({ city, region, code })].filter((line): line is string => Boolean(line))
}

type Place = { [part in 'city' | 'region' | 'code']: string | null | undefined }

const join = (parts: readonly (string | null | undefined)[], between: string): string =>
  parts.filter(Boolean).join(between)

/** "20457 Hamburg", with a region below it. */
const codeFirst = ({ city, region, code }: Place) => [join([code, city], ' '), region]
/** "Millbrook, ME 04067". */
const inOneLine = ({ city, region, code }: Place) => [join([city, join([region, code], ' ')], ', ')]
/** The post town, the county, and the code on a line of its own. */
const codeLast = ({ city, region, code }: Place) => [city, region, code]

/** The countries that do not write the code before the town. */
const places: { readonly [country: string]: (place: Place) => (string | null | undefined)[] } = {
  US: inOneLine,
  CA: inOneLine,
  GB: codeLast,
}

const countryNames = memoize((_: typeof Intl, locale: string) => new Intl.DisplayNames(locale, { type: 'region' }))
