import { inLine } from '#derive/format-printable.ts'
import { formatCount } from '#derive/words.ts'
import { accountsOfOneAddress, type TwinsRow } from '#sql/system/accounts.ts'
import { type DemoAccountRow, demoAccounts } from '#sql/system/demo.ts'
import { extensionsNeeded, newestSealed, type ServerFacts, serverFacts } from '#sql/system/health.ts'
import { type ClaimFigures, claimFigures } from '#sql/system/webhook-claims.ts'
import type { Config } from '../config/config.ts'
import { isReachable } from '../config/exposure.ts'
import { withPublishedPassword } from '../demo/accounts.ts'
import { sealingKeysThere } from '../secret.ts'
import { horizon } from '../service/changes.ts'
import { howWebhooksDo } from '../service/webhooks.ts'
import { type Allowance, fitConnections, readAllowance } from '../store/allowance.ts'
import { refuseSharedSessions } from '../store/connect.ts'
import { type Connection, type Database, openDatabase } from '../store/database.ts'
import { pendingMigrations } from '../store/migrate.ts'
import { openSealed, sealedToken } from '../store/seal.ts'
import { leaseSeconds } from '../webhooks/lease.ts'
import { checkDistribution } from './check-distribution.ts'
import { checkEqual } from './check-equal.ts'
import { type Check, failCheck, passCheck, warnCheck } from './check-folder.ts'
import { mayNotCreate } from './database-trouble.ts'
import { erasedPersonsFiles, readErased } from './erased-persons.ts'
import { mistakeIn } from './mistake.ts'
import { stateOf } from './person-erase.ts'

const versionMin = 150_000
const clockDifferenceMillisecondsMax = 2000
const heldSecondsMax = 60

/** Checks everything of the database that the service relies on. */
export async function checkDatabase(config: Config, connection: Connection, databaseIs: string): Promise<Check[]> {
  await refuseSharedSessions(connection)
  const database = openDatabase(connection, { ...config, connectTimeout: 5000 }, () => undefined)
  try {
    const before = Date.now()
    const [facts] = await database.read<ServerFacts>(serverFacts())
    if (!facts) throw new Error('the database did not return its settings')
    const pending = await pendingMigrations(connection)
    return [
      checkVersion(facts, databaseIs),
      checkDurability(facts),
      checkPages(facts),
      checkClock(facts.now - (before + Date.now()) / 2),
      checkConnections(config, await readAllowance(connection)),
      checkRights(facts),
      checkExtensions(facts),
      checkMigrations(pending),
      ...(pending.length === 0 ? await checkContent(config, database) : []),
    ]
  } finally {
    await database.close()
  }
}

/**
 * Checks the content. Ends with the first check that fails to run: an unreachable node of a distributed database fails
 * each check that reads every company, and each after a timeout.
 */
async function checkContent(config: Config, database: Database): Promise<Check[]> {
  const parts: { name: string; check: () => Promise<Check | Check[]> }[] = [
    { name: 'distribution', check: () => checkDistribution(database) },
    { name: 'seal', check: () => checkSeal(config, database) },
    { name: 'demo', check: () => checkDemo(config, database) },
    { name: 'accounts', check: () => checkAddresses(database) },
    { name: 'equal', check: () => checkEqual(database) },
    { name: 'changes', check: () => checkChanges(database) },
    { name: 'webhooks', check: () => checkWebhooks(config, database) },
    { name: 'erased', check: () => checkErased(config, database) },
  ]
  const checks: Check[] = []
  for (const { name, check } of parts) {
    try {
      checks.push(...[await check()].flat())
    } catch (error) {
      return [...checks, failCheck(name, mistakeIn(error))]
    }
  }
  return checks
}

function checkVersion({ version, version_number, encoding, read_only }: ServerFacts, databaseIs: string): Check {
  const says = `PostgreSQL ${version}, ${databaseIs}`
  if (version_number < versionMin) return failCheck('database', `${says}: use PostgreSQL 15 or later.`)
  if (encoding !== 'UTF8')
    return failCheck('database', `${says}, has the encoding ${encoding}: use a database with the encoding UTF8.`)
  if (read_only) return failCheck('database', `${says}, takes no writes: set DATABASE_URL to the primary server.`)
  return passCheck('database', says)
}

