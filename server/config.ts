import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { memoryHere } from './embedded/memory.ts'

/** The settings: what each means, what it is when not given and how its text is read. `.env.example` is made of this. */
export type Config = {
  port: number
  host: string
  /** Null: the bundled PostgreSQL. */
  databaseUrl: string | null
  dataFolder: string
  /** Null: `nobody`, where root runs the bundled PostgreSQL. */
  databaseUser: string | null
  /** Null: a key kept in the data folder. */
  secret: string | null
  /** Opens what was sealed before `secret`, or the key in the data folder, took its place. */
  previousSecret: string | null
  /** Null: whatever address a caller used. */
  publicUrl: string | null
  /** Addresses and ranges whose X-Forwarded-For is believed where attempts to sign in are counted. */
  trustedProxies: readonly string[]
  logLevel: string
  demo: DemoMode
  processes: number
  connectionsMax: number
  /** Of reads, and of writes, that a process lets in at once. */
  requestsMax: number
  /** Of callers, that a process keeps open. */
  callersMax: number
  /** That a process keeps of bodies that come in and of answers that go out, together. */
  bufferBytes: number
  /** Null: /metrics is served beside everything else. */
  metricsAddress: Address | null
  /** Of a token, in a process; null: any number. */
  tokenRequestsPerMinute: number | null
  callsKeptDays: number
  /** Inner addresses and ranges that webhooks may be sent to, by http too. */
  webhookNetworks: readonly string[]
  /** Milliseconds that a receiver has for its answer. */
  webhookTimeout: number
  /** Seconds between attempts, the last for ever. */
  webhookRetrySeconds: readonly number[]
  webhookFailingDays: number
  webhookAttemptsKeptDays: number
  /** Null: no backups are made by the service. */
  backupTo: string | null
  /** Milliseconds. */
  backupEvery: number
  backupKeep: number
  /** Null: PostgreSQL's log is not archived. */
  archive: string | null
  archiveSeconds: number
  /** Milliseconds, all of these. */
  answerTarget: number
  statementTimeout: number
  lockTimeout: number
  connectTimeout: number
  drainTimeout: number
  headersTimeout: number
  requestTimeout: number
  writeTimeout: number
}

export type Address = { host: string; port: number }

/**
 * What a start does about the demo companies: adds them where they are missing and opens their accounts (`on`), adds them
 * to a database that never had them (`new`), takes them as they are (`keep`) or closes their accounts (`off`).
 */
export type DemoMode = 'on' | 'new' | 'keep' | 'off'

export type Setting = {
  name: string
  about: string
  /** As the text that would give it; empty where it has none. */
  initial: string
  secret?: true
}

