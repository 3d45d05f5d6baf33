import type { TokenOptions, Token as TokenShown } from '#derive/console/answers.ts'
import { type Action, scopes as allScopes, permission } from '#registry/permissions.ts'
import { registry } from '#registry/resources/index.ts'
import { lastUse } from '#sql/system/calls.ts'
import { baseOf } from '../http/base.ts'
import { listAccounts } from '../service/account.ts'
import type { Session } from '../service/session.ts'
import { confirmPassword } from '../service/sign-in.ts'
import {
  allowAddresses,
  issueToken,
  presentToken,
  revokeToken,
  rotateToken,
  showToken,
  type Token,
} from '../service/token.ts'
import type { Transaction } from '../store/database.ts'
import type { Admitted, Asked, Done } from './asked.ts'

/** Settings, API: the company's one token. Whatever shows, replaces or frees it asks for one's own password again. */

export const show = showing(showToken)
export const rotate = showing(rotateToken)

export const revoke = afterPassword<'token.revoke'>(async ({ change }) => {
  await change((transaction, { actor }) => revokeToken(transaction, actor))
  return { data: { revoked: true } }
})

function showing(read: typeof showToken) {
  return afterPassword<'token.show'>(async ({ app, change }) => {
    const { token } = await change((transaction, { actor, row }) =>
      read(transaction, actor, app.secret, row.permissions),
    )
    return { data: { token } }
  })
}

type Confirmed = 'token.show' | 'token.rotate' | 'token.revoke'

function afterPassword<Name extends Confirmed>(then: (asked: Admitted) => Promise<Done<Name>>) {
  return async (asked: Asked<Confirmed>) => {
    const { password } = await asked.body()
    await confirmPassword(asked.app.database, asked.passwords, asked.session(), password)
    return then(asked)
  }
}

export async function fetch({ app, session }: Asked<'token.fetch'>) {
  const { companyId } = session().actor
  const data = await app.database.transaction(async (transaction) => {
    const token = await presentToken(transaction, companyId)
    return token ? shown(transaction, companyId, token) : null
  })
  return { data }
}

async function shown(transaction: Transaction, companyId: number, token: Token): Promise<TokenShown> {
  const accounts = await listAccounts(transaction, companyId)
  const [last] = await transaction.run<{ at: string; peer: string | null }>(
    lastUse(companyId, token.id, token.created_at),
  )
  const { id, label, scopes, allowlist, account_id, issued_by, created_at } = token
  const named = (id: number) => ({ id, name: accounts.find((one) => one.id === id)?.name })
  return {
    id,
    label,
    scopes,
    allowlist,
    account: named(account_id),
    issued_by: issued_by === null ? null : named(issued_by),
    created_at: created_at.toISOString(),
    last_used_at: last?.at ?? null,
    last_peer: last?.peer ?? null,
  }
}

export async function issue({ app, passwords, session, body, change }: Asked<'token.issue'>) {
  const { password, account_id, ...wanted } = await body()
  await confirmPassword(app.database, passwords, session(), password)
  const { token } = await change((transaction, { actor, row }) =>
    issueToken(transaction, actor, app.secret, {
      label: wanted.label,
      scopes: wanted.scopes,
      allowlist: wanted.allowlist ?? [],
      accountId: account_id ?? row.account_id,
      issuerHolds: row.permissions,
    }),
  )
  return { data: { token } }
}

export async function allow({ app, passwords, session, body, change }: Asked<'token.allow'>) {
  const { allowlist, password } = await body()
  await confirmPassword(app.database, passwords, session(), password)
  const data = await change(async (transaction, { actor }) =>
    shown(transaction, actor.companyId, await allowAddresses(transaction, actor, allowlist)),
  )
  return { data }
}

export async function options({ app, request, session }: Asked<'token.options'>) {
  const base = baseOf(app.config, request)
  return { data: { scopes: grantable(session()), base_url: base, curl: curl(base) } }
}

/** The matrix of resources and actions; what is not held cannot be ticked. */
const grantable = ({ row }: Session): TokenOptions['scopes'] =>
  registry
    .flatMap(({ name }) => (['VIEW', 'EDIT', 'DELETE'] as Action[]).map((action) => ({ records: name, action })))
    .map(({ records, action }) => ({ scope: permission(records, action), records, action }))
    .filter(({ scope }) => allScopes.includes(scope))
    .map((entry) => ({ ...entry, held: row.permissions.includes(entry.scope) }))

const curl = (base: string): string => `curl -H "Authorization: Bearer $PLUMBLINE_TOKEN" "${base}/v1/projects?limit=5"`
