import type { JsonObject } from '#registry/json.ts'
import { batchBytesMax, batchValuesMax, bodyBytesMax, bodyValuesMax } from '#registry/limits.ts'
import type * as said from './answers.ts'
import type * as done from './done.ts'
import { type ConsoleOperation, type Data, type Members, of, type Shape } from './operation.ts'

const paging = ['limit', 'offset'] as const
const auditFilter = ['from', 'to', 'actor', 'action', 'records'] as const
const password = { password: 'text' } as const

/** The root of the operations. */
export const consoleRoot = '/console'

/** The operations of the console, under the root. They type the server's handlers and the client of the pages. */
export const consoleOperations = {
  'session.begin': {
    method: 'POST',
    path: '/session',
    needs: 'nobody',
    body: { email: 'text', password: 'text', account_id: 'id?' },
    data: of<said.Me | { choose: said.AccountChoice[] }>(),
  },
  'session.end': { method: 'DELETE', path: '/session', needs: 'nobody', success: 204 },
  'me.fetch': { method: 'GET', path: '/me', needs: 'session', data: of<said.Me>() },
  'me.update': {
    method: 'PATCH',
    path: '/me',
    needs: 'session',
    needsNoRoom: true,
    body: { name: 'text?', email: 'text?', password: { current: 'text', next: 'text?' } },
    data: of<said.Me>(),
  },

  'sessions.list': { method: 'GET', path: '/sessions', needs: 'session', data: of<said.OwnSession[]>() },
  'sessions.end-others': {
    method: 'DELETE',
    path: '/sessions',
    needs: 'session',
    needsNoRoom: true,
    data: of<{ ended: number }>(),
  },
  'sessions.end': {
    method: 'DELETE',
    path: '/sessions/{id}',
    needs: 'session',
    needsNoRoom: true,
    data: of<{ id: number; ended: true }>(),
  },

  'records.list': {
    method: 'GET',
    path: '/records/{records}',
    needs: { records: 'VIEW' },
    data: of<said.RecordShown[]>(),
  },
  'records.fetch': {
    method: 'GET',
    path: '/records/{records}/{id}',
    needs: { records: 'VIEW' },
    data: of<said.RecordShown>(),
  },
  'records.create': {
    method: 'POST',
    path: '/records/{records}',
    needs: { records: 'EDIT' },
    body: 'a record',
    success: 201,
    data: of<done.RecordCreated>(),
  },
  'records.update': {
    method: 'PATCH',
    path: '/records/{records}/{id}',
    needs: { records: 'EDIT' },
    body: 'a record',
    data: of<done.RecordUpdated>(),
  },
  'records.delete': {
    method: 'DELETE',
    path: '/records/{records}/{id}',
    needs: { records: 'DELETE' },
    data: of<done.RecordDeleted>(),
  },
  'records.export': { method: 'GET', path: '/records/{records}.csv', needs: { records: 'VIEW' } },
  'records.history': {
    method: 'GET',
    path: '/records/{records}/{id}/history',
    needs: { records: 'VIEW' },
    query: paging,
    data: of<said.HistoryEntry[]>(),
  },

  'records.look-up': {
    method: 'POST',
    path: '/imports/{records}/look-up',
    needs: { records: 'EDIT' },
    needsNoRoom: true,
    body: { field: 'text', values: 'texts' },
    bodyMax: { bytes: bodyBytesMax, values: bodyValuesMax },
    data: of<said.LookedUp[]>(),
  },
  'records.imports': {
    method: 'GET',
    path: '/imports/{records}',
    needs: { records: 'EDIT' },
    query: [],
    data: of<said.ImportShown[]>(),
  },
  'records.begin-import': {
    method: 'POST',
    path: '/imports/{records}',
    needs: { records: 'EDIT' },
    body: { file_name: 'text', fingerprint: 'text', settings: 'object', rows: 'count' },
    bodyMax: { bytes: 64 * 1024, values: 1000 },
    success: 201,
    data: of<{ write_id: string }>(),
  },
  'records.try-import': {
    method: 'POST',
    path: '/imports/{records}/try',
    needs: { records: 'EDIT' },
    body: { operations: 'objects' },
    bodyMax: { bytes: batchBytesMax, values: batchValuesMax },
    data: of<done.BatchDone>(),
  },
  'records.import': {
    method: 'POST',
    path: '/imports/{records}/{id}/batches',
    needs: { records: 'EDIT' },
    body: { from: 'count', to: 'count', operations: 'objects' },
    bodyMax: { bytes: batchBytesMax, values: batchValuesMax },
    data: of<done.BatchDone>(),
  },

  'removals.list': { method: 'GET', path: '/removals', needs: 'session', query: paging, data: of<said.Removal[]>() },
  'removals.restore': { method: 'POST', path: '/removals/{id}/restore', needs: 'session', data: of<done.Restored>() },

  'writes.undo': {
    method: 'POST',
    path: '/writes/{id}/undo',
    needs: 'session',
    query: ['dry_run'],
    data: of<done.WriteUndone>(),
  },

  home: { method: 'GET', path: '/home', needs: 'session', data: of<said.Morning>() },

  'token.fetch': { method: 'GET', path: '/token', needs: 'API_MANAGE', data: of<said.Token | null>() },
  'token.options': { method: 'GET', path: '/token/options', needs: 'API_MANAGE', data: of<said.TokenOptions>() },
  'token.issue': {
    method: 'POST',
    path: '/token',
    needs: 'API_MANAGE',
    body: {
      label: 'text',
      scopes: 'texts',
      allowlist: 'texts?',
      expires_at: 'text?',
      password: 'text',
      account_id: 'id?',
    },
    success: 201,
    showsSecret: true,
    data: of<said.TokenText>(),
  },
  'token.show': {
    method: 'POST',
    path: '/token/show',
    needs: 'API_MANAGE',
    body: password,
    showsSecret: true,
    data: of<said.TokenText>(),
  },
  'token.rotate': {
    method: 'POST',
    path: '/token/rotate',
    needs: 'API_MANAGE',
    needsNoRoom: true,
    body: password,
    showsSecret: true,
    data: of<said.TokenText>(),
  },
  'token.revoke': {
    method: 'POST',
    path: '/token/revoke',
    needs: 'API_MANAGE',
    needsNoRoom: true,
    body: password,
    data: of<{ revoked: true }>(),
  },
  'token.allow': {
    method: 'PUT',
    path: '/token/allowlist',
    needs: 'API_MANAGE',
    needsNoRoom: true,
    body: { allowlist: 'texts', password: 'text' },
    data: of<said.Token>(),
  },

  'token.change': {
    method: 'PATCH',
    path: '/token',
    needs: 'API_MANAGE',
    needsNoRoom: true,
    body: { label: 'text?', scopes: 'texts?', password: 'text' },
    data: of<said.Token>(),
  },
  'token.callers': { method: 'GET', path: '/token/callers', needs: 'API_MANAGE', data: of<said.TokenCaller[]>() },
  'token.dead': { method: 'GET', path: '/token/dead', needs: 'API_MANAGE', data: of<said.DeadIntegration[]>() },

  'calls.list': {
    method: 'GET',
    path: '/calls',
    needs: 'API_MANAGE',
    query: [...paging, 'status', 'code', 'route', 'outcome', 'about', 'peer', 'token', 'from', 'to'],
    data: of<said.Call[]>(),
  },
  'calls.fetch': { method: 'GET', path: '/calls/{id}', needs: 'API_MANAGE', data: of<said.CallOpened>() },
  'calls.dry-run': {
    method: 'POST',
    path: '/calls/{id}/dry-run',
    needs: 'API_MANAGE',
    data: of<said.Repeated>(),
  },
  'calls.failures': { method: 'GET', path: '/calls/failures', needs: 'API_MANAGE', data: of<said.Failure[]>() },
  'calls.details-switch': {
    method: 'GET',
    path: '/calls/details-switch',
    needs: 'API_MANAGE',
    data: of<said.CallDetailsSwitch>(),
  },
  'calls.switch-details': {
    method: 'PUT',
    path: '/calls/details-switch',
    needs: 'API_MANAGE',
    body: { keeps: 'flag' },
    data: of<said.CallDetailsSwitch>(),
  },
  usage: { method: 'GET', path: '/usage', needs: 'API_MANAGE', query: ['days'], data: of<said.Usage>() },

  'settings.history': {
    method: 'GET',
    path: '/settings/history',
    needs: 'session',
    query: paging,
    data: of<said.RecentEntry[]>(),
  },

  'audit.list': {
    method: 'GET',
    path: '/audit',
    needs: 'AUDIT_VIEW',
    query: [...paging, ...auditFilter],
    data: of<said.AuditEntry[]>(),
  },
  'audit.csv': { method: 'GET', path: '/audit.csv', needs: 'AUDIT_VIEW', query: auditFilter },
  'audit.json': { method: 'GET', path: '/audit.json', needs: 'AUDIT_VIEW', query: auditFilter },

  'webhooks.list': { method: 'GET', path: '/webhooks', needs: 'API_MANAGE', data: of<said.Webhook[]>() },
  'webhooks.troubles': {
    method: 'GET',
    path: '/webhooks/troubles',
    needs: 'API_MANAGE',
    data: of<said.WebhookTrouble[]>(),
  },
  'webhooks.create': {
    method: 'POST',
    path: '/webhooks',
    needs: 'API_MANAGE',
    body: { name: 'text', url: 'text', events: 'texts', payload: 'text', ordered: 'flag', password: 'text' },
    success: 201,
    showsSecret: true,
    data: of<said.WebhookWithSecret>(),
  },
  'webhooks.fetch': { method: 'GET', path: '/webhooks/{id}', needs: 'API_MANAGE', data: of<said.WebhookOpened>() },
  'webhooks.update': {
    method: 'PATCH',
    path: '/webhooks/{id}',
    needs: 'API_MANAGE',
    body: { name: 'text?', url: 'text?', events: 'texts?', payload: 'text?', ordered: 'flag?', password: 'text' },
    data: of<said.Webhook>(),
  },
  'webhooks.delete': {
    method: 'DELETE',
    path: '/webhooks/{id}',
    needs: 'API_MANAGE',
    data: of<{ id: number; deleted: true }>(),
  },
  'webhooks.rotate': {
    method: 'POST',
    path: '/webhooks/{id}/rotate',
    needs: 'API_MANAGE',
    body: password,
    showsSecret: true,
    data: of<said.WebhookWithSecret>(),
  },
  'webhooks.test': {
    method: 'POST',
    path: '/webhooks/{id}/test',
    needs: 'API_MANAGE',
    data: of<said.WebhookAttemptOpened>(),
  },
  'webhooks.enable': {
    method: 'POST',
    path: '/webhooks/{id}/enable',
    needs: 'API_MANAGE',
    body: password,
    data: of<said.Webhook>(),
  },
  'webhooks.disable': {
    method: 'POST',
    path: '/webhooks/{id}/disable',
    needs: 'API_MANAGE',
    needsNoRoom: true,
    data: of<said.Webhook>(),
  },
  'webhooks.replay': {
    method: 'POST',
    path: '/webhooks/{id}/replay',
    needs: 'API_MANAGE',
    body: { from: 'text', ...password },
    data: of<said.Webhook>(),
  },
  'webhooks.attempts': {
    method: 'GET',
    path: '/webhooks/{id}/attempts',
    needs: 'API_MANAGE',
    query: [...paging, 'failed'],
    data: of<said.WebhookAttempt[]>(),
  },
  'webhooks.history': {
    method: 'GET',
    path: '/webhooks/{id}/history',
    needs: 'API_MANAGE',
    query: paging,
    data: of<said.HistoryEntry[]>(),
  },
  'webhook-attempts.fetch': {
    method: 'GET',
    path: '/webhook-attempts/{id}',
    needs: 'API_MANAGE',
    data: of<said.WebhookAttemptOpened>(),
  },
  'webhook-attempts.send-again': {
    method: 'POST',
    path: '/webhook-attempts/{id}/send-again',
    needs: 'API_MANAGE',
    data: of<said.WebhookAttemptOpened>(),
  },

  'agents.fetch': { method: 'GET', path: '/agents', needs: 'API_MANAGE', data: of<said.Agents>() },
  'agents.update': {
    method: 'PUT',
    path: '/agents',
    needs: 'API_MANAGE',
    needsNoRoom: true,
    body: { enabled: 'flag', records_max: 'count', always: 'flag' },
    data: of<said.Agents>(),
  },

  'agents.waiting': { method: 'GET', path: '/agents/waiting', needs: 'session', data: of<said.AgentsWaiting>() },
  'agents.previews': { method: 'GET', path: '/agents/previews', needs: 'session', data: of<said.AgentPreview[]>() },
  'agents.preview': {
    method: 'GET',
    path: '/agents/previews/{id}',
    needs: 'session',
    data: of<said.AgentPreviewOpened>(),
  },
  'agents.approve': {
    method: 'POST',
    path: '/agents/previews/{id}/approve',
    needs: 'session',
    body: { hash: 'text' },
    data: of<said.AgentPreviewOpened>(),
  },
  'agents.decline': {
    method: 'POST',
    path: '/agents/previews/{id}/decline',
    needs: 'session',
    needsNoRoom: true,
    data: of<said.AgentPreviewOpened>(),
  },

  'accounts.list': { method: 'GET', path: '/accounts', needs: 'ACCOUNTS_MANAGE', data: of<said.Account[]>() },
  'accounts.create': {
    method: 'POST',
    path: '/accounts',
    needs: 'ACCOUNTS_MANAGE',
    body: { name: 'text', email: 'text', permissions: 'texts', password: 'text?' },
    success: 201,
    data: of<said.Account>(),
  },
  'accounts.fetch': { method: 'GET', path: '/accounts/{id}', needs: 'ACCOUNTS_MANAGE', data: of<said.Account>() },
  'accounts.update': {
    method: 'PATCH',
    path: '/accounts/{id}',
    needs: 'ACCOUNTS_MANAGE',
    needsNoRoom: true,
    body: {
      name: 'text?',
      email: 'text?',
      permissions: 'texts?',
      disabled: 'flag?',
      password: 'text?',
      own_password: 'text?',
    },
    data: of<said.Account>(),
  },

  'company.fetch': { method: 'GET', path: '/company', needs: 'COMPANY_MANAGE', data: of<said.CompanyOpened>() },
  'company.update': {
    method: 'PATCH',
    path: '/company',
    needs: 'COMPANY_MANAGE',
    body: { name: 'text?', currency: 'text?' },
    data: of<said.Company>(),
  },
} as const satisfies { readonly [name: string]: ConsoleOperation }