export const settings: readonly Setting[] = [
  { name: 'PORT', about: 'Port to listen on; 0 takes a free one.', initial: '3000' },
  { name: 'HOST', about: 'Address to listen on; 0.0.0.0 for all.', initial: '127.0.0.1' },
  {
    name: 'DATABASE_URL',
    about: 'PostgreSQL to use (postgres://…). Empty: the bundled one.',
    initial: '',
    secret: true,
  },
  { name: 'PLUMBLINE_DATA', about: 'Folder of the bundled database and the generated key.', initial: './data' },
  {
    name: 'PLUMBLINE_DATABASE_USER',
    about: 'User, made by you, as whom root runs the bundled PostgreSQL. Empty: nobody.',
    initial: '',
  },
  {
    name: 'PLUMBLINE_SECRET',
    about: 'Key that seals tokens, at least 32 characters. Empty: one is generated into the data folder.',
    initial: '',
    secret: true,
  },
  {
    name: 'PLUMBLINE_SECRET_PREVIOUS',
    about: 'Key that sealed tokens before, until "plumbline key rotate" has sealed them anew.',
    initial: '',
    secret: true,
  },
  {
    name: 'PUBLIC_URL',
    about: 'Address under which callers reach the service. Empty: the one they used.',
    initial: '',
  },
  {
    name: 'TRUSTED_PROXIES',
    about:
      'Addresses and ranges of proxies, separated by commas, whose X-Forwarded-For tells whom to count attempts to sign in for.',
    initial: '',
  },
  { name: 'LOG_LEVEL', about: 'debug, info, warn, error or silent.', initial: 'info' },
  {
    name: 'PLUMBLINE_DEMO',
    about:
      'Demo companies: auto (serve adds them to a new bundled database, unless PUBLIC_URL is on another host), on, or off (serve disables their accounts and revokes their tokens).',
    initial: 'auto',
  },
  {
    name: 'PROCESSES',
    about: 'Processes that serve the port together: 1 to 32, or auto for one a processor.',
    initial: '1',
  },
  {
    name: 'DATABASE_CONNECTIONS',
    about: 'Most connections to the database for writes and long reads, 2 to 500; several processes share them out.',
    initial: '20',
  },
  {
    name: 'REQUESTS_MAX',
    about: 'Most reads, and most writes, that a process lets in at once, 1 to 100000; more are refused with 503.',
    initial: '1000',
  },
  {
    name: 'CONNECTIONS_MAX',
    about:
      'Most connections of callers that a process keeps, 16 to 100000; idle ones are closed for new ones. Empty: by memory.',
    initial: '',
  },
  {
    name: 'BUFFER_MB',
    about:
      'Most megabytes of bodies and answers that a process holds for slow callers, 1 to 65536; one peer may have a quarter. Empty: by memory.',
    initial: '',
  },
  {
    name: 'METRICS_ADDRESS',
    about: 'Address and port, as in 127.0.0.1:9464, that alone serves /metrics. Empty: served beside everything else.',
    initial: '',
  },
  {
    name: 'ANSWER_TARGET_MS',
    about: 'While most answers take longer than this, fewer requests are let in at once.',
    initial: '100',
  },
  {
    name: 'TOKEN_REQUESTS_PER_MINUTE',
    about:
      'Most calls of a token in a minute that each process answers, 1 to 1000000; more get 429. Empty: any number.',
    initial: '',
  },
  {
    name: 'CALLS_KEPT_DAYS',
    about: 'Days for which each API call is kept, 1 to 36500; after that only the sums of each day are.',
    initial: '400',
  },
  {
    name: 'WEBHOOK_NETWORKS',
    about:
      'Inner addresses and ranges, separated by commas, that webhooks may be sent to, by http too. Empty: public addresses by https alone.',
    initial: '',
  },
  {
    name: 'WEBHOOK_TIMEOUT_MS',
    about: 'Longest a receiver of webhooks may take to answer.',
    initial: '15000',
  },
  {
    name: 'WEBHOOK_RETRY_SECONDS',
    about: 'Seconds from one attempt at an event to the next, separated by commas; the last goes on for ever.',
    initial: '5,300,1800,7200,18000,36000',
  },
  {
    name: 'WEBHOOK_FAILING_DAYS',
    about: 'Days without one success after which a webhook that fails is disabled, 1 to 365.',
    initial: '5',
  },
  {
    name: 'WEBHOOK_ATTEMPTS_KEPT_DAYS',
    about: 'Days for which what was sent to webhooks, and what they answered, is kept, 1 to 3650.',
    initial: '30',
  },
  {
    name: 'PLUMBLINE_BACKUP_TO',
    about: 'Folder that serve makes backups of the bundled database in. Empty: it makes none.',
    initial: '',
  },
  {
    name: 'PLUMBLINE_BACKUP_EVERY',
    about: 'Time from one of these backups to the next: a whole number with m, h or d, from 1m to 365d.',
    initial: '24h',
  },
  {
    name: 'PLUMBLINE_BACKUP_KEEP',
    about: 'How many of these backups are kept, 1 to 10000; older ones are removed once a new one is whole.',
    initial: '7',
  },
  {
    name: 'PLUMBLINE_ARCHIVE',
    about:
      'Folder that the bundled PostgreSQL archives its log in, so that any moment since a backup can be restored. Empty: none.',
    initial: '',
  },
  {
    name: 'PLUMBLINE_ARCHIVE_SECONDS',
    about: 'Seconds after which a change is handed to the archive at the latest, 1 to 86400.',
    initial: '60',
  },
  { name: 'STATEMENT_TIMEOUT_MS', about: 'Longest a statement may run.', initial: '10000' },
  { name: 'LOCK_TIMEOUT_MS', about: 'Longest a statement may wait for a lock.', initial: '8000' },
  { name: 'CONNECT_TIMEOUT_MS', about: 'Longest a request may wait for a database connection.', initial: '800' },
  { name: 'DRAIN_TIMEOUT_MS', about: 'Longest a stop may wait for requests that are running.', initial: '8000' },
  {
    name: 'HEADERS_TIMEOUT_MS',
    about: 'Longest a caller may take to send the headers of a request.',
    initial: '10000',
  },
  { name: 'REQUEST_TIMEOUT_MS', about: 'Longest a caller may take to send a whole request.', initial: '30000' },
  {
    name: 'WRITE_TIMEOUT_MS',
    about: 'Longest a caller may leave an answer unread; one who goes on reading, however slowly, is served.',
    initial: '30000',
  },
]

