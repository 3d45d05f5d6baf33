import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { describe, expect, test } from 'vitest'
import { ConfigProblem, envExample, readConfig, settings, shownSettings } from '#server/config/config.ts'

const example = readFileSync(join(import.meta.dirname, '../../.env.example'), 'utf8')

describe('.env.example', () => {
  test('is what the settings make of it (bin/plumbline config --example > .env.example)', () => {
    expect(example).toBe(envExample())
  })

  test('says nothing but what is in force without it.', () => {
    expect(Object.keys(parseEnv(example)).sort()).toEqual(settings.map(({ name }) => name).sort())
    expect(readConfig(parseEnv(example))).toEqual(readConfig({}))
  })
})

test('Every setting says what it means, in a sentence.', () => {
  for (const { name, about } of settings) expect(about, name).toMatch(/^\S.*\.$/)
})

test('All mistakes are told at once, each with what it must be.', () => {
  const wrong = {
    PORT: '70000',
    HOST: 'not a host',
    DATABASE_URL: 'mysql://x/y',
    PLUMBLINE_SECRET: 'short',
    PUBLIC_URL: 'https://erp.example.com/path',
    LOG_LEVEL: 'loud',
    PLUMBLINE_DEMO: 'yes',
    PROCESSES: '0',
    DATABASE_CONNECTIONS: '1',
    REQUESTS_MAX: '0',
    CONNECTIONS_MAX: '15',
    BUFFER_MB: '0',
    METRICS_ADDRESS: '9464',
    PLUMBLINE_BACKUP_EVERY: '24',
    PLUMBLINE_BACKUP_KEEP: '0',
    PLUMBLINE_ARCHIVE_SECONDS: '0',
    TRUSTED_PROXIES: '10.0.0.0/33, proxy.example.com',
    ...Object.fromEntries(settings.filter(({ name }) => name.endsWith('_MS')).map(({ name }) => [name, '1e3'])),
  }
  const problems = () => readConfig(wrong)
  expect(problems).toThrow(ConfigProblem)
  for (const name of Object.keys(wrong)) expect(problems).toThrow(new RegExp(`^${name} must be .*\\.$`, 'm'))
})

test.for([
  'postgres://erp:pass@db.example.com:5432/erp',
  'postgresql://db.example.com/erp',
  'postgres://erp@/erp?host=/run/postgresql',
  'postgres:///erp?host=/run/postgresql',
])('DATABASE_URL may be %s', (databaseUrl) => {
  expect(readConfig({ DATABASE_URL: databaseUrl })).toMatchObject({ databaseUrl, demo: 'keep' })
})

test.for([
  'postgres://erp@one.example,two.example/erp',
  'postgres://erp@one.example:5432,two.example:5433/erp',
  'postgres://erp:a,b@one.example:5432,two.example/erp?sslmode=verify-full',
  'postgres:///erp?host=one.example,two.example',
  'postgres://erp@one.example/erp?host=one.example,two.example',
])('DATABASE_URL may not name several hosts: %s', (DATABASE_URL) => {
  expect(() => readConfig({ DATABASE_URL })).toThrow(
    'DATABASE_URL must be an address with one host: name one that follows the primary, such as a TCP proxy or the provider’s name.',
  )
})

test('A comma in a password or a name is no list of hosts.', () => {
  for (const DATABASE_URL of [
    'postgres://erp:a,b@db/erp',
    'postgres://erp@db/a,b',
    'postgres://erp@db/erp?options=-cx=a,b',
  ])
    expect(readConfig({ DATABASE_URL }).databaseUrl).toBe(DATABASE_URL)
})

