import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hashPassword } from '#server/service/password.ts'
import { createToken, hashToken } from '#server/service/token-text.ts'
import { createSecret } from '#server/service/webhook-secret.ts'
import { derivedKey, sealText, tryOpen } from '#server/store/seal.ts'

/** Which algorithms the program asks for, and where; docs/security/keys.md lists what they are used for. */
const root = join(import.meta.dirname, '../..')
const sources = ['registry', 'derive', 'import', 'sql', 'server', 'console', 'clients'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.test.ts') && !name.includes('dist/'))
    .map((name) => ({ file: join(folder, name), text: readFileSync(join(root, folder, name), 'utf8') })),
)
const found = (pattern: RegExp): { file: string; what: string }[] =>
  sources.flatMap(({ file, text }) =>
    [...text.matchAll(pattern)].map(([all, what = all]) => ({ file, what })).filter(({ what }) => what !== ''),
  )
const distinct = (values: readonly string[]): string[] => [...new Set(values)].toSorted()

/** Rows of the first table of the page: what it is for, and by which algorithm. */
const page = readFileSync(join(root, 'docs/security/keys.md'), 'utf8')
const rows = [...(page.split('\n## ')[0] ?? '').matchAll(/^\| (.+?) \| (.+?) \| .+ \|$/gm)]
  .map(([, what = '', algorithm = '']) => ({ what, algorithm }))
  .filter(({ what }) => what !== 'what')

