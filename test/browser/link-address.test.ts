import { describe, expect, test } from 'vitest'
import { linkAddress } from '../../console/client/link-address.ts'
import { linesWith } from '../house/sources.ts'

describe('The address of a link to a value', () => {
  test.each([
    ['ada@example.com', 'mailto:ada@example.com'],
    ['ada+bills@example.com', 'mailto:ada%2Bbills@example.com'],
    ['ada?bcc=eve@evil.example', 'mailto:ada%3Fbcc%3Deve@evil.example'],
    ['ada&cc=eve,x;y@evil.example', 'mailto:ada%26cc%3Deve%2Cx%3By@evil.example'],
    ['ada%0d%0aBcc:eve@evil.example', 'mailto:ada%250d%250aBcc%3Aeve@evil.example'],
    ['ada@evil.example?subject=x&body=y', 'mailto:ada@evil.example%3Fsubject%3Dx%26body%3Dy'],
    ['ada#x@evil.example/y', 'mailto:ada%23x@evil.example%2Fy'],
    ['"><script>@evil.example', 'mailto:%22%3E%3Cscript%3E@evil.example'],
    ['\ud800@evil.example', 'mailto:%EF%BF%BD@evil.example'],
    ['no address', undefined],
  ])('encodes each part of the e-mail address %j [V1.2.2].', (value, address) => {
    expect(linkAddress('email', value)).toBe(address)
  })

  test.each([
    ['+44 20 7946 0958', 'tel:+442079460958'],
    ['(603) 555-0142', 'tel:6035550142'],
    ['+49 (0)221 555010', 'tel:+49221555010'],
    ['603 555 0142 x12', 'tel:6035550142;ext=12'],
    ['12+34;phone-context=evil', 'tel:1234'],
    ['javascript:alert(1)', 'tel:1'],
    ['-----', undefined],
  ])('of the telephone number %j has digits alone.', (value, address) => {
    expect(linkAddress('phone', value)).toBe(address)
  })

  test.each([
    ['https://example.com/a?b=c#d', 'https://example.com/a?b=c#d'],
    ['HTTP://EXAMPLE.com', 'http://example.com/'],
    ['https://münchen.example/ü "x"', 'https://xn--mnchen-3ya.example/%C3%BC%20%22x%22'],
    ['javascript:alert(1)', undefined],
    ['JaVaScRiPt://x.y/%0aalert(1)', undefined],
    [' javascript:alert(1)', undefined],
    ['java\nscript:alert(1)', undefined],
    ['data:text/html,<script>', undefined],
    ['vbscript:x', undefined],
    ['//evil.example', undefined],
    ['https://bank.example@evil.example/', undefined],
    ['https://a:b@evil.example/', undefined],
    ['https://', undefined],
  ])('of the web address %j has one of two schemes, and names its host [V1.2.2].', (value, address) => {
    expect(linkAddress('url', value)).toBe(address)
  })

  test('is made in one place: no page writes a scheme, and each link says where it leads by a name.', () => {
    expect(
      linesWith('console/', /\b(mailto|tel|sms|javascript|data):(?!\s)/).filter(
        (line) => !line.includes('link-address.ts'),
      ),
    ).toEqual([])
    const places = linesWith('console/', /\bhref=/).map((line) => line.replace(/^.*?(href=\S+?)[>\s].*$/, '$1'))
    const known = [
      'href={csv}',
      'href={address}',
      'console/records/paper/paper-buttons.tsx: href={file}',
      'href={mailDraft(blocks,',
      "href={addressOf('records.export',",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: It is the text of a line.
      'href={addressOf(`audit.${type}`,',
    ]
    expect(places.filter((place) => !known.includes(place))).toEqual([])
  })
})