/** Every mistake in the settings at once. */
export class ConfigProblem extends Error {
  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.name = 'ConfigProblem'
  }
}

export function readConfig(environment: { readonly [name: string]: string | undefined }): Config {
  const problems: string[] = []
  const textOf = (name: string): string => {
    const given = environment[name]?.trim()
    return given ? given : (settings.find((setting) => setting.name === name)?.initial ?? '')
  }
  const read = <T>(name: string, reader: (text: string) => T | undefined, must: string): T => {
    const value = reader(textOf(name))
    if (value === undefined) problems.push(`${name} must be ${must}.`)
    return value as T
  }
  const milliseconds = (name: string): number =>
    read(name, (text) => integer(text, 50, 600_000), 'a whole number of milliseconds from 50 to 600000')

  const port = read('PORT', (text) => integer(text, 0, 65535), 'a whole number from 0 to 65535')
  const host = read('HOST', hostName, 'an address or a host name')
  const databaseUrl = read('DATABASE_URL', postgresUrl, 'an address like postgres://user:password@host:5432/name')
  const demo = read('PLUMBLINE_DEMO', (text) => oneOf(text, ['auto', 'on', 'off'] as const), 'auto, on or off')
  const publicUrl = read('PUBLIC_URL', webAddress, 'an address like https://erp.example.com, without a path')
  const processes = read('PROCESSES', processCount, `auto or a whole number from 1 to ${processesMax}`)
  const memory = memoryHere() / (processes ?? 1)
  for (const name of ['PLUMBLINE_BACKUP_TO', 'PLUMBLINE_ARCHIVE']) {
    if (databaseUrl && textOf(name) !== '')
      problems.push(
        `${name} must be left out with DATABASE_URL: it is about the bundled database ("plumbline backup").`,
      )
  }
  const config: Config = {
    port,
    host,
    databaseUrl,
    dataFolder: textOf('PLUMBLINE_DATA'),
    databaseUser: textOf('PLUMBLINE_DATABASE_USER') || null,
    secret: read('PLUMBLINE_SECRET', secretKey, 'at least 32 characters long'),
    previousSecret: read('PLUMBLINE_SECRET_PREVIOUS', secretKey, 'at least 32 characters long'),
    publicUrl,
    trustedProxies: read('TRUSTED_PROXIES', ranges, 'addresses and ranges like 10.0.0.1 or 10.0.0.0/8, with commas'),
    logLevel: read(
      'LOG_LEVEL',
      (text) => oneOf(text, ['debug', 'info', 'warn', 'error', 'silent']),
      'debug, info, warn, error or silent',
    ),
    demo: demo === 'auto' ? (databaseUrl === null && isHere(publicUrl ?? null) ? 'new' : 'keep') : demo,
    processes,
    connectionsMax: read('DATABASE_CONNECTIONS', (text) => integer(text, 2, 500), 'a whole number from 2 to 500'),
    requestsMax: read('REQUESTS_MAX', (text) => integer(text, 1, 100_000), 'a whole number from 1 to 100000'),
    callersMax: read(
      'CONNECTIONS_MAX',
      (text) => (text === '' ? callersFor(memory) : integer(text, 16, 100_000)),
      'a whole number from 16 to 100000',
    ),
    bufferBytes: read(
      'BUFFER_MB',
      (text) => (text === '' ? bufferFor(memory) : times(integer(text, 1, 65_536), megabyte)),
      'a whole number from 1 to 65536',
    ),
    metricsAddress: read('METRICS_ADDRESS', address, 'an address and a port like 127.0.0.1:9464'),
    tokenRequestsPerMinute: read(
      'TOKEN_REQUESTS_PER_MINUTE',
      (text) => (text === '' ? null : integer(text, 1, 1_000_000)),
      'a whole number from 1 to 1000000, or empty',
    ),
    callsKeptDays: read('CALLS_KEPT_DAYS', (text) => integer(text, 1, 36_500), 'a whole number from 1 to 36500'),
    webhookNetworks: read('WEBHOOK_NETWORKS', ranges, 'addresses and ranges like 10.0.0.1 or 10.0.0.0/8, with commas'),
    webhookTimeout: milliseconds('WEBHOOK_TIMEOUT_MS'),
    webhookRetrySeconds: read(
      'WEBHOOK_RETRY_SECONDS',
      pauses,
      'whole numbers of seconds from 1 to 604800, with commas',
    ),
    webhookFailingDays: read('WEBHOOK_FAILING_DAYS', (text) => integer(text, 1, 365), 'a whole number from 1 to 365'),
    webhookAttemptsKeptDays: read(
      'WEBHOOK_ATTEMPTS_KEPT_DAYS',
      (text) => integer(text, 1, 3650),
      'a whole number from 1 to 3650',
    ),
    backupTo: textOf('PLUMBLINE_BACKUP_TO') || null,
    backupEvery: read('PLUMBLINE_BACKUP_EVERY', duration, 'a whole number with m, h or d, from 1m to 365d'),
    backupKeep: read('PLUMBLINE_BACKUP_KEEP', (text) => integer(text, 1, 10_000), 'a whole number from 1 to 10000'),
    archive: textOf('PLUMBLINE_ARCHIVE') || null,
    archiveSeconds: read(
      'PLUMBLINE_ARCHIVE_SECONDS',
      (text) => integer(text, 1, 86_400),
      'a whole number from 1 to 86400',
    ),
    answerTarget: milliseconds('ANSWER_TARGET_MS'),
    statementTimeout: milliseconds('STATEMENT_TIMEOUT_MS'),
    lockTimeout: milliseconds('LOCK_TIMEOUT_MS'),
    connectTimeout: milliseconds('CONNECT_TIMEOUT_MS'),
    drainTimeout: milliseconds('DRAIN_TIMEOUT_MS'),
    headersTimeout: milliseconds('HEADERS_TIMEOUT_MS'),
    requestTimeout: milliseconds('REQUEST_TIMEOUT_MS'),
    writeTimeout: milliseconds('WRITE_TIMEOUT_MS'),
  }
  if (problems.length > 0) throw new ConfigProblem(problems)
  return config
}

