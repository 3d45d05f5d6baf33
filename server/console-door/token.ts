import { type Action, scopes as allScopes, permission } from '#registry/permissions.ts'
import { registry } from '#registry/records/index.ts'
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
import type { Asked, ConsoleRoute } from './asked.ts'
import { readParameters } from './paging.ts'
import { readMembers } from './read-members.ts'
import { created, ok } from './reply.ts'

/** Settings, API: the company's one token. Whatever shows, replaces or frees it asks for one's own password again. */
export const tokenRoutes: ConsoleRoute[] = [
  route('fetch', 'GET', '/console/token', present),
  route('options', 'GET', '/console/token/options', options),
  showing('issue', '/console/token', issue),
  showing(
    'show',
    '/console/token/show',
    afterPassword(async ({ world, change }) => {
      const { token } = await change((transaction, { actor, row }) =>
        showToken(transaction, actor, world.secret, row.permissions),
      )
      return ok({ token })
    }),
  ),
  showing(
    'rotate',
    '/console/token/rotate',
    afterPassword(async ({ world, change }) => {
      const { token } = await change((transaction, { actor, row }) =>
        rotateToken(transaction, actor, world.secret, row.permissions),
      )
      return ok({ token })
    }),
  ),
  route(
    'revoke',
    'POST',
    '/console/token/revoke',
    afterPassword(async ({ change }) => {
      await change((transaction, { actor }) => revokeToken(transaction, actor))
      return ok({ revoked: true })
    }),
  ),
  route('allow', 'PUT', '/console/token/allowlist', allow),
]

function route(
  name: string,
  method: ConsoleRoute['method'],
  path: string,
  answer: ConsoleRoute['answer'],
): ConsoleRoute {
  return { id: `token.${name}`, method, path, needs: 'API_MANAGE', answer }
}

/** What answers with the token's text. */
function showing(name: string, path: string, answer: ConsoleRoute['answer']): ConsoleRoute {
  return { ...route(name, 'POST', path, answer), showsToken: true }
}

function afterPassword(then: ConsoleRoute['answer']): ConsoleRoute['answer'] {
  return async (asked) => {
    const { password } = readMembers(await asked.body(), { password: 'text' })
    await confirmPassword(asked.world.database, asked.desk, asked.session(), password)
    return then(asked)
  }
}

async function present(asked: Asked) {
  readParameters(asked, [])
  const { companyId } = asked.session().actor
  return ok(
    await asked.world.database.transaction(async (transaction) => {
      const token = await presentToken(transaction, companyId)
      return token ? shown(transaction, companyId, token) : null
    }),
  )
}

async function shown(transaction: Transaction, companyId: number, token: Token) {
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

async function issue({ world, desk, session, body, change }: Asked) {
  const { password, account_id, ...wanted } = readMembers(await body(), {
    label: 'text',
    scopes: 'texts',
    allowlist: 'texts?',
    password: 'text',
    account_id: 'id?',
  })
  await confirmPassword(world.database, desk, session(), password)
  const { token } = await change((transaction, { actor, row }) =>
    issueToken(transaction, actor, world.secret, {
      label: wanted.label,
      scopes: wanted.scopes,
      allowlist: wanted.allowlist ?? [],
      accountId: account_id ?? row.account_id,
      issuerHolds: row.permissions,
    }),
  )
  return created({ token })
}

async function allow({ world, desk, session, body, change }: Asked) {
  const { allowlist, password } = readMembers(await body(), { allowlist: 'texts', password: 'text' })
  await confirmPassword(world.database, desk, session(), password)
  return ok(
    await change(async (transaction, { actor }) =>
      shown(transaction, actor.companyId, await allowAddresses(transaction, actor, allowlist)),
    ),
  )
}

async function options(asked: Asked) {
  readParameters(asked, [])
  const base = baseOf(asked.world.config, asked.request)
  return ok({ scopes: grantable(asked.session()), base_url: base, curl: curl(base) })
}

/** The matrix of resources and actions; what is not held cannot be ticked. */
const grantable = ({ row }: Session) =>
  registry
    .flatMap(({ name }) => (['VIEW', 'EDIT', 'DELETE'] as Action[]).map((action) => ({ records: name, action })))
    .map(({ records, action }) => ({ scope: permission(records, action), records, action }))
    .filter(({ scope }) => allScopes.includes(scope))
    .map((entry) => ({ ...entry, held: row.permissions.includes(entry.scope) }))

const curl = (base: string): string => `curl -H "Authorization: Bearer $PLUMBLINE_TOKEN" "${base}/v1/projects?limit=5"`