type Operations = typeof consoleOperations
export type ConsoleOperationName = keyof Operations

/** The data of an operation's response; undefined if it has none. */
export type AnswerOf<Name extends ConsoleOperationName> = Operations[Name] extends { data: Data<infer Type> }
  ? Exclude<Type, undefined>
  : undefined

/** The body of a response. A list adds which part of the whole it is. */
export type Answered<Data> = [Data] extends [readonly unknown[]] ? { data: Data; meta: said.Meta } : { data: Data }

/** The request body of an operation; undefined if it has none. */
export type BodyOf<Name extends ConsoleOperationName> = Operations[Name] extends infer Operation
  ? Operation extends { body: infer Body }
    ? Body extends Shape
      ? Members<Body>
      : JsonObject
    : undefined
  : never

/** The names of the query parameters. Those of records depend on their definition. */
export type QueryOf<Name extends ConsoleOperationName> = Operations[Name] extends { query: readonly (infer Known)[] }
  ? Known & string
  : Operations[Name] extends { needs: { records: unknown } }
    ? string
    : never

/** The parameters of the path. */
export type PathOf<Name extends ConsoleOperationName> = ParametersIn<Operations[Name]['path']>

type ParametersIn<Path extends string> = Path extends `${string}{${infer Parameter}}${infer Rest}`
  ? Parameter | ParametersIn<Rest>
  : never
