import type { TokenOptions, Token as TokenShown } from '#derive/console/responses.ts'
import { scopes as allScopes, permission } from '#registry/permissions.ts'
import { registry } from '#registry/resources/index.ts'
import { lastUse } from '#sql/system/calls.ts'
import { baseOf } from '../http/base.ts'
import { listAccounts } from '../service/account.ts'
import type { Session } from '../service/session.ts'
import {
  allowAddresses,
  changeToken,
  issueToken,
  lackedForToken,
  needToken,
  presentToken,
  revokeToken,
  rotateToken,
  showToken,
  type Token,
} from '../service/token.ts'
import type { Transaction } from '../store/database.ts'
import { type ChangeOptions, type Handlers, type OperationRequest, revocation } from './operation-request.ts'
import { readMoment } from './read-parameters.ts'
import { confirmedBody } from './sessions.ts'

/** Settings, API: the company's one token. Showing, replacing or revoking it needs one's own password again. */

export const token = {
  'token.show': (asked) => readTokenText(asked, showToken, { mayReplay }),

  'token.rotate': (asked) => readTokenText(asked, rotateToken, { ...revocation, mayReplay }),

  async 'token.revoke'(asked) {
    await confirmedBody(asked)
    return asked.change(async (transaction, { actor }) => {
      await revokeToken(transaction, actor)
      return { data: { revoked: true } }
    }, revocation)
  },

  'token.fetch': ({ read, session }) =>
    read(async (transaction, companyId) => {
      const token = await presentToken(transaction, companyId)
      return { data: token ? await readTokenPage(transaction, session(), token) : null }
    }),

  async 'token.issue'(asked) {
    const { account_id, ...wanted } = await confirmedBody(asked)
    return asked.change(
      async (transaction, { actor, row }) => {
        const { token } = await issueToken(transaction, actor, asked.app.secret, {
          label: wanted.label,
          scopes: wanted.scopes,
          allowlist: wanted.allowlist ?? [],
          expiresAt: wanted.expires_at === undefined ? null : readMoment('expires_at', wanted.expires_at),
          accountId: account_id ?? row.account_id,
          issuerHolds: row.permissions,
        })
        return { data: { token } }
      },
      { ...revocation, mayReplay },
    )
  },

  async 'token.allow'(asked) {
    const { allowlist } = await confirmedBody(asked)
    return asked.change(async (transaction, session) => {
      const { actor, row } = session
      const allowed = await allowAddresses(transaction, actor, allowlist, row.permissions)
      return { data: await readTokenPage(transaction, session, allowed) }
    }, revocation)
  },

  async 'token.change'(asked) {
    const wanted = await confirmedBody(asked)
    return asked.change(async (transaction, session) => {
      const { actor, row } = session
      const changed = await changeToken(transaction, actor, wanted, row.permissions)
      return { data: await readTokenPage(transaction, session, changed) }
    }, revocation)
  },

  async 'token.options'({ app, request, session }) {
    const base = baseOf(app.config, request)
    return { data: { scopes: grantable(session()), base_url: base, curl: curl(base) } }
  },
} satisfies Partial<Handlers>

async function readTokenText(
  asked: OperationRequest<'token.show' | 'token.rotate'>,
  read: typeof showToken,
  options: ChangeOptions = {},
) {
  await confirmedBody(asked)
  return asked.change(async (transaction, { actor, row }) => {
    const { token } = await read(transaction, actor, asked.app.secret, row.permissions)
    return { data: { token } }
  }, options)
}

const receiverOf = ({ actor, row }: Session) => ({ accountId: actor.accountId, holds: row.permissions })

/** Throws if a retry may not be shown the text. If the token was replaced meanwhile, the stored text opens nothing. */
const mayReplay: NonNullable<ChangeOptions['mayReplay']> = (transaction, session) =>
  needToken(transaction, session.actor.companyId, receiverOf(session))

async function readTokenPage(transaction: Transaction, session: Session, token: Token): Promise<TokenShown> {
  const { companyId } = session.actor
  const accounts = await listAccounts(transaction, companyId)
  const [last] = await transaction.run<{ at: string; peer: string | null }>(
    lastUse(companyId, token.id, token.created_at),
  )
  const { id, label, scopes, allowlist, account_id, issued_by, created_at, expires_at } = token
  const named = (id: number) => ({ id, name: accounts.find((one) => one.id === id)?.name })
  return {
    id,
    label,
    scopes,
    allowlist,
    account: named(account_id),
    issued_by: issued_by === null ? null : named(issued_by),
    created_at: created_at.toISOString(),
    expires_at: expires_at?.toISOString() ?? null,
    last_used_at: last?.at ?? null,
    last_peer: last?.peer ?? null,
    lacking: await lackedForToken(transaction, companyId, receiverOf(session)),
  }
}

/** Returns the matrix of resources and actions. Only held permissions can be granted. */
const grantable = ({ row }: Session): TokenOptions['scopes'] =>
  registry
    .flatMap(({ name }) => (['VIEW', 'EDIT', 'DELETE'] as const).map((action) => ({ records: name, action })))
    .map(({ records, action }) => ({ scope: permission(records, action), records, action }))
    .filter(({ scope }) => allScopes.includes(scope))
    .map((entry) => ({ ...entry, held: row.permissions.includes(entry.scope) }))

const curl = (base: string): string => `curl -H "Authorization: Bearer $PLUMBLINE_TOKEN" "${base}/v1/projects?limit=5"`
