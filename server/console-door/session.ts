import { isObject } from '#registry/json.ts'
import type { SessionRow } from '#sql/system/sessions.ts'
import { setAccount } from '../service/account.ts'
import { noteAccount } from '../service/office-note.ts'
import { endSession, type Session, seeLiveSession } from '../service/session.ts'
import { confirmPassword, signIn } from '../service/sign-in.ts'
import type { Asked, ConsoleReply, ConsoleRoute } from './asked.ts'
import { countedPeer } from './client.ts'
import { needsPassword } from './own-password.ts'
import { readParameters } from './paging.ts'
import { readMembers } from './read-members.ts'
import { nothing, ok } from './reply.ts'
import { originOf, renewSession } from './sessions.ts'
import { signInLine } from './sign-in-line.ts'

/** Signing in and out, and one's own account. */
export const sessionRoutes: ConsoleRoute[] = [
  { id: 'session.begin', method: 'POST', path: '/console/session', needs: 'nobody', answer: begin },
  { id: 'session.end', method: 'DELETE', path: '/console/session', needs: 'nobody', answer: end },
  { id: 'me.fetch', method: 'GET', path: '/console/me', needs: 'session', answer: showMe },
  { id: 'me.update', method: 'PATCH', path: '/console/me', needs: 'session', answer: changeMe },
]

/** Always a new session; the one that the browser brought along, whoever gave it to him, is over. */
async function begin(asked: Asked): Promise<ConsoleReply> {
  const { world, desk, client, sessionText, devices } = asked
  const { email, password, account_id } = readMembers(await asked.body(), {
    email: 'text',
    password: 'text',
    account_id: 'id?',
  })
  const keys = await world.secret.all()
  const line = signInLine(asked, email, keys[0])
  const means = { database: world.database, desk, keys, now: world.clock.now() }
  const given = { email, password, accountId: account_id, peer: countedPeer(client), devices }
  const signedIn = await signIn(means, { ...given, origin: originOf(asked) }).catch((error: unknown) => {
    line.failed(error)
    throw error
  })
  if ('choose' in signedIn) return ok(signedIn)
  await endSession(world.database, sessionText)
  const session = await seeLiveSession(world.database, signedIn.session)
  line.succeeded(session)
  return { ...ok(me(session)), session: signedIn.session, devices: signedIn.devices }
}

/** Whoever is signed out already has what he wants. */
async function end({ world, sessionText }: Asked): Promise<ConsoleReply> {
  await endSession(world.database, sessionText)
  return { ...nothing(), session: null }
}

async function showMe(asked: Asked) {
  readParameters(asked, [])
  return ok(me(asked.session()))
}

/** Another address or password asks for the present one: a session that somebody found open is not an account. */
async function changeMe(asked: Asked): Promise<ConsoleReply> {
  const { world, desk, body, change } = asked
  const session = asked.session()
  const given = await body()
  const { password, ...rest } = isObject(given) ? given : { rest: given }
  const own = readMembers(isObject(given) ? rest : given, { name: 'text?', email: 'text?' })
  const secret =
    password === undefined ? undefined : readMembers(password, { current: 'text', next: 'text?' }, 'password.')
  if (secret) await confirmPassword(world.database, desk, session, secret.current, 'password.current')
  else if (own.email !== undefined && own.email !== session.row.email) throw needsPassword('password.current')

  const next = secret?.next
  const changed = await change(async (transaction, { key, actor, row }) => {
    const wanted = { ...own, ...(next === undefined ? {} : { password: next }) }
    const account = await setAccount(transaction, key.companyId, row.account_id, wanted, {
      hashing: desk.hash,
      passwordField: 'password.next',
    })
    await noteAccount(transaction, actor, accountOf(row), account, next !== undefined)
    return {
      me: me({ ...session, row: { ...row, account_name: account.name, email: account.email } }),
      ...(next === undefined ? {} : { session: await renewSession(transaction, asked) }),
    }
  })
  return { ...ok(changed.me), ...(changed.session === undefined ? {} : { session: changed.session }) }
}

const accountOf = ({ account_id, account_name, email, permissions }: SessionRow) => ({
  id: account_id,
  name: account_name,
  email,
  permissions,
  disabled: false,
  service: false,
})

/** What the app has to know of whoever is signed in. */
const me = ({ key, row }: Session) => ({
  account: { id: row.account_id, name: row.account_name, email: row.email, permissions: row.permissions },
  company: {
    id: key.companyId,
    name: row.company_name,
    currency: row.currency,
    plan: row.plan,
    add_ons: row.add_ons,
  },
  locale_hint: null,
})