describe('DATABASE_PASSWORD_FILE', () => {
  const DATABASE_PASSWORD_FILE = join(import.meta.dirname, '../../package.json')
  const DATABASE_URL = 'postgres://erp@db.example.com/erp'

  test('is a file with something on its first line, for an address without a password.', () => {
    expect(readConfig({ DATABASE_URL, DATABASE_PASSWORD_FILE })).toMatchObject({
      databaseUrl: DATABASE_URL,
      databasePasswordFile: DATABASE_PASSWORD_FILE,
    })
  })

  test.for([
    ['missing', { DATABASE_URL, DATABASE_PASSWORD_FILE: '/no/such/file' }],
    ['a folder', { DATABASE_URL, DATABASE_PASSWORD_FILE: import.meta.dirname }],
    ['empty', { DATABASE_URL, DATABASE_PASSWORD_FILE: '/dev/null' }],
    ['beside a password', { DATABASE_URL: 'postgres://erp:secret@db/erp', DATABASE_PASSWORD_FILE }],
    ['beside a password as a parameter', { DATABASE_URL: 'postgres://erp@db/erp?password=x', DATABASE_PASSWORD_FILE }],
    ['without DATABASE_URL', { DATABASE_PASSWORD_FILE }],
  ] as const)('is refused where it is %s, with all other mistakes.', ([, environment]) => {
    const problems = () => readConfig({ ...environment, PORT: 'x' })
    expect(problems).toThrow(/^DATABASE_PASSWORD_FILE must be a file that can be read/m)
    expect(problems).toThrow(/^PORT must be/m)
  })
})

test.for([
  [{}, 'new'],
  [{ PUBLIC_URL: 'http://localhost:3000' }, 'new'],
  [{ PUBLIC_URL: 'https://erp.example.com' }, 'keep'],
  [{ PUBLIC_URL: 'https://erp.example.com', PLUMBLINE_DEMO: 'on' }, 'on'],
  [{ PLUMBLINE_DEMO: 'off' }, 'off'],
] as const)('With %o a start takes the demo as %s.', ([environment, demo]) => {
  expect(readConfig(environment).demo).toBe(demo)
})

test.for([
  ['', []],
  ['10.0.0.1', ['10.0.0.1']],
  [' 10.0.0.0/8, ::1 ,fd00::/8', ['10.0.0.0/8', '::1', 'fd00::/8']],
] as const)('TRUSTED_PROXIES may be "%s"', ([text, trustedProxies]) => {
  expect(readConfig({ TRUSTED_PROXIES: text })).toMatchObject({ trustedProxies })
})

test.for(['10.0.0', '10.0.0.0/33', '::1/129', '10.0.0.1/8/8', '10.0.0.1/', 'proxy'])(
  'TRUSTED_PROXIES may not be "%s"',
  (text) => {
    expect(() => readConfig({ TRUSTED_PROXIES: text })).toThrow(/^TRUSTED_PROXIES must be addresses and ranges/)
  },
)

test('A secret is masked where settings are shown.', () => {
  const given = { DATABASE_URL: 'postgres://erp:hunter2@db/erp', PLUMBLINE_SECRET: 'x'.repeat(40) }
  const shown = JSON.stringify(shownSettings(given))
  expect(shown).not.toMatch(/hunter2|xxxx/)
  expect(shownSettings(given).filter(({ value }) => value === '••••••')).toHaveLength(2)
})

test.for([
  ['1m', 60_000],
  ['24h', 86_400_000],
  ['7d', 604_800_000],
  ['365d', 31_536_000_000],
] as const)('PLUMBLINE_BACKUP_EVERY may be %s', ([text, milliseconds]) => {
  expect(readConfig({ PLUMBLINE_BACKUP_EVERY: text }).backupEvery).toBe(milliseconds)
})

test.for(['0h', '366d', '1w', '1.5h', 'h', '-1d'])('PLUMBLINE_BACKUP_EVERY may not be "%s"', (text) => {
  expect(() => readConfig({ PLUMBLINE_BACKUP_EVERY: text })).toThrow(/^PLUMBLINE_BACKUP_EVERY must be a whole number/)
})

test.for(['PLUMBLINE_BACKUP_TO', 'PLUMBLINE_ARCHIVE'])('%s is refused with DATABASE_URL.', (name) => {
  expect(() => readConfig({ [name]: '/mnt/backups', DATABASE_URL: 'postgres://erp@db/erp' })).toThrow(
    `${name} must be left out with DATABASE_URL`,
  )
})
