import { invalidField, Refusal } from '#registry/refusals.ts'
import type { RequestOrigin } from '#sql/author.ts'
import type { SessionOrigin } from '#sql/system/sessions.ts'
import {
  type CandidateRow,
  candidatesFor,
  passwordOf,
  type SignInChoice,
  signInAccountsMax,
} from '#sql/system/sign-in.ts'
import { networkOf } from '../fair/shares.ts'
import type { Database } from '../store/database.ts'
import { type CountedSubject, count, countOrRefuse, forget, runCounted, subjectOf, takeBack } from './attempts.ts'
import { auditFailedSignIn, auditSessions } from './audit-log.ts'
import { addDevice, type Device, isOf, type Keys, readDevices } from './device.ts'
import type { PasswordQueue, QueueOrigin } from './password.ts'
import { beginSession, type Session, signedInAs } from './session.ts'

export type SignIn = {
  email: string
  password: string
  /** The chosen one of several accounts, or the company whose account is meant. */
  choice: SignInChoice
  /** The address that attempts are counted for, which a trusted proxy may have forwarded. */
  peer: string | undefined
  /** The text with the devices of the browser. */
  devices: string | undefined
  origin: SessionOrigin
  /** The origin for the audit log. */
  from: RequestOrigin
}

/** A session and the new devices of its browser; or the choice, if the password is right for several accounts. */
export type SignInResult =
  | { session: string; devices: string; companyId: number; accountId: number }
  | { choose: { account_id: number; name: string; company: { id: number; name: string } }[] }

type Candidate = CandidateRow & { company_id: number }
type SignInContext = {
  database: Database
  passwords: PasswordQueue
  keys: Keys
  now: Date
  /** Runs work beside the answer, whose duration would otherwise reveal whether an account has the address. */
  beside(work: () => Promise<void>): void
}

/** Longer than any address, and quick to compare. */
const emailLengthMax = 512

/**
 * Signs an account in. An unknown address, a disabled account, one without a password, and a wrong password take the
 * same steps and time, and get the same answer. So do an address of one account, of several, and of a company without
 * an account of it.
 */
export async function signIn(means: SignInContext, given: SignIn): Promise<SignInResult> {
  const { database, passwords, keys, now, beside } = means
  const email = given.email.trim().slice(0, emailLengthMax)
  const rows = await database.read<CandidateRow>(candidatesFor(email, given.choice))
  const candidates = rows.filter((row): row is Candidate => row.company_id !== null)
  const devices = readDevices(keys, given.devices, now)
  const network = networkOf(given.peer?.toLowerCase())

  const { subject, of_address } = rows[0] as CandidateRow
  const { tries, compared, isKnown } = await admit(database, {
    candidates,
    ofAddress: of_address,
    devices,
    stranger: [{ subject }, { subject: subjectOf('peer', network), ofPeer: true }],
  })
  const hashes = compared.map((row) => row.password_hash)
  const from: QueueOrigin = isKnown ? 'known' : { stranger: network }
  const counted = tries.flatMap((one) => one.counted)
  const right = await runCounted(database, counted, () =>
    passwords.matches(given.password, hashes, signInAccountsMax(given.choice), from),
  )
  const [own, ...others] = compared.filter((_, index) => right[index])
  if (!own) {
    beside(() => noteFailures(database, compared, given.from))
    throw createWrongPassword(given.choice)
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
  // The password was changed, or the account disabled, during the comparison.
  if (session === undefined) {
    beside(() => noteFailures(database, [own], given.from))
    throw createWrongPassword(given.choice)
  }
  return { session, devices: addDevice(keys, devices, account, now), ...account }
}

/** The subjects of an attempt, and the number of accounts whose password attempts with these subjects could find. */
type SignInTry = { counted: readonly CountedSubject[]; at: readonly Candidate[]; accounts: number }
type SignInSubjects = {
  candidates: readonly Candidate[]
  /** The number of accounts of the address, also those that were not chosen. */
  ofAddress: number
  devices: readonly Device[]
  stranger: readonly CountedSubject[]
}

/**
 * Counts the attempt. A device is counted by itself for the accounts that have signed in on it. For all others the
 * caller is a stranger. If strangers have used up their attempts, these accounts are left out.
 */
async function admit(database: Database, { candidates, ofAddress, devices, stranger }: SignInSubjects) {
  const deviceOf = (row: Candidate) => devices.find((device) => isOf(device, accountOf(row)))
  const known = candidates.filter((row) => deviceOf(row) !== undefined)
  const device = known.map(deviceOf)[0]
  const asStranger: SignInTry = { counted: stranger, at: candidates, accounts: ofAddress }
  if (!device) {
    await countOrRefuse(database, stranger)
    return { tries: [asStranger], compared: candidates, isKnown: false }
  }
  const asDevice: SignInTry = {
    counted: [{ subject: subjectOf('device', device.id) }],
    at: known,
    accounts: known.length,
  }
  await countOrRefuse(database, asDevice.counted)
  if (known.length === candidates.length || (await count(database, stranger)) > 0) {
    return { tries: [asDevice], compared: known, isKnown: true }
  }
  return { tries: [asDevice, asStranger], compared: candidates, isKnown: true }
}

/** Deletes attempts if the password was right for every account: else the owner of one could clear another's. */
async function settle(database: Database, tries: readonly SignInTry[], right: readonly Candidate[]): Promise<void> {
  for (const { counted, at, accounts } of tries) {
    if (at.filter((row) => right.includes(row)).length === accounts) await forget(database, counted)
    else await takeBack(database, counted)
  }
}

/** Logs a failure for each account whose password was compared. There are no more rows than allowed attempts. */
async function noteFailures(database: Database, tried: readonly Candidate[], from: RequestOrigin): Promise<void> {
  for (const { companyId, accountId } of tried.map(accountOf)) {
    const author = signedInAs({ companyId, accountId: null }, from)
    await database.transaction((transaction) => auditFailedSignIn(transaction, author, accountId))
  }
}

/** Checks the password of a signed-in account. Failures count per account, so a stolen session cannot guess. */
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

const createWrongPassword = ({ companyId }: SignInChoice): Refusal =>
  new Refusal('unauthorized', {
    detail: companyId === null ? 'E-mail or password is wrong.' : 'E-mail, password or number of the company is wrong.',
  })
