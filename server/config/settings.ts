import {
  address,
  anyText,
  duration,
  hostName,
  milliseconds,
  oneOf,
  orNone,
  pauses,
  postgresUrl,
  ranges,
  secretKey,
  webAddress,
  wholeNumber,
} from './forms.ts'
import {
  bufferByMemory,
  callersByMemory,
  demoMode,
  diskReserve,
  megabytes,
  ofBundled,
  passwordFile,
  processCount,
  type Reader,
} from './readers.ts'

/** A setting. `initial` is its text if none is given, and `about` its sentence in `.env.example` and the documents. */
export type Setting = Reader<unknown> & { name: string; initial: string; about: string }

const setting = <Value>(name: string, initial: string, reader: Reader<Value>, about: string) => ({
  ...{ name, initial, about },
  ...reader,
})

/** Returns a setting that may be empty. */
const optionalSetting = <Value>(name: string, reader: Reader<Value>, about: string) => setting(name, '', reader, about)

/** All settings by their keys in `Config`. `.env.example` and the table of the documents are generated from them. */
export const settingsByKey = {
  port: setting('PORT', '3000', wholeNumber(0, 65_535), 'Port to listen on; 0 takes a free one.'),
  host: setting('HOST', '127.0.0.1', hostName, 'Address to listen on; 0.0.0.0 for all.'),
  databaseUrl: optionalSetting(
    'DATABASE_URL',
    orNone(postgresUrl),
    'PostgreSQL to use (postgres://…). Empty: the bundled one.',
  ),
  databasePasswordFile: optionalSetting(
    'DATABASE_PASSWORD_FILE',
    passwordFile,
    'File with the password for DATABASE_URL on its first line, read for each new connection. Empty: the one in the address.',
  ),
  dataFolder: setting('PLUMBLINE_DATA', './data', anyText, 'Folder of the bundled database and the generated key.'),
  databaseUser: optionalSetting(
    'PLUMBLINE_DATABASE_USER',
    orNone(anyText),
    'User, made by you, as whom root runs the bundled PostgreSQL. Empty: nobody.',
  ),
  secret: optionalSetting(
    'PLUMBLINE_SECRET',
    orNone(secretKey),
    'Key that seals tokens, at least 32 characters. Empty: one is generated into the data folder.',
  ),
  previousSecret: optionalSetting(
    'PLUMBLINE_SECRET_PREVIOUS',
    orNone(secretKey),
    'Key that sealed tokens before, until "plumbline key rotate" has sealed them anew.',
  ),
  publicUrl: optionalSetting(
    'PUBLIC_URL',
    orNone(webAddress),
    'Address under which callers reach the service. Empty: the one they used.',
  ),
  trustedProxies: optionalSetting(
    'TRUSTED_PROXIES',
    ranges,
    'Addresses and ranges of proxies, separated by commas, whose X-Forwarded-For tells whom to count attempts to sign in for.',
  ),
  logLevel: setting(
    'LOG_LEVEL',
    'info',
    oneOf('debug', 'info', 'warn', 'error', 'silent'),
    'debug, info, warn, error or silent.',
  ),
  logFormat: setting(
    'LOG_FORMAT',
    'auto',
    oneOf('auto', 'json', 'text'),
    'json, text (a line for people), or auto: text where the standard error is a terminal, else json.',
  ),
  demo: setting(
    'PLUMBLINE_DEMO',
    'auto',
    demoMode,
    'Demo companies: auto (serve adds them to a new bundled database, unless PUBLIC_URL is on another host), on, or off (serve disables their accounts and revokes their tokens).',
  ),
  processes: setting(
    'PROCESSES',
    '1',
    processCount,
    'Processes that serve the port together: 1 to 32, or auto for one a processor.',
  ),
  connectionsMax: setting(
    'DATABASE_CONNECTIONS',
    '20',
    wholeNumber(2, 500),
    'Most connections to the database for writes and long reads, 2 to 500; several processes share them out.',
  ),
  requestsMax: setting(
    'REQUESTS_MAX',
    '1000',
    wholeNumber(1, 100_000),
    'Most reads, and most writes, that a process lets in at once, 1 to 100000; more are refused with 503.',
  ),
  callersMax: optionalSetting(
    'CONNECTIONS_MAX',
    callersByMemory,
    'Most connections of callers that a process keeps, 16 to 100000; idle ones are closed for new ones. Empty: by memory.',
  ),
  // Bytes of request bodies and answers together.
  bufferBytes: optionalSetting(
    'BUFFER_MB',
    bufferByMemory,
    'Most megabytes of bodies and answers that a process holds for slow callers, 1 to 65536; one peer may have a quarter. Empty: by memory.',
  ),
  metricsAddress: optionalSetting(
    'METRICS_ADDRESS',
    orNone(address),
    'Address and port, as in 127.0.0.1:9464, that alone serves /metrics. Empty: served beside everything else.',
  ),
  answerTarget: setting(
    'ANSWER_TARGET_MS',
    '100',
    milliseconds,
    'While most answers take longer than this, fewer requests are let in at once.',
  ),
  tokenRequestsPerMinute: optionalSetting(
    'TOKEN_REQUESTS_PER_MINUTE',
    { ...orNone(wholeNumber(1, 1_000_000)), must: 'a whole number from 1 to 1000000, or empty' },
    'Most calls of a token in a minute that each process answers, 1 to 1000000; more get 429. Empty: any number.',
  ),
  callsKeptDays: setting(
    'CALLS_KEPT_DAYS',
    '400',
    wholeNumber(1, 36_500),
    'Days for which each API call is kept, 1 to 36500; after that only the sums of each day are.',
  ),
  callDetailsKeptDays: setting(
    'CALL_DETAILS_KEPT_DAYS',
    '7',
    wholeNumber(0, 365),
    'Days for which is kept what API calls said and were answered, 0 to 365; 0 keeps nothing of it.',
  ),
  changesKeptDays: setting(
    'CHANGES_KEPT_DAYS',
    '30',
    wholeNumber(1, 36_500),
    'Days for which /v1/changes tells what happened, 1 to 36500; the history of each record stays.',
  ),
  auditKeptDays: setting(
    'AUDIT_KEPT_DAYS',
    '400',
    wholeNumber(1, 36_500),
    'Days for which sign-ins, exports and imports are kept in Settings, Audit, 1 to 36500; the history of settings stays.',
  ),
  webhookNetworks: optionalSetting(
    'WEBHOOK_NETWORKS',
    ranges,
    'Inner addresses and ranges, separated by commas, that webhooks may be sent to, by http too. Empty: public addresses by https alone.',
  ),
  webhookTimeout: setting(
    'WEBHOOK_TIMEOUT_MS',
    '15000',
    milliseconds,
    'Longest a receiver of webhooks may take to answer.',
  ),
  webhookRetrySeconds: setting(
    'WEBHOOK_RETRY_SECONDS',
    '5,300,1800,7200,18000,36000',
    pauses,
    'Seconds from one attempt at an event to the next, separated by commas; the last goes on for ever.',
  ),
  webhookFailingDays: setting(
    'WEBHOOK_FAILING_DAYS',
    '5',
    wholeNumber(1, 365),
    'Days without one success after which a webhook that fails is disabled, 1 to 365.',
  ),
  webhookAttemptsKeptDays: setting(
    'WEBHOOK_ATTEMPTS_KEPT_DAYS',
    '30',
    wholeNumber(1, 3650),
    'Days for which attempts to send to webhooks are kept, 1 to 3650.',
  ),
  // Bytes.
  webhookAttemptsBytes: setting(
    'WEBHOOK_ATTEMPTS_MB',
    '64',
    megabytes,
    'Most megabytes of attempts that are kept for a company, 1 to 65536; the oldest successes go first.',
  ),
  backupTo: optionalSetting(
    'PLUMBLINE_BACKUP_TO',
    ofBundled,
    'Folder that serve makes backups of the bundled database in. Empty: it makes none.',
  ),
  // Milliseconds.
  backupEvery: setting(
    'PLUMBLINE_BACKUP_EVERY',
    '24h',
    duration,
    'Time from one of these backups to the next: a whole number with m, h or d, from 1m to 365d.',
  ),
  backupKeep: setting(
    'PLUMBLINE_BACKUP_KEEP',
    '7',
    wholeNumber(1, 10_000),
    'How many of these backups are kept, 1 to 10000; older ones are removed once a new one is whole.',
  ),
  archive: optionalSetting(
    'PLUMBLINE_ARCHIVE',
    ofBundled,
    'Folder that the bundled PostgreSQL archives its log in, so that any moment since a backup can be restored. Empty: none.',
  ),
  archiveSeconds: setting(
    'PLUMBLINE_ARCHIVE_SECONDS',
    '60',
    wholeNumber(1, 86_400),
    'Seconds after which a change is handed to the archive at the latest, 1 to 86400.',
  ),
  // Bytes. Null means a share of the disk.
  diskReserve: optionalSetting(
    'PLUMBLINE_DISK_RESERVE_MB',
    diskReserve,
    'Megabytes of the bundled database’s disk below which writes are refused with 503, 0 to 1048576; 0: none. Empty: the smaller of 256 and a twentieth of the disk.',
  ),
  statementTimeout: setting('STATEMENT_TIMEOUT_MS', '10000', milliseconds, 'Longest a statement may run.'),
  lockTimeout: setting('LOCK_TIMEOUT_MS', '8000', milliseconds, 'Longest a statement may wait for a lock.'),
  connectTimeout: setting(
    'CONNECT_TIMEOUT_MS',
    '800',
    milliseconds,
    'Longest a request may wait for a database connection.',
  ),
  rehearsal: setting(
    'REHEARSAL_MS',
    '500',
    wholeNumber(0, 500, ' of milliseconds'),
    'How long a process rehearses writes and reads before it serves, so that its first calls cost less, 0 to 500; 0: not at all.',
  ),
  drainTimeout: setting(
    'DRAIN_TIMEOUT_MS',
    '8000',
    milliseconds,
    'Longest a stop may wait for requests that are running.',
  ),
  drainNotice: setting(
    'DRAIN_NOTICE_MS',
    '300',
    wholeNumber(0, 600_000, ' of milliseconds'),
    'How long /readyz says no before a stop closes the port, 0 to 600000: longer than your balancer takes to notice.',
  ),
  headersTimeout: setting(
    'HEADERS_TIMEOUT_MS',
    '10000',
    milliseconds,
    'Longest a caller may take to send the headers of a request.',
  ),
  requestTimeout: setting(
    'REQUEST_TIMEOUT_MS',
    '30000',
    milliseconds,
    'Longest a caller may take to send a whole request.',
  ),
  writeTimeout: setting(
    'WRITE_TIMEOUT_MS',
    '30000',
    milliseconds,
    'Longest a caller may leave an answer unread; one who goes on reading, however slowly, is served.',
  ),
} satisfies { [key: string]: Setting }

/** The values of all settings. */
export type Config = { [key in Key]: Exclude<ReturnType<(typeof settingsByKey)[key]['read']>, undefined> }

export type Key = keyof typeof settingsByKey
