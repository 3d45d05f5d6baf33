import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { whyNotTo } from '#server/outbound/addresses.ts'
import { openOutbound } from '#server/outbound/outbound.ts'
import { type Behaviour, openReceiver, type Receiver } from './receiver.ts'

/** What sends to others sends to public addresses alone, and to the address that it has looked at. */

describe('An address to which nothing is sent [V1.3.6]', () => {
  test.each([
    { address: '127.0.0.1', why: 'of this machine' },
    { address: '127.255.255.254', why: 'of this machine' },
    { address: '0.0.0.0', why: 'of this machine' },
    { address: '0.1.2.3', why: 'of this machine' },
    { address: '10.0.0.1', why: 'of a private network' },
    { address: '172.16.0.1', why: 'of a private network' },
    { address: '172.31.255.255', why: 'of a private network' },
    { address: '192.168.1.1', why: 'of a private network' },
    { address: '100.64.0.1', why: 'of a private network' },
    { address: '100.100.100.200', why: 'of a private network' },
    { address: '169.254.169.254', why: 'link-local' },
    { address: '168.63.129.16', why: 'of the platform' },
    { address: '192.0.0.192', why: 'reserved' },
    { address: '192.0.2.1', why: 'reserved' },
    { address: '198.18.0.1', why: 'reserved' },
    { address: '198.51.100.1', why: 'reserved' },
    { address: '203.0.113.1', why: 'reserved' },
    { address: '240.0.0.1', why: 'reserved' },
    { address: '224.0.0.1', why: 'of a group' },
    { address: '255.255.255.255', why: 'of a group' },
    { address: '::', why: 'of this machine' },
    { address: '::1', why: 'of this machine' },
    { address: '::ffff:127.0.0.1', why: 'of this machine' },
    { address: '::ffff:a9fe:a9fe', why: 'link-local' },
    { address: '::ffff:10.0.0.1', why: 'of a private network' },
    { address: '::127.0.0.1', why: 'of this machine' },
    { address: '64:ff9b::10.0.0.1', why: 'reserved' },
    { address: '64:ff9b:1::1', why: 'reserved' },
    { address: '2002:7f00:1::', why: 'reserved' },
    { address: '2001::1', why: 'reserved' },
    { address: '2001:db8::1', why: 'reserved' },
    { address: '100::1', why: 'reserved' },
    { address: 'fe80::1', why: 'link-local' },
    { address: 'fec0::1', why: 'reserved' },
    { address: 'fc00::1', why: 'of a private network' },
    { address: 'fd00:ec2::254', why: 'of a private network' },
    { address: 'ff02::1', why: 'of a group' },
    { address: '10.255.255.255', why: 'of a private network' },
    { address: '172.24.0.1', why: 'of a private network' },
    { address: '192.168.255.255', why: 'of a private network' },
    { address: '100.127.255.255', why: 'of a private network' },
    { address: '169.254.0.1', why: 'link-local' },
    { address: '169.254.170.2', why: 'link-local' },
    { address: '192.0.0.1', why: 'reserved' },
    { address: '192.31.196.1', why: 'reserved' },
    { address: '192.88.99.1', why: 'reserved' },
    { address: '192.175.48.1', why: 'reserved' },
    { address: '198.19.255.255', why: 'reserved' },
    { address: '250.0.0.1', why: 'reserved' },
    { address: '239.255.255.250', why: 'of a group' },
    { address: '0177.0.0.1', why: 'of this machine' },
    { address: '127.1', why: 'of this machine' },
    { address: '2130706433', why: 'of this machine' },
    { address: '0:0:0:0:0:0:0:1', why: 'of this machine' },
    { address: '::ffff:0:127.0.0.1', why: 'reserved' },
    { address: '::ffff:192.168.1.1', why: 'of a private network' },
    { address: '::ffff:100.64.0.1', why: 'of a private network' },
    { address: '::2', why: 'reserved' },
    { address: '64:ff9b::a9fe:a9fe', why: 'reserved' },
    { address: '2002:a9fe:a9fe::', why: 'reserved' },
    { address: '2001:0:7f00:1::', why: 'reserved' },
    { address: '2001:2::1', why: 'reserved' },
    { address: '2001:10::1', why: 'reserved' },
    { address: '2001:20::1', why: 'reserved' },
    { address: '3fff::1', why: 'reserved' },
    { address: '4000::1', why: 'reserved' },
    { address: '5f00::1', why: 'reserved' },
    { address: 'fe80::1%eth0', why: 'link-local' },
    { address: 'febf::1', why: 'link-local' },
    { address: 'fdff::1', why: 'of a private network' },
    { address: 'ff05::1:3', why: 'of a group' },
    { address: '', why: 'no address' },
    { address: 'nonsense', why: 'no address' },
  ])('$address is $why', ({ address, why }) => {
    expect(whyNotTo(address, [])).toContain(why)
  })

  test.each(['1.1.1.1', '8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '::ffff:1.1.1.1'])(
    '%s is a public one',
    (address) => expect(whyNotTo(address, [])).toBeUndefined(),
  )

  test.each([
    { address: '10.1.2.3', network: '10.1.0.0/16', may: true },
    { address: '10.2.2.3', network: '10.1.0.0/16', may: false },
    { address: '::ffff:10.1.2.3', network: '10.1.0.0/16', may: true },
    { address: '127.0.0.1', network: '127.0.0.1', may: true },
    { address: '127.0.0.2', network: '127.0.0.1', may: false },
    { address: 'fd00::7', network: 'fd00::/8', may: true },
    { address: '::1', network: '10.0.0.0/8', may: false },
  ])('$address where $network is named: $may', ({ address, network, may }) => {
    expect(whyNotTo(address, [network]) === undefined).toBe(may)
  })
})

const sentenceOfNames = 'nothing is sent to this address: its name must lead to public addresses alone'

describe('An address that is refused before anything is looked up', () => {
  test.each([
    ['ftp://example.com', 'must begin with https'],
    ['javascript:alert(1)', 'must begin with https'],
    ['not an address', 'no address'],
    ['https://ada:secret@example.com/', 'a name or a password'],
    ['https://ada@example.com/', 'a name or a password'],
    [`https://example.com/${'x'.repeat(2000)}`, 'longer than 2000'],
    ['https://127.0.0.1/', 'of this machine'],
    ['https://2130706433/', 'of this machine'],
    ['https://0x7f.1/', 'of this machine'],
    ['https://[::1]:8443/', 'of this machine'],
    ['https://[::ffff:169.254.169.254]/', 'link-local'],
    ['https://127.1/', 'of this machine'],
    ['https://0177.0.0.1/', 'of this machine'],
    ['https://017700000001/', 'of this machine'],
    ['https://0/', 'of this machine'],
    ['https://127.0.0.1./', 'of this machine'],
    ['https://①②⑦.⓪.⓪.①/', 'of this machine'],
    ['https://127。0。0。1/', 'of this machine'],
    ['https://%31%32%37.0.0.1/', 'of this machine'],
    ['https://[::]/', 'of this machine'],
    ['https://[::ffff:7f00:1]/', 'of this machine'],
    ['https://169.254.169.254/latest/', 'link-local'],
    ['https://[fd00:ec2::254]/', 'of a private network'],
    ['https://[64:ff9b::7f00:1]/', 'reserved'],
    ['file:///etc/passwd', 'must begin with https'],
    ['gopher://127.0.0.1/', 'must begin with https'],
    ['wss://example.com/', 'must begin with https'],
    ['data:,x', 'must begin with https'],
    ['blob:https://example.com/1', 'must begin with https'],
    ['unix:/run/x.sock', 'must begin with https'],
    ['//example.com', 'no address'],
    ['https://', 'no address'],
    ['https://exa mple.com/', 'no address'],
    ['https://[::1%25lo]/', 'no address'],
    ['https://1.1.1.1:65536/', 'no address'],
    ['https://1.1.1.1:0/', 'its port must be 443'],
    ['http://1.1.1.1/', 'unencrypted'],
  ])('%s', async (url, why) => {
    const never = () => Promise.reject(new Error('looked up'))
    await expect(openOutbound({ networks: [], timeout: 500, resolve: never }).check(url)).rejects.toThrow(why)
  })

  test('of several addresses of a name one that is inner is enough', async () => {
    const resolve = async () => ['1.1.1.1', '10.0.0.1']
    const { check } = openOutbound({ networks: [], timeout: 500, resolve })
    await expect(check('https://two.example/')).rejects.toMatchObject({
      ...{ failure: 'address', message: sentenceOfNames },
      particulars: 'two.example leads to 10.0.0.1, and 10.0.0.1 is of a private network',
    })
  })

  test.each([
    { what: 'is unknown', resolve: async () => [] },
    { what: 'leads inside', resolve: async () => ['10.0.0.1'] },
    { what: 'leads to this machine', resolve: async () => ['127.0.0.1'] },
    { what: 'leads to the platform', resolve: async () => ['169.254.169.254'] },
  ])('a name that $what is refused with the same words', async ({ resolve }) => {
    const error = await openOutbound({ networks: [], timeout: 500, resolve })
      .check('https://inner.example/')
      .catch((error: unknown) => error)
    expect(error).toMatchObject({ failure: 'address', message: sentenceOfNames })
  })

  test.each([
    { port: 443, may: true },
    { port: 1024, may: true },
    { port: 8443, may: true },
    { port: 65535, may: true },
    { port: 22, may: false },
    { port: 25, may: false },
    { port: 80, may: false },
    { port: 1023, may: false },
    { port: 6667, may: false },
    { port: 10080, may: false },
  ])('port $port of a public address: $may', async ({ port, may }) => {
    const { check } = openOutbound({ networks: [], timeout: 500, resolve: async () => ['1.1.1.1'] })
    const checked = check(`https://hooks.example:${port}/`)
    await (may ? checked : expect(checked).rejects.toThrow('its port must be 443, or one from 1024 up'))
  })

  test('a network that the operator named is open on all its ports', async () => {
    const { check } = openOutbound({ networks: ['10.0.0.0/8'], timeout: 500, resolve: async () => ['10.0.0.1'] })
    await check('http://hooks.example:80/')
  })

  test('a look-up that takes too long is given up', async () => {
    const resolve = () => new Promise<string[]>(() => undefined)
    const { check } = openOutbound({ networks: [], timeout: 100, resolve })
    await expect(check('https://slow.example/')).rejects.toMatchObject({ failure: 'timeout' })
  })
})

describe('What is sent', () => {
  let receiver: Receiver
  beforeAll(async () => {
    receiver = await openReceiver()
  })
  afterAll(() => receiver.close())

  const body = JSON.stringify({ type: 'webhooks.test', data: {} })
  const sendTo = async (url: string, { timeout = 2000, resolve = async () => ['127.0.0.1'] } = {}) => {
    const destination = openOutbound({ networks: ['127.0.0.1'], timeout, resolve }).to(url)
    try {
      return await destination.post({ headers: {}, body })
    } finally {
      destination.close()
    }
  }
  const named = () => receiver.url.replace('127.0.0.1', 'hooks.example')

  test('goes to the address that was looked at, whatever the name says the second time', async () => {
    let asked = 0
    const resolve = async () => (asked++ === 0 ? ['127.0.0.1'] : ['10.255.255.1'])
    const destination = openOutbound({ networks: ['127.0.0.1'], timeout: 2000, resolve }).to(named())
    for (let count = 0; count < 3; count++) expect((await destination.post({ headers: {}, body })).status).toBe(204)
    destination.close()
    expect(asked).toBe(1)
    // Another turn looks anew, and is refused.
    await expect(sendTo(named(), { resolve })).rejects.toMatchObject({ failure: 'address' })
  })

  const rows: { why: string; how: Behaviour; is: object }[] = [
    { why: 'a success', how: { status: 200, body: 'thanks' }, is: { status: 200, body: 'thanks', isCut: false } },
    {
      why: 'a redirect, which is not followed',
      how: { status: 302, headers: { Location: 'http://127.0.0.1:1/' } },
      is: { status: 302 },
    },
    {
      why: 'a megabyte, which is cut',
      how: { status: 200, body: 'x'.repeat(1024 * 1024) },
      is: { status: 200, body: 'x'.repeat(64 * 1024), isCut: true },
    },
    {
      why: 'a body that never ends',
      how: { status: 200, body: 'begun', goesOn: true },
      is: { status: 200, body: 'begun', isCut: true },
    },
  ]
  test.each(rows)('is answered with $why [V15.3.2]', async ({ how, is }) => {
    receiver.behave(() => how)
    expect(await sendTo(receiver.url, { timeout: 500 })).toMatchObject(is)
  })

  test.each([
    { why: 'hangs', how: 'hang' as const, failure: 'timeout' },
    { why: 'closes', how: 'close' as const, failure: 'connection' },
    { why: 'has headers without end', how: { status: 200, headers: { x: 'x'.repeat(20_000) } }, failure: 'answer' },
  ])('fails at a receiver that $why', async ({ how, failure }) => {
    receiver.behave(() => how)
    await expect(sendTo(receiver.url, { timeout: 400 })).rejects.toMatchObject({ failure })
  })

  test('fails in time at one that never reads', async () => {
    const server = createServer((socket) => socket.pause())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const destination = openOutbound({ networks: ['127.0.0.1'], timeout: 400 }).to(`http://127.0.0.1:${port}/`)
    const huge = 'x'.repeat(8 * 1024 * 1024)
    await expect(destination.post({ headers: {}, body: huge })).rejects.toMatchObject({ failure: 'timeout' })
    destination.close()
    server.close()
  })

  test('fails where no certificate is right', async () => {
    const url = named().replace('http:', 'https:')
    await expect(sendTo(url)).rejects.toMatchObject({ name: 'NotSent' })
  })

  test('goes by a new connection where the one that was kept was closed meanwhile', async () => {
    receiver.behave(() => ({ status: 204, headers: { 'Keep-Alive': 'timeout=60' } }))
    const destination = openOutbound({ networks: ['127.0.0.1'], timeout: 2000 }).to(receiver.url)
    expect((await destination.post({ headers: {}, body })).status).toBe(204)
    const port = Number(new URL(receiver.url).port)
    await receiver.close()
    receiver = await openReceiver(port)
    expect((await destination.post({ headers: {}, body })).status).toBe(204)
    destination.close()
  })
})