function checkDurability({ fsync, full_page_writes, synchronous_commit }: ServerFacts): Check {
  const all = { fsync, full_page_writes, synchronous_commit }
  const off = Object.entries(all).flatMap(([name, value]) => (value === 'off' ? [name] : []))
  if (off.length === 0) return passCheck('durability', 'fsync, full_page_writes and synchronous_commit are on')
  return failCheck(
    'durability',
    `what was answered may be lost in a crash: set ${off.map((name) => `${name} = on`).join(', ')} in the database.`,
  )
}

/** Checks page checksums. PostgreSQL refuses to read a page that the disk has changed, and counts such reads. */
function checkPages({ checksums, damaged, damaged_at }: ServerFacts): Check {
  if (!checksums)
    return warnCheck(
      'pages',
      'they have no checksums, so nobody would notice a page that the disk has changed: stop the database and run "pg_checksums --enable".',
    )
  if (damaged === 0) return passCheck('pages', 'every page that was read has its checksum')
  return failCheck(
    'pages',
    `PostgreSQL refused a page with a wrong checksum ${damaged} times, last at ${damaged_at?.toISOString()}, and no answer has its data: see the log of PostgreSQL for the file, check the disk, and restore a backup.`,
  )
}

function checkClock(ahead: number): Check {
  const seconds = `${(Math.abs(ahead) / 1000).toFixed(1)} s`
  if (Math.abs(ahead) <= clockDifferenceMillisecondsMax)
    return passCheck('clock', `${seconds} from the clock of the database`)
  return failCheck('clock', `the clock here and that of the database are ${seconds} apart: set both by NTP.`)
}

function checkConnections(config: Config, allowance: Allowance): Check {
  const { sentence, connectionsMax, isTooFew } = fitConnections(config, allowance)
  if (sentence === null)
    return passCheck('connections', `up to ${connectionsMax} of the ${allowance.most} that the database gives`)
  return isTooFew ? failCheck('connections', sentence) : warnCheck('connections', sentence)
}

/** Checks that the user may create tables, which migrations do. */
function checkRights({ schema, may_create }: ServerFacts): Check {
  if (may_create) return passCheck('rights', `the user may create tables in the schema "${schema}"`)
  return failCheck('rights', mayNotCreate(schema ?? 'public'))
}

function checkExtensions({ extensions }: ServerFacts): Check {
  const missing = extensionsNeeded.filter((name) => !extensions.includes(name))
  if (missing.length === 0) return passCheck('extensions', extensionsNeeded.join(', '))
  return failCheck(
    'extensions',
    `the database lacks ${missing.join(', ')}: install PostgreSQL’s contrib package on its machine.`,
  )
}

function checkMigrations(pending: readonly string[]): Check {
  if (pending.length === 0) return passCheck('migrations', 'all are applied')
  return failCheck('migrations', `${pending.join(', ')} not applied yet: run "plumbline migrate".`)
}

/** Checks that the key opens the sealed tokens. With another key the service runs, but no token can be shown. */
async function checkSeal(config: Config, database: Database): Promise<Check[]> {
  const [token] = await database.read<{ company_id: number; id: number; sealed: Buffer }>(newestSealed())
  if (!token) return []
  try {
    await openSealed(sealingKeysThere(config), token.sealed, sealedToken.boundTo(token.company_id, token.id))
    return [passCheck('seal', 'the key opens the tokens')]
  } catch {
    return [
      failCheck(
        'seal',
        'the key does not open the tokens: set the PLUMBLINE_SECRET they were issued with, or rotate them.',
      ),
    ]
  }
}

