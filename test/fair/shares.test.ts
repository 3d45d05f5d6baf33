import { describe, expect, test } from 'vitest'
import { type Claim, createShares, networkOf } from '#server/fair/shares.ts'
import { claimOfSession } from '#server/service/session.ts'
import { claimOfToken, createToken } from '#server/service/token-text.ts'

const claim = (companyId: number, random: number, channel: Claim['channel'] = 'api'): Claim => ({
  companyId,
  random,
  channel,
})

describe('Whose share a request takes', () => {
  test('is its peer’s until its token has turned out to be live, and then its company’s', () => {
    const shares = createShares()
    const first = shares.of(claim(7, 1), '10.0.0.1')
    expect(first).toMatchObject({ key: '10.0.0.1', within: 7 })
    first.report(true)
    expect(shares.of(claim(7, 1), '10.0.0.1')).toMatchObject({ key: 7, within: '10.0.0.1' })
    expect(shares.of(claim(7, 1), '10.0.0.2')).toMatchObject({ key: 7, within: '10.0.0.2' })
  })

  test('is the peer’s for another text that names the same company, and for the same text with another company', () => {
    const shares = createShares()
    shares.of(claim(7, 1), '10.0.0.1').report(true)
    expect(shares.of(claim(7, 2), '10.0.0.1').key).toBe('10.0.0.1')
    expect(shares.of(claim(8, 1), '10.0.0.1').key).toBe('10.0.0.1')
    shares.of(claim(7, 2), '10.0.0.1').report(false)
    expect(shares.of(claim(7, 1), '10.0.0.1').key).toBe(7)
  })

  test('is the peer’s again once the token is live no more', () => {
    const shares = createShares()
    shares.of(claim(7, 1), 'a').report(true)
    shares.of(claim(7, 1), 'a').report(false)
    expect(shares.of(claim(7, 1), 'a').key).toBe('a')
  })

  test('is one for a company’s integrations and another for its office', () => {
    const shares = createShares()
    shares.of(claim(7, 1), 'a').report(true)
    shares.of(claim(7, 2, 'console'), 'a').report(true)
    expect(shares.of(claim(7, 1), 'a').key).not.toBe(shares.of(claim(7, 2, 'console'), 'a').key)
  })

  test('is remembered of so many and no more, the latest', () => {
    const shares = createShares(100)
    for (let id = 1; id <= 1000; id++) {
      shares.of(claim(id, id), 'a').report(true)
      // One that is used goes on being known.
      expect(shares.of(claim(1, 1), 'a').key).toBe(1)
    }
    const known = Array.from({ length: 1000 }, (_, index) => shares.of(claim(index + 1, index + 1), 'a')).filter(
      ({ key }) => key !== 'a',
    )
    expect(known.length).toBeGreaterThan(90)
    expect(known.length).toBeLessThanOrEqual(300)
  })
})

test.each([
  [undefined, ''],
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
  ['2001:db8:1:2::6', '2001:db8:1:2::'],
  ['2001:db8::6', '2001:db8:0:0::'],
  ['2001:db8::1:2:3:4:6', '2001:db8:0:1::'],
  ['::1', '0:0:0:0::'],
  ['fe80::1%eth0', 'fe80:0:0:0::'],
])('The peer %s is the network %j: all of an IPv6 network is one caller’s', (peer, network) => {
  expect(networkOf(peer)).toBe(network)
})

describe('What a text claims', () => {
  test('is the company of a token, wherever it stands in the header', () => {
    const text = createToken(281_474_976_710_655)
    expect(claimOfToken(`Bearer ${text}`)).toMatchObject({ companyId: 281_474_976_710_655, channel: 'api' })
    expect(claimOfToken(text)?.random).toBe(Number.parseInt(text.slice(23, 35), 16))
  })
  test.each(['', 'Bearer', 'Bearer plumb_live_', 'Bearer plumb_live_12', `plumb_live_${'z'.repeat(72)}`])(
    'is nothing where it is no token: %j',
    (text) => expect(claimOfToken(text)).toBeUndefined(),
  )
  test('is the company of a session', () => {
    const bytes = Buffer.alloc(38, 1)
    bytes.writeUIntBE(77, 0, 6)
    expect(claimOfSession(bytes.toString('base64url'))).toMatchObject({ companyId: 77, channel: 'console' })
    for (const text of [undefined, '', '='.repeat(51)]) expect(claimOfSession(text)).toBeUndefined()
  })
})
