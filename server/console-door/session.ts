import type { SessionRow } from '#derive/queries/session.ts'
import { isObject } from '#registry/json.ts'
import { setAccount } from '../service/account.ts'
import { noteAccount } from '../service/office-note.ts'
import { endSession, type Session, seeLiveSession } from '../service/session.ts'
import { confirmPassword, signIn } from '../service/sign-in.ts'
import type { Asked, ConsoleReply, ConsoleRoute } from './asked.ts'
import { readParameters } from './paging.ts'
import { readMembers } from './read-members.ts'
import { nothing, ok } from './reply.ts'
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
  const { world, desk, body, peer, sessionText } = asked
  const { email, password } = readMembers(await body(), { email: 'text', password: 'text' })
  const line = signInLine(asked, email)
  const { text } = await signIn(world.database, desk, { email, password, peer }).catch((error: unknown) => {
    line.failed(error)
    throw error
  })
  await endSession(world.database, sessionText)
  const session = await seeLiveSession(world.database, text)
  line.succeeded(session)
  return { ...ok(me(session)), session: text }
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

async function changeMe({ world, desk, session, body, change }: Asked) {
  const given = await body()
  const { password, ...rest } = isObject(given) ? given : { rest: given }
  const own = readMembers(isObject(given) ? rest : given, { name: 'text?', email: 'text?' })
  const secret =
    password === undefined ? undefined : readMembers(password, { current: 'text', next: 'text' }, 'password.')
  if (secret) await confirmPassword(world.database, desk, session(), secret.current, 'password.current')

  const after = await change(async (transaction, { key, actor, row }) => {
    const wanted = { ...own, ...(secret ? { password: secret.next } : {}) }
    const account = await setAccount(transaction, key.companyId, row.account_id, wanted, {
      hashing: desk.hash,
      keep: key.idHash,
      passwordField: 'password.next',
    })
    await noteAccount(transaction, actor, accountOf(row), account, secret !== undefined)
    return { ...row, account_name: account.name, email: account.email }
  })
  return ok(me({ ...session(), row: after }))
}

const accountOf = ({ account_id, account_name, email, permissions }: SessionRow) => ({
  id: account_id,
  name: account_name,
  email,
  permissions,
  disabled: false,
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