/** Checks for a transaction that is left open: it holds back the feed of changes of every company. */
async function checkChanges(database: Database): Promise<Check> {
  const { seconds, holder } = await horizon(database)
  if (seconds < heldSecondsMax) return passCheck('changes', 'no open transaction holds back /v1/changes')
  return warnCheck(
    'changes',
    `${holder} is open for ${Math.round(seconds)} s and holds back /v1/changes: end it, or the program behind it.`,
  )
}

/** Checks for undelivered changes. A turn that stored nothing for half of its claim hangs: a request takes a third. */
async function checkWebhooks(config: Config, database: Database): Promise<Check> {
  const lease = leaseSeconds({ config })
  const { well: sending, failing, given_up, resync, unanswered, failing_seconds } = await howWebhooksDo(database)
  const [claims] = await database.read<ClaimFigures>(claimFigures(lease, lease / 2))
  const { in_force: turns, silent, silent_seconds } = claims as ClaimFigures
  const ills = [
    ...(failing > 0 ? [`${failing} that fail, one for ${Math.ceil(failing_seconds / 60)} min`] : []),
    ...(silent > 0
      ? [
          `${silent} whose turn hangs, one for ${Math.ceil(silent_seconds)} s (it is ended after ${lease} s, and the log names it)`,
        ]
      : []),
    ...(given_up > 0 ? [`${given_up} that the service has given up`] : []),
    ...(resync > 0 ? [`${resync} that need a new start`] : []),
    ...(unanswered > 0 ? [`${unanswered} for which no account answers`] : []),
  ]
  if (ills.length === 0)
    return passCheck(
      'webhooks',
      sending === 0
        ? 'there are none that send'
        : `${sending} that do well${turns > 0 ? `, ${turns} with a turn` : ''}`,
    )
  return warnCheck('webhooks', `${ills.join(', ')}: "plumbline webhooks list --company <id>" says which, and why.`)
}

/** Checks for enabled demo accounts, with a published password or a generated one. */
async function checkDemo(config: Config, database: Database): Promise<Check> {
  const open = (await database.read<DemoAccountRow>(demoAccounts())).filter(({ disabled }) => !disabled)
  const published = await withPublishedPassword(open)
  if (published.length > 0) {
    return failCheck(
      'demo',
      `the password of ${published.map(({ email }) => inLine(email)).join(', ')} is published in the sources: start the service, which replaces it.`,
    )
  }
  if (open.length === 0) return passCheck('demo', 'no account of the demo is enabled')
  const says = `${formatCount(open.length, 'account')} of the demo can sign in with the passwords that "serve" prints`
  if (!isReachable(config)) return passCheck('demo', says)
  return warnCheck('demo', `${says}: set PLUMBLINE_DEMO=off to disable them, or give "plumbline demo remove".`)
}

const twinsNamedMax = 20

/** Checks for accounts of a company whose addresses are equal since an upgrade. */
async function checkAddresses(database: Database): Promise<Check> {
  const rows = await database.read<TwinsRow>(accountsOfOneAddress(twinsNamedMax))
  if (rows.length === 0) return passCheck('accounts', 'no two of a company have the same e-mail address')
  const named = rows.map(({ company_id, ids }) => `${ids.join(' and ')} of company ${company_id}`).join('; ')
  return warnCheck(
    'accounts',
    `the addresses of ${named} are equal but for characters that nobody sees: give all but one another address in Settings, Accounts.`,
  )
}

/** Checks that all persons in the files of erased persons are erased, because a restore brings a person back. */
async function checkErased(config: Config, database: Database): Promise<Check[]> {
  const checks: Check[] = []
  for (const file of erasedPersonsFiles(config)) {
    const read = await readErased(file)
    if (read === null) continue
    const states = await Promise.all(read.persons.map((person) => stateOf({ database }, person)))
    const back = states.filter((state) => state !== 'is erased' && state !== 'is not there').length
    const says = `${formatCount(read.persons.length, 'person')} in ${file}`
    if (back === 0) checks.push(passCheck('erased', `${says}, all of them erased`))
    else
      checks.push(
        warnCheck('erased', `${says}, of whom ${back} are not erased: give "plumbline person erase --from ${file}".`),
      )
  }
  return checks
}
