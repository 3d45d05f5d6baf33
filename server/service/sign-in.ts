import { invalidField, Refusal } from '#registry/refusals.ts'
import type { RequestOrigin } from '#sql/author.ts'
import { type CandidateRow, candidatesFor, passwordOf, signInAccountsMax } from '#sql/system/sign-in.ts'
import { networkOf } from '../fair/shares.ts'
import type { Database } from '../store/database.ts'
import { type CountedSubject, count, countOrRefuse, forget, runCounted, subjectOf, takeBack } from './attempts.ts'
import { auditFailedSignIn, auditSessions } from './audit-log.ts'
import { addDevice, type Device, isOf, type Keys, readDevices } from './device.ts'
import type { PasswordQueue, QueueOrigin } from './password.ts'
import { beginSession, type Origin, type Session, signedInAs } from './session.ts'

export type SignIn = {
  email: string
  password: string
  /** Which of several accounts, where somebody has chosen one. */
  accountId: number | undefined
  /** The address that attempts are counted for, which a trusted proxy may have told. */
  peer: string | undefined
  /** What the browser keeps of the devices it is. */
  devices: string | undefined
  origin: Origin
  /** For the audit. */
  from: RequestOrigin
}

/** A session and the devices of its browser from now on; or, where the password is right for several, the choice. */
export type SignInResult =
  | { session: string; devices: string; companyId: number; accountId: number }
  | { choose: { account_id: number; name: string; company: { id: number; name: string } }[] }

type Candidate = CandidateRow & { company_id: number }
type SignInContext = {
  database: Database
  passwords: PasswordQueue
  keys: Keys
  now: Date
  /** Does beside the answer what would tell, by the time it takes, whether somebody has the address. */
  beside(work: () => Promise<void>): void
}

/** Longer than any address, and no work to compare. */
const emailLengthMax = 512

/**
 * Signs somebody in. An address that nobody has, an account that is disabled or has no password, and a wrong password
 * take the same way, as long, and get the same answer; so do an address of one account and one of several.
 */
export async function signIn(means: SignInContext, given: SignIn): Promise<SignInResult> {
  const { database, passwords, keys, now, beside } = means
  const email = given.email.trim().slice(0, emailLengthMax)
  const rows = await database.read<CandidateRow>(candidatesFor(email, given.accountId ?? null))
  const candidates = rows.filter((row): row is Candidate => row.company_id !== null)
  const devices = readDevices(keys, given.devices, now)
  const network = networkOf(given.peer?.toLowerCase())

  const { tries, compared, isKnown } = await admit(database, {
    candidates,
    devices,
    stranger: [{ subject: (rows[0] as CandidateRow).subject }, { subject: subjectOf('peer', network), ofPeer: true }],
  })
  const hashes = compared.map((row) => row.password_hash)
  const from: QueueOrigin = isKnown ? 'known' : { stranger: network }
  const counted = tries.flatMap((one) => one.counted)
  const right = await runCounted(database, counted, () =>
    passwords.matches(given.password, hashes, signInAccountsMax, from),
  )
  const [own, ...others] = compared.filter((_, index) => right[index])
  if (!own) {
    beside(() => noteFailures(database, compared, given.from))
    throw createWrongPassword()
  }
  await settle(database, tries, [own, ...others])
  if (others.length > 0) return { choose: [own, ...others].map(choiceOf) }

  const account = accountOf(own)
  const session = await database.transaction(async (transaction) => {
    const begun = await beginSession(transaction, account, given.origin, own.password_hash)
    if (!begun) return undefined
    const { accountId } = account
    const signedIn = { accountId, action: 'signed_in', began: [begun.id] }
    await auditSessions(transaction, signedInAs(account, given.from), signedIn)
    return begun.text
  })
  // The password was changed, or the account disabled, while it was compared.
  if (session === undefined) {
    beside(() => noteFailures(database, [own], given.from))
    throw createWrongPassword()
  }
  return { session, devices: addDevice(keys, devices, account, now), ...account }
}

/** What a try is counted for, and the accounts whose password it could find. */
type SignInTry = { counted: readonly CountedSubject[]; at: readonly Candidate[] }
type AdmittedTries = { tries: SignInTry[]; compared: readonly Candidate[]; isKnown: boolean }
type SignInSubjects = {
  candidates: readonly Candidate[]
  devices: readonly Device[]
  stranger: readonly CountedSubject[]
}

/**
 * Counts the try. A device is counted by itself as far as the accounts go that have been signed in to from it; for all
 * others the one who asks is a stranger, and where strangers have used up their tries, these are left out.
 */
async function admit(database: Database, { candidates, devices, stranger }: SignInSubjects): Promise<AdmittedTries> {
  const deviceOf = (row: Candidate) => devices.find((device) => isOf(device, accountOf(row)))
  const known = candidates.filter((row) => deviceOf(row) !== undefined)
  const device = known.map(deviceOf)[0]
  const asStranger: SignInTry = { counted: stranger, at: candidates }
  if (!device) {
    await countOrRefuse(database, stranger)
    return { tries: [asStranger], compared: candidates, isKnown: false }
  }
  const asDevice: SignInTry = { counted: [{ subject: subjectOf('device', device.id) }], at: known }
  await countOrRefuse(database, asDevice.counted)
  if (known.length === candidates.length || (await count(database, stranger)) > 0) {
    return { tries: [asDevice], compared: known, isKnown: true }
  }
  return { tries: [asDevice, asStranger], compared: candidates, isKnown: true }
}

/**
 * Tries are forgotten when the password was right wherever they could have found one. The owner of one account of an
 * address could otherwise wipe out what he tried at another.
 */
async function settle(database: Database, tries: readonly SignInTry[], right: readonly Candidate[]): Promise<void> {
  for (const { counted, at } of tries) {
    if (at.every((row) => right.includes(row))) await forget(database, counted)
    else await takeBack(database, counted)
  }
}

/** A row for each account whose password was tried: no more of them than tries are let in. */
async function noteFailures(database: Database, tried: readonly Candidate[], from: RequestOrigin): Promise<void> {
  for (const { companyId, accountId } of tried.map(accountOf)) {
    const author = signedInAs({ companyId, accountId: null }, from)
    await database.transaction((transaction) => auditFailedSignIn(transaction, author, accountId))
  }
}

/** Anyone who is signed in shows once more that it is he. Counted by the account: a session is no licence to guess. */
export async function confirmPassword(
  database: Database,
  passwords: PasswordQueue,
  { actor: { companyId }, row: { account_id: accountId } }: Session,
  password: string,
  field = 'password',
): Promise<void> {
  const counted: CountedSubject[] = [{ subject: subjectOf('account', `${companyId}:${accountId}`) }]
  await countOrRefuse(database, counted)
  const [found] = await database.read<{ password_hash: string | null }>(passwordOf(companyId, accountId))
  const hash = found?.password_hash ?? null
  if (hash === null || !(await runCounted(database, counted, () => passwords.isRight(password, hash)))) {
    throw invalidField(field, 'wrong_password', 'is not the password of your account')
  }
  await forget(database, counted)
}

const accountOf = ({ company_id: companyId, id: accountId }: Candidate) => ({ companyId, accountId })

const choiceOf = ({ id, name, company_id, company_name }: Candidate) => ({
  account_id: id,
  name,
  company: { id: company_id, name: company_name },
})

const createWrongPassword = (): Refusal => new Refusal('unauthorized', { detail: 'E-mail or password is wrong.' })