describe('Algorithms', () => {
  test('are those of the platform: ciphers, hashes and random numbers come from node:crypto and argon2 alone [V11.2.1]', () => {
    const packages = Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).dependencies)
    expect(packages.filter((name) => /crypt|hash|argon|cipher|sodium|nacl|noble|jose|jwt|webhooks/.test(name))).toEqual(
      ['@node-rs/argon2', 'standardwebhooks'],
    )
    // Called by their names, they have to be imported or global.
    const called =
      /\b(createHash|createHmac|createCipheriv|createDecipheriv|hkdfSync|pbkdf2Sync|randomBytes|randomInt|timingSafeEqual)\(/g
    for (const { file } of found(called))
      expect(sources.find((one) => one.file === file)?.text, file).toMatch(/^import \{[^}]*\} from 'node:crypto'$/m)
  })

  test('encrypt by AES-256-GCM, the only cipher that is named [V11.3.1] [V11.3.2]', () => {
    expect(distinct(found(/\bcreate(?:C|Dec)ipheriv\(\s*'([^']+)'/g).map(({ what }) => what))).toEqual(['aes-256-gcm'])
    expect(found(/\bcreate(?:C|Dec)ipheriv\((?!\s*')/g)).toEqual([])
  })

  test('hash by SHA-256, wherever something is hashed or signed [V11.4.1] [V11.4.3]', () => {
    const named = found(/\b(?:createHash|createHmac|hkdfSync)\(\s*'([^']+)'|\bhash\(\s*'([^']+)'/g)
    expect(named.length).toBeGreaterThan(20)
    expect(distinct(found(/\b(?:createHash|createHmac|hkdfSync|hash)\(\s*'([^']+)'/g).map(({ what }) => what))).toEqual(
      ['sha256'],
    )
    expect(found(/\b(?:createHash|createHmac|hkdfSync)\((?!\s*')/g)).toEqual([])
    expect(hashToken(createToken(1))).toHaveLength(32)
  })

  test('passwords are hashed by argon2id with 19 MiB and two passes, each with a salt of its own [V11.4.2]', async () => {
    const [one, other] = await Promise.all([hashPassword('kettle mossy ferry'), hashPassword('kettle mossy ferry')])
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
    expect(other).not.toBe(one)
    expect(distinct(found(/from '(@node-rs\/argon2)'/g).map(({ file }) => file))).toEqual([
      'server/demo/accounts.ts',
      'server/service/password.ts',
    ])
  })
})

describe('What is random', () => {
  const bits = (bytes: Buffer): string => [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  /** How many places of the text have had both values. */
  const varied = (made: readonly string[]): number =>
    [...(made[0] ?? '')].filter((_, at) => new Set(made.map((one) => one[at])).size === 2).length

  test('in a token are 208 bits, in the secret of a webhook 256; every one of them varies [V11.2.3] [V11.5.1]', () => {
    const many = Array.from({ length: 200 })
    const tokens = many.map(() => bits(Buffer.from(createToken(7).slice(-72), 'hex').subarray(6, 32)))
    expect([tokens[0]?.length, varied(tokens)]).toEqual([208, 208])
    const secrets = many.map(() => bits(Buffer.from(createSecret().slice('whsec_'.length), 'base64')))
    expect([secrets[0]?.length, varied(secrets)]).toEqual([256, 256])
  })

  test('and secret comes from the operating system: Math.random says how long to wait, and nothing else [V11.5.1]', () => {
    expect(distinct(found(/Math\.random/g).map(({ file }) => file))).toEqual([
      'clients/typescript/src/send.ts',
      'server/http/admission.ts',
      'server/store/database.ts',
      'server/store/migration-retry.ts',
    ])
    // Of what outlives a request, the shortest secret is that of the device, an id in what is signed.
    const drawn = found(/\brandomBytes\((\d+)\)/g).filter(({ file }) => /secret|session|token|access/.test(file))
    for (const { file, what } of drawn) expect(Number(what), file).toBeGreaterThanOrEqual(16)
    expect(distinct(drawn.map(({ file }) => file))).toEqual([
      'server/embedded/access.ts',
      'server/secret.ts',
      'server/service/session.ts',
      'server/service/token-text.ts',
    ])
  })
})

describe('What is sealed', () => {
  const key = 'k'.repeat(32)
  const sealed = sealText(key, 'plumb', '7:1')

  test('opens with its key for its row, and nothing else opens it [V11.3.3]', () => {
    expect(tryOpen(key, sealed, '7:1')).toBe('plumb')
    expect(tryOpen(key, sealed, '7:2')).toBeUndefined()
    expect(tryOpen('l'.repeat(32), sealed, '7:1')).toBeUndefined()
  })

  test('does not open with one bit changed, wherever that is [V11.3.3]', () => {
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed)
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
      expect(tryOpen(key, changed, '7:1'), `byte ${at}`).toBeUndefined()
    }
  })

  test('is never the same twice, and the key for each purpose is another, of 256 bits [V11.2.3]', () => {
    expect(sealText(key, 'plumb', '7:1')).not.toEqual(sealed)
    const [one, other] = [derivedKey(key, 'one purpose'), derivedKey(key, 'another')]
    expect(one).toHaveLength(32)
    expect(one).not.toEqual(other)
  })
})

describe('docs/security/keys.md', () => {
  /** The modules that use a key, and the beginning of the row that says what for. */
  const uses: { readonly [file: string]: readonly string[] } = {
    'server/console-api/key-policy.ts': ['an answer of the interface that showed a secret', 'a write of the interface'],
    'server/console-api/session.ts': ['an address in a line about signing in'],
    'server/embedded/access.ts': ['the sign-in to the database'],
    'server/service/device.ts': ['a browser that has signed in before'],
    'server/service/rotate-keys.ts': ['a token’s text and a demo password', 'a webhook’s secret'],
    'server/store/seal.ts': ['a token’s text and a demo password', 'a webhook’s secret'],
    'server/records/preview.ts': ['the hash of a plan'],
    'server/webhooks/delivery.ts': ['a message to a webhook'],
  }
  const straight = (text: string): string => text.replaceAll("'", '’')

  test('has a row for every use of a key, with its algorithm [V11.1.2]', () => {
    const users = found(
      /\b(?:createHmac|createCipheriv|derivedKey|sealText|new Webhook)\(|from 'standardwebhooks'/g,
    ).map(({ file }) => file)
    expect(distinct(users)).toEqual(Object.keys(uses).toSorted())
    for (const begin of Object.values(uses).flat())
      expect(rows.filter(({ what }) => straight(what).startsWith(begin)).length, begin).toBeGreaterThan(0)
    for (const { what, algorithm } of rows)
      expect(algorithm, what).toMatch(/AES-256-GCM|SHA-256|argon2id|hash|CRC-32|SCRAM/)
  })

  test('says of the sealing key what is done with it from the first day to the last [V11.1.1]', () => {
    const life = [...page.matchAll(/^\| (made|used|changed|suspected|lost|destroyed) \| (.+) \|$/gm)]
    expect(life.map(([, when]) => when)).toEqual(['made', 'used', 'changed', 'suspected', 'lost', 'destroyed'])
    expect(page).toContain('bin/plumbline key rotate')
  })
})
