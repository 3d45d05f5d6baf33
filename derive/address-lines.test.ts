import { describe, expect, test } from 'vitest'
import { addressLines, linesInCountry } from './address-lines.ts'

/** The members of an address in their order: line1, line2, city, region, postal_code, country. */
const addressOf = ([line1, line2, city, region, postal_code, country]: readonly (string | null)[]) =>
  ({
    ...{ line1, line2, city, region, postal_code, country },
  }) as { [member: string]: string | null }

describe('The lines of an address are those of its country.', () => {
  test.each([
    [
      ['3 Mill Lane', null, 'Millbrook', 'ME', '04067', 'US'],
      ['3 Mill Lane', 'Millbrook, ME 04067', 'United States'],
    ],
    [
      ['3 Mill Lane', null, 'Millbrook', null, '04067', 'US'],
      ['3 Mill Lane', 'Millbrook, 04067', 'United States'],
    ],
    [
      ['3 Mill Lane', null, 'Millbrook', 'ME', null, 'US'],
      ['3 Mill Lane', 'Millbrook, ME', 'United States'],
    ],
    [
      [null, null, null, 'ME', '04067', 'US'],
      ['ME 04067', 'United States'],
    ],
    [
      ['80 Wellington St', 'Suite 2', 'Ottawa', 'ON', 'K1A 0A2', 'CA'],
      ['80 Wellington St', 'Suite 2', 'Ottawa, ON K1A 0A2', 'Canada'],
    ],
    [
      ['1 Quay Street', 'Unit 4', 'Bristol', null, 'BS1 4DJ', 'GB'],
      ['1 Quay Street', 'Unit 4', 'Bristol', 'BS1 4DJ', 'United Kingdom'],
    ],
    [
      ['1 Quay Street', null, 'Bristol', 'Avon', 'BS1 4DJ', 'GB'],
      ['1 Quay Street', 'Bristol', 'Avon', 'BS1 4DJ', 'United Kingdom'],
    ],
    [
      ['Am Kai 1', null, 'Hamburg', null, '20457', 'DE'],
      ['Am Kai 1', '20457 Hamburg', 'Germany'],
    ],
    [
      ['1 rue du Port', null, 'Nantes', 'Loire', '44000', 'FR'],
      ['1 rue du Port', '44000 Nantes', 'Loire', 'France'],
    ],
    [
      ['Am Kai 1', null, 'Hamburg', null, null, null],
      ['Am Kai 1', 'Hamburg'],
    ],
    [[null, null, null, null, null, 'DE'], ['Germany']],
    [[null, null, null, null, null, null], []],
  ])('%j', (members, lines) => {
    expect(addressLines(addressOf(members), null, 'en-GB')).toEqual(lines)
  })

  test.each([
    ['US', ['3 Mill Lane', null, 'Millbrook', 'ME', '04067', 'US'], ['3 Mill Lane', 'Millbrook, ME 04067']],
    ['US', ['3 Mill Lane', null, 'Millbrook', 'ME', '04067', null], ['3 Mill Lane', 'Millbrook, ME 04067']],
    ['US', ['Am Kai 1', null, 'Hamburg', null, '20457', 'DE'], ['Am Kai 1', '20457 Hamburg', 'Deutschland']],
    ['DE', ['Am Kai 1', null, 'Hamburg', null, '20457', 'DE'], ['Am Kai 1', '20457 Hamburg']],
    ['GB', ['1 Quay Street', null, 'Bristol', null, 'BS1 4DJ', null], ['1 Quay Street', 'Bristol', 'BS1 4DJ']],
  ])('From %s, %j', (home, members, lines) => {
    expect(addressLines(addressOf(members), home, 'de-DE')).toEqual(lines)
  })

  test('Without the country, as pages show it beside its name', () => {
    expect(linesInCountry(addressOf(['1 Quay Street', null, 'Bristol', null, 'BS1 4DJ', 'GB']), 'US')).toEqual([
      '1 Quay Street',
      'Bristol',
      'BS1 4DJ',
    ])
  })
})
