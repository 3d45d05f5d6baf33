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

/** Returns a setting; `line` is its line of `.env.example`, with the text that it has if none is given. */
function setting<Value>(line: string, reader: Reader<Value>, about: string) {
  const [name = '', initial = ''] = line.split('=', 2)
  return { name, initial, about, ...reader }
}

/** All settings by their keys in `Config`. `.env.example` and the table of the documents are generated from them. */
export const settingsByKey = {
  port: setting('PORT=3000', wholeNumber(0, 65_535), 'Port to listen on; 0 takes a free one.'),
  host: setting('HOST=127.0.0.1', hostName, 'Address to listen on; 0.0.0.0 means all.'),
  databaseUrl: setting(
    'DATABASE_URL=',
    orNone(postgresUrl),
    'PostgreSQL to use (postgres://…). Empty: the bundled one.',
  ),
  databasePasswordFile: setting(
    'DATABASE_PASSWORD_FILE=',
    passwordFile,
    'File with the password for DATABASE_URL on its first line, read for each new connection. Empty: the one in the address.',
  ),
  dataFolder: setting('PLUMBLINE_DATA=./data', anyText, 'Folder of the bundled database and the generated key.'),
  databaseUser: setting(
    'PLUMBLINE_DATABASE_USER=',
    orNone(anyText),
    'User, created by you, as whom root runs the bundled PostgreSQL. Empty: the user nobody.',
  ),
  secret: setting(
    'PLUMBLINE_SECRET=',
    orNone(secretKey),
    'Key that seals tokens, at least 32 characters. Empty: one is generated into the data folder.',
  ),
  previousSecret: setting(
    'PLUMBLINE_SECRET_PREVIOUS=',
    orNone(secretKey),
    'Former key of sealed tokens, until "plumbline key rotate" has sealed them with the new one.',
  ),
  publicUrl: setting(
    'PUBLIC_URL=',
    orNone(webAddress),
    'Address by which callers reach the service. Empty: the one in their request.',
  ),
  trustedProxies: setting(
    'TRUSTED_PROXIES=',
    ranges,
    'Addresses and ranges of trusted proxies, separated by commas. Their X-Forwarded-For names the caller of a sign-in.',
  ),
  logLevel: setting(
    'LOG_LEVEL=info',
    oneOf('debug', 'info', 'warn', 'error', 'silent'),
    'debug, info, warn, error or silent.',
  ),
  logFormat: setting(
    'LOG_FORMAT=auto',
    oneOf('auto', 'json', 'text'),
    'json, text (a line for people), or auto: text if the standard error is a terminal, else json.',
  ),
  demo: setting(
    'PLUMBLINE_DEMO=auto',
    demoMode,
    'Demo companies: auto (serve adds them to a new bundled database, unless PUBLIC_URL is on another host), on, or off (serve disables their accounts and revokes their tokens).',
  ),
  processes: setting(
    'PROCESSES=1',
    processCount,
    'Number of processes that share the port: 1 to 32, or auto for one per processor.',
  ),
  connectionsMax: setting(
    'DATABASE_CONNECTIONS=20',
    wholeNumber(2, 500),
    'Most connections to the database for writes and long reads, 2 to 500; several processes share them out.',
  ),
  requestsMax: setting(
    'REQUESTS_MAX=1000',
    wholeNumber(1, 100_000),
    'Most reads, and most writes, that a process accepts at once, 1 to 100000; more are refused with 503.',
  ),
  callersMax: setting(
    'CONNECTIONS_MAX=',
    callersByMemory,
    'Most connections of callers that a process keeps, 16 to 100000; idle ones are closed for new ones. Empty: by memory.',
  ),
  // Bytes of request bodies and answers together.
  bufferBytes: setting(
    'BUFFER_MB=',
    bufferByMemory,
    'Most megabytes of bodies and answers that a process buffers for slow callers, 1 to 65536; one peer gets at most a quarter. Empty: by memory.',
  ),
  metricsAddress: setting(
    'METRICS_ADDRESS=',
    orNone(address),
    'Separate address and port for /metrics, as in 127.0.0.1:9464. Empty: /metrics is on the port of the API.',
  ),
  answerTarget: setting(
    'ANSWER_TARGET_MS=100',
    milliseconds,
    'Target time of an answer in milliseconds. While most answers take longer, fewer requests are accepted at once.',
  ),
  tokenRequestsPerMinute: setting(
    'TOKEN_REQUESTS_PER_MINUTE=',
    { ...orNone(wholeNumber(1, 1_000_000)), must: 'a whole number from 1 to 1000000, or empty' },
    'Most calls of a token in a minute that each process answers, 1 to 1000000; more get 429. Empty: any number.',
  ),
  agentRecordsPerHour: setting(
    'AGENT_RECORDS_PER_HOUR=100',
    wholeNumber(0, 1_000_000),
    'Most records of a company that agents change within an hour without a person, 0 to 1000000; beyond them a person decides.',
  ),
  callsKeptDays: setting(
    'CALLS_KEPT_DAYS=400',
    wholeNumber(1, 36_500),
    'Days for which each API call is kept, 1 to 36500; later only the sums of each day remain.',
  ),
  callDetailsKeptDays: setting(
    'CALL_DETAILS_KEPT_DAYS=7',
    wholeNumber(0, 365),
    'Days for which requests and answers of API calls are kept, 0 to 365; 0 stores none.',
  ),
  changesKeptDays: setting(
    'CHANGES_KEPT_DAYS=30',
    wholeNumber(1, 36_500),
    'Days for which /v1/changes has changes, 1 to 36500; the history of each record stays.',
  ),
  auditKeptDays: setting(
    'AUDIT_KEPT_DAYS=400',
    wholeNumber(1, 36_500),
    'Days for which sign-ins, exports and imports are kept in Settings, Audit, 1 to 36500; the history of settings stays.',
  ),
  webhookNetworks: setting(
    'WEBHOOK_NETWORKS=',
    ranges,
    'Private addresses and ranges, separated by commas, to which webhooks may be sent, by http too. Empty: public addresses by https alone.',
  ),
  webhookTimeout: setting(
    'WEBHOOK_TIMEOUT_MS=15000',
    milliseconds,
    'Milliseconds in which a receiver of webhooks must answer.',
  ),
  webhookRetrySeconds: setting(
    'WEBHOOK_RETRY_SECONDS=5,300,1800,7200,18000,36000',
    pauses,
    'Seconds between attempts to send an event, separated by commas; the last one repeats for ever.',
  ),
  webhookFailingDays: setting(
    'WEBHOOK_FAILING_DAYS=5',
    wholeNumber(1, 365),
    'Days without a success after which a failing webhook is disabled, 1 to 365.',
  ),
  webhookAttemptsKeptDays: setting(
    'WEBHOOK_ATTEMPTS_KEPT_DAYS=30',
    wholeNumber(1, 3650),
    'Days for which attempts to send to webhooks are kept, 1 to 3650.',
  ),
  // Bytes.
  webhookAttemptsBytes: setting(
    'WEBHOOK_ATTEMPTS_MB=64',
    megabytes,
    'Most megabytes of attempts that are kept for a company, 1 to 65536; the oldest successes are removed first.',
  ),
  backupTo: setting(
    'PLUMBLINE_BACKUP_TO=',
    ofBundled,
    'Folder in which serve creates backups of the bundled database. Empty: no backups.',
  ),
  // Milliseconds.
  backupEvery: setting(
    'PLUMBLINE_BACKUP_EVERY=24h',
    duration,
    'Time between two of these backups: a whole number with m, h or d, from 1m to 365d.',
  ),
  backupKeep: setting(
    'PLUMBLINE_BACKUP_KEEP=7',
    wholeNumber(1, 10_000),
    'Number of these backups that are kept, 1 to 10000; older ones are removed after each new one.',
  ),
  archive: setting(
    'PLUMBLINE_ARCHIVE=',
    ofBundled,
    'Folder in which the bundled PostgreSQL archives its log, so that any moment since a backup can be restored. Empty: no archive.',
  ),
  archiveSeconds: setting(
    'PLUMBLINE_ARCHIVE_SECONDS=60',
    wholeNumber(1, 86_400),
    'Most seconds until a change is archived, 1 to 86400.',
  ),
  // Bytes. Null means a share of the disk.
  diskReserve: setting(
    'PLUMBLINE_DISK_RESERVE_MB=',
    diskReserve,
    'Free megabytes on the bundled database’s disk below which writes are refused with 503, 0 to 1048576; 0: never. Empty: the smaller of 256 and a twentieth of the disk.',
  ),
  statementTimeout: setting('STATEMENT_TIMEOUT_MS=10000', milliseconds, 'Most milliseconds that a statement may run.'),
  lockTimeout: setting('LOCK_TIMEOUT_MS=8000', milliseconds, 'Most milliseconds that a statement may wait for a lock.'),
  connectTimeout: setting(
    'CONNECT_TIMEOUT_MS=800',
    milliseconds,
    'Most milliseconds that a request may wait for a database connection.',
  ),
  drainTimeout: setting(
    'DRAIN_TIMEOUT_MS=8000',
    milliseconds,
    'Most milliseconds that a stop waits for running requests.',
  ),
  drainNotice: setting(
    'DRAIN_NOTICE_MS=300',
    wholeNumber(0, 600_000, ' of milliseconds'),
    'Milliseconds for which /readyz answers 503 before a stop closes the port, 0 to 600000. Set more than your balancer takes to notice.',
  ),
  headersTimeout: setting(
    'HEADERS_TIMEOUT_MS=10000',
    milliseconds,
    'Milliseconds in which a caller must send the headers of a request.',
  ),
  requestTimeout: setting(
    'REQUEST_TIMEOUT_MS=30000',
    milliseconds,
    'Milliseconds in which a caller must send a whole request.',
  ),
  writeTimeout: setting(
    'WRITE_TIMEOUT_MS=30000',
    milliseconds,
    'Most milliseconds that a caller may pause while reading an answer; a slow but steady reader is served.',
  ),
} satisfies { [key: string]: Setting }

/** The values of all settings. */
export type Config = { [key in Key]: Exclude<ReturnType<(typeof settingsByKey)[key]['read']>, undefined> }

export type Key = keyof typeof settingsByKey