/** The text in force for each setting, secrets masked. */
export function shownSettings(environment: { readonly [name: string]: string | undefined }) {
  return settings.map(({ name, initial, secret }) => {
    const given = environment[name]?.trim()
    const value = given ? given : initial
    return { name, value: secret && value !== '' ? '••••••' : value, given: Boolean(given) }
  })
}

/** The text of `.env.example`. */
export const envExample = (): string =>
  [
    '# The settings of Plumbline with the values they have when nothing is given. The environment goes before this file.',
    '# Made by: bin/plumbline config --example > .env.example',
    ...settings.flatMap(({ name, about, initial }) => ['', `# ${about}`, `${name}=${initial}`]),
    '',
  ].join('\n')

function integer(text: string, min: number, max: number): number | undefined {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  return number >= min && number <= max ? number : undefined
}

const megabyte = 1024 * 1024

/** A connection for every 256 KiB of a process's memory. */
const callersFor = (memory: number): number => within(256, Math.floor(memory / (256 * 1024)), 16_384)

/** A sixteenth of a process's memory; what is counted takes up to twice its size while it is encoded. */
const bufferFor = (memory: number): number => within(16 * megabyte, Math.floor(memory / 16), 512 * megabyte)

const within = (least: number, value: number, most: number): number => Math.max(least, Math.min(value, most))

