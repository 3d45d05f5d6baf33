import { createHmac } from 'node:crypto'
import type { OwnAccount } from '#derive/console/responses.ts'
import { removeInvisible } from '#registry/invisible.ts'
import { Refusal } from '#registry/refusals.ts'
import { setAccount } from '../service/account.ts'
import { endSession, readLiveSession, type Session } from '../service/session.ts'
import { confirmPassword, signIn } from '../service/sign-in.ts'
import { countedPeer, requestOriginOf } from './client.ts'
import { type AdmittedRequest, type Handlers, revocation } from './operation-request.ts'
import { needsPassword, originOf, renewSession } from './sessions.ts'

/** Sign-in, sign-out, and one's own account. */

export const session = {
  /** Signs in, always with a new session. The session that the browser sent is ended, wherever it came from. */
  async 'session.begin'(request) {
    const { app, passwords, client, sessionText, devices } = request
    const { email, password, account_id, company_id } = await request.body()
    const keys = await app.secret.all()
    const line = signInLine(request, email, keys[0])
    const beside = (work: () => Promise<void>) => void app.inBackground('audit', work)
    const means = { database: app.database, passwords, keys, now: app.clock.now(), beside }
    const from = requestOriginOf(request)
    const choice = { accountId: account_id ?? null, companyId: company_id ?? null }
    const given = { email, password, choice, peer: countedPeer(client), devices, from }
    const signedIn = await signIn(means, { ...given, origin: originOf(request) }).catch((error: unknown) => {
      line.failed(error)
      throw error
    })
    if ('choose' in signedIn) return { data: signedIn }
    await endSession(app.database, sessionText, from)
    const session = await readLiveSession(app.database, signedIn.session)
    line.succeeded(session)
    return { data: me(session), session: signedIn.session, devices: signedIn.devices }
  },

  /** Signs out. A session that is over already is no error. */
  async 'session.end'(request) {
    await endSession(request.app.database, request.sessionText, requestOriginOf(request))
    return { data: undefined, session: null }
  },

  'me.fetch': async ({ session }) => ({ data: me(session()) }),

  /** Changes one's own account. Address and password need the current password: a session may be left open. */
  async 'me.update'(request) {
    const { app, passwords, body, change } = request
    const session = request.session()
    const { password: secret, ...own } = await body()
    if (secret) await confirmPassword(app.database, passwords, session, secret.current, 'password.current')
    else if (own.email !== undefined && own.email !== session.row.email) throw needsPassword('password.current')

    const next = secret?.next
    return change(async (transaction, { key, actor, row }) => {
      const wanted = { ...own, ...(next === undefined ? {} : { password: next }) }
      const account = await setAccount(transaction, key.companyId, row.account_id, wanted, {
        hashing: passwords.hash,
        publicUrl: app.config.publicUrl,
        passwordField: 'password.next',
        actor,
      })
      return {
        data: me({ ...session, row: { ...row, account_name: account.name, email: account.email } }),
        ...(next === undefined ? {} : { session: await renewSession(transaction, request) }),
      }
    }, revocation)
  },
} satisfies Partial<Handlers>

/** Returns the data of the signed-in account for the app. */
const me = ({ key, row }: Session): OwnAccount => ({
  account: { id: row.account_id, name: row.account_name, email: row.email, permissions: row.permissions },
  company: {
    id: key.companyId,
    name: row.company_name,
    currency: row.currency,
    plan: row.plan,
    add_ons: row.add_ons,
    time_zone: row.time_zone,
    country: row.country,
    payment_terms_days: row.payment_terms_days,
    valid_days: row.valid_days,
    tax_pct: row.tax_pct,
  },
  locale_hint: null,
})

/** Returns functions that log the result of a sign-in, with account and origin. Decisions, Console. */
function signInLine(
  { app: { log }, client: { peer, forwardedFor }, requestId }: AdmittedRequest,
  address: string,
  key: string,
) {
  const line = {
    ...{ request_id: requestId, peer: peer ?? null, address_key: addressKey(key, address) },
    ...(forwardedFor === null ? {} : { forwarded_for: forwardedFor }),
  }
  return {
    succeeded: ({ key, row }: Session): void =>
      log.info({ ...line, account_id: row.account_id, company_id: key.companyId }, 'signed in'),
    /** A fault has a line of its own. */
    failed: (error: unknown): void => {
      if (error instanceof Refusal) log.info({ ...line, code: error.code }, 'sign-in refused')
    },
  }
}

/** Returns one key for an address in any form of letters. Without the service's key it tells no address. */
function addressKey(key: string, address: string): string {
  const folded = removeInvisible(address).trim().normalize('NFKC').toLowerCase()
  return createHmac('sha256', key).update(`sign-in address:${folded}`).digest('hex').slice(0, 16)
}