const units: { readonly [unit: string]: number } = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds. */
function duration(text: string): number | undefined {
  const [, count = '', unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  const milliseconds = Number(count) * (units[unit] ?? 0)
  return milliseconds >= 60_000 && milliseconds <= 365 * 86_400_000 ? milliseconds : undefined
}

const times = (number: number | undefined, factor: number): number | undefined => number && number * factor

const entriesOf = (text: string): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')

function ranges(text: string): string[] | undefined {
  const entries = entriesOf(text)
  return entries.every(isRange) ? entries : undefined
}

function pauses(text: string): number[] | undefined {
  const seconds = entriesOf(text).map((entry) => integer(entry, 1, 604_800))
  return seconds.length > 0 && seconds.every((one) => one !== undefined) ? seconds : undefined
}

/** An address, or one and how many of its bits count. */
function isRange(entry: string): boolean {
  const [address = '', bits, ...rest] = entry.split('/')
  const family = isIP(address)
  return (
    family > 0 && rest.length === 0 && (bits === undefined || integer(bits, 0, family === 4 ? 32 : 128) !== undefined)
  )
}

/** The least that each of so many processes needs of the database still fits into what the bundled one takes. */
const processesMax = 32

const processCount = (text: string): number | undefined =>
  text === 'auto' ? Math.min(availableParallelism(), processesMax) : integer(text, 1, processesMax)

const oneOf = <T extends string>(text: string, allowed: readonly T[]): T | undefined =>
  allowed.find((value) => value === text)

const isLocal = (host: string): boolean =>
  /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[?::1\]?|localhost)$/i.test(host) || host.toLowerCase().endsWith('.localhost')

/** Whether an address is one of this machine; none given is whatever a caller used. */
const isHere = (publicUrl: string | null): boolean => publicUrl === null || isLocal(new URL(publicUrl).hostname)

/** Whether others than this machine's own programs reach the service: by its port, or by something in front of it. */
export const isReachable = ({ host, publicUrl }: Config): boolean => !isLocal(host) || !isHere(publicUrl)

/** Whether what is sent crosses a network as it is: others reach the service, and nothing is known to speak TLS for it. */
export const isPlain = (config: Config): boolean => isReachable(config) && !config.publicUrl?.startsWith('https:')

export const plainSentence =
  'Others can reach this address, and what they send crosses the network unencrypted: put something that speaks TLS in front of it and set PUBLIC_URL to its https address, or set HOST to 127.0.0.1.'

const secretKey = (text: string): string | null | undefined =>
  text === '' ? null : text.length < 32 ? undefined : text

const hostName = (text: string): string | undefined =>
  isIP(text) > 0 || /^[a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?$/.test(text) ? text : undefined

function address(text: string): Address | null | undefined {
  if (text === '') return null
  const colon = text.lastIndexOf(':')
  const named = text.slice(0, Math.max(colon, 0))
  const host = hostName(named.startsWith('[') && named.endsWith(']') ? named.slice(1, -1) : named)
  const port = integer(text.slice(colon + 1), 1, 65_535)
  return host === undefined || port === undefined ? undefined : { host, port }
}

/** Without a host, as in postgres://user@/name?host=/run/postgresql, it means a Unix socket. */
const postgresUrl = (text: string): string | null | undefined =>
  text === ''
    ? null
    : /^postgres(ql)?:$/.test(parsed(text.replace('@/', '@socket/'))?.protocol ?? '')
      ? text
      : undefined

function webAddress(text: string): string | null | undefined {
  if (text === '') return null
  const url = parsed(text)
  return url && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search && !url.hash
    ? url.origin
    : undefined
}

const parsed = (text: string): URL | null => (URL.canParse(text) ? new URL(text) : null)
