import type { JsonObject } from '#registry/json.ts'
import { batchBytesMax, batchValuesMax, bodyBytesMax, bodyValuesMax } from '#registry/limits.ts'
import { type ConsoleOperation, type Data, type Members, type Shape, typeMarker } from './operation.ts'
import type * as said from './responses.ts'
import type * as done from './results.ts'

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
    data: typeMarker<said.OwnAccount | { choose: said.AccountChoice[] }>(),
  },
  'session.end': { method: 'DELETE', path: '/session', needs: 'nobody', success: 204 },
  'me.fetch': { method: 'GET', path: '/me', needs: 'session', data: typeMarker<said.OwnAccount>() },
  'me.update': {
    method: 'PATCH',
    path: '/me',
    needs: 'session',
    needsNoRoom: true,
    body: { name: 'text?', email: 'text?', password: { current: 'text', next: 'text?' } },
    data: typeMarker<said.OwnAccount>(),
  },

  'sessions.list': { method: 'GET', path: '/sessions', needs: 'session', data: typeMarker<said.OwnSession[]>() },
  'sessions.end-others': {
    method: 'DELETE',
    path: '/sessions',
    needs: 'session',
    needsNoRoom: true,
    data: typeMarker<{ ended: number }>(),
  },
  'sessions.end': {
    method: 'DELETE',
    path: '/sessions/{id}',
    needs: 'session',
    needsNoRoom: true,
    data: typeMarker<{ id: number; ended: true }>(),
  },

  'records.list': {
    method: 'GET',
    path: '/records/{records}',
    needs: { records: 'VIEW' },
    data: typeMarker<said.RecordResult[]>(),
  },
  'records.fetch': {
    method: 'GET',
    path: '/records/{records}/{id}',
    needs: { records: 'VIEW' },
    data: typeMarker<said.RecordResult>(),
  },
  'records.create': {
    method: 'POST',
    path: '/records/{records}',
    needs: { records: 'EDIT' },
    body: 'a record',
    success: 201,
    data: typeMarker<done.RecordCreated>(),
  },
  'records.update': {
    method: 'PATCH',
    path: '/records/{records}/{id}',
    needs: { records: 'EDIT' },
    body: 'a record',
    data: typeMarker<done.RecordUpdated>(),
  },
  'records.delete': {
    method: 'DELETE',
    path: '/records/{records}/{id}',
    needs: { records: 'DELETE' },
    data: typeMarker<done.RecordDeleted>(),
  },
  'records.export': { method: 'GET', path: '/records/{records}.csv', needs: { records: 'VIEW' } },
  'records.history': {
    method: 'GET',
    path: '/records/{records}/{id}/history',
    needs: { records: 'VIEW' },
    query: paging,
    data: typeMarker<said.HistoryEntry[]>(),
  },

  'records.look-up': {
    method: 'POST',
    path: '/imports/{records}/look-up',
    needs: { records: 'EDIT' },
    needsNoRoom: true,
    body: { field: 'text', values: 'texts' },
    bodyMax: { bytes: bodyBytesMax, values: bodyValuesMax },
    data: typeMarker<said.LookUpResult[]>(),
  },
  'records.imports': {
    method: 'GET',
    path: '/imports/{records}',
    needs: { records: 'EDIT' },
    query: [],
    data: typeMarker<said.ImportResult[]>(),
  },
  'records.begin-import': {
    method: 'POST',
    path: '/imports/{records}',
    needs: { records: 'EDIT' },
    body: { file_name: 'text', fingerprint: 'text', settings: 'object', rows: 'count' },
    bodyMax: { bytes: 64 * 1024, values: 1000 },
    success: 201,
    data: typeMarker<{ write_id: string }>(),
  },
  'records.try-import': {
    method: 'POST',
    path: '/imports/{records}/try',
    needs: { records: 'EDIT' },
    body: { operations: 'objects' },
    bodyMax: { bytes: batchBytesMax, values: batchValuesMax },
    data: typeMarker<done.BatchSummary>(),
  },
  'records.import': {
    method: 'POST',
    path: '/imports/{records}/{id}/batches',
    needs: { records: 'EDIT' },
    body: { from: 'count', to: 'count', operations: 'objects' },
    bodyMax: { bytes: batchBytesMax, values: batchValuesMax },
    data: typeMarker<done.BatchSummary>(),
  },

  'removals.list': {
    method: 'GET',
    path: '/removals',
    needs: 'session',
    query: paging,
    data: typeMarker<said.Removal[]>(),
  },
  'removals.restore': {
    method: 'POST',
    path: '/removals/{id}/restore',
    needs: 'session',
    data: typeMarker<done.RestoreResult>(),
  },

  'writes.undo': {
    method: 'POST',
    path: '/writes/{id}/undo',
    needs: 'session',
    query: ['dry_run'],
    data: typeMarker<done.WriteUndoResult>(),
  },

  home: { method: 'GET', path: '/home', needs: 'session', data: typeMarker<said.HomeFigures>() },

  'token.fetch': { method: 'GET', path: '/token', needs: 'API_MANAGE', data: typeMarker<said.Token | null>() },
  'token.options': {
    method: 'GET',
    path: '/token/options',
    needs: 'API_MANAGE',
    data: typeMarker<said.TokenOptions>(),
  },
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
    data: typeMarker<said.TokenText>(),
  },
  'token.show': {
    method: 'POST',
    path: '/token/show',
    needs: 'API_MANAGE',
    body: password,
    showsSecret: true,
    data: typeMarker<said.TokenText>(),
  },
  'token.rotate': {
    method: 'POST',
    path: '/token/rotate',
    needs: 'API_MANAGE',
    needsNoRoom: true,
    body: password,
    showsSecret: true,
    data: typeMarker<said.TokenText>(),
  },
  'token.revoke': {
    method: 'POST',
    path: '/token/revoke',
    needs: 'API_MANAGE',
    needsNoRoom: true,
    body: password,
    data: typeMarker<{ revoked: true }>(),
  },
  'token.allow': {
    method: 'PUT',
    path: '/token/allowlist',
    needs: 'API_MANAGE',
    needsNoRoom: true,
    body: { allowlist: 'texts', password: 'text' },
    data: typeMarker<said.Token>(),
  },

  'token.change': {
    method: 'PATCH',
    path: '/token',
    needs: 'API_MANAGE',
    needsNoRoom: true,
    body: { label: 'text?', scopes: 'texts?', password: 'text' },
    data: typeMarker<said.Token>(),
  },
  'token.callers': {
    method: 'GET',
    path: '/token/callers',
    needs: 'API_MANAGE',
    data: typeMarker<said.TokenCaller[]>(),
  },
  'token.dead': { method: 'GET', path: '/token/dead', needs: 'API_MANAGE', data: typeMarker<said.DeadIntegration[]>() },

  'calls.list': {
    method: 'GET',
    path: '/calls',
    needs: 'API_MANAGE',
    query: [...paging, 'status', 'code', 'route', 'outcome', 'about', 'peer', 'token', 'from', 'to'],
    data: typeMarker<said.Call[]>(),
  },
  'calls.fetch': {
    method: 'GET',
    path: '/calls/{id}',
    needs: 'API_MANAGE',
    data: typeMarker<said.CallDetailsResult>(),
  },
  'calls.dry-run': {
    method: 'POST',
    path: '/calls/{id}/dry-run',
    needs: 'API_MANAGE',
    data: typeMarker<said.RepeatResult>(),
  },
  'calls.failures': { method: 'GET', path: '/calls/failures', needs: 'API_MANAGE', data: typeMarker<said.Failure[]>() },
  'calls.details-switch': {
    method: 'GET',
    path: '/calls/details-switch',
    needs: 'API_MANAGE',
    data: typeMarker<said.CallDetailsSwitch>(),
  },
  'calls.switch-details': {
    method: 'PUT',
    path: '/calls/details-switch',
    needs: 'API_MANAGE',
    body: { keeps: 'flag' },
    data: typeMarker<said.CallDetailsSwitch>(),
  },
  usage: { method: 'GET', path: '/usage', needs: 'API_MANAGE', query: ['days'], data: typeMarker<said.Usage>() },

  'settings.history': {
    method: 'GET',
    path: '/settings/history',
    needs: 'session',
    query: paging,
    data: typeMarker<said.RecentEntry[]>(),
  },

  'audit.list': {
    method: 'GET',
    path: '/audit',
    needs: 'AUDIT_VIEW',
    query: [...paging, ...auditFilter],
    data: typeMarker<said.AuditEntry[]>(),
  },
  'audit.csv': { method: 'GET', path: '/audit.csv', needs: 'AUDIT_VIEW', query: auditFilter },
  'audit.json': { method: 'GET', path: '/audit.json', needs: 'AUDIT_VIEW', query: auditFilter },

  'webhooks.list': { method: 'GET', path: '/webhooks', needs: 'API_MANAGE', data: typeMarker<said.Webhook[]>() },
  'webhooks.troubles': {
    method: 'GET',
    path: '/webhooks/troubles',
    needs: 'API_MANAGE',
    data: typeMarker<said.WebhookTrouble[]>(),
  },
  'webhooks.create': {
    method: 'POST',
    path: '/webhooks',
    needs: 'API_MANAGE',
    body: { name: 'text', url: 'text', events: 'texts', payload: 'text', ordered: 'flag', password: 'text' },
    success: 201,
    showsSecret: true,
    data: typeMarker<said.WebhookWithSecret>(),
  },
  'webhooks.fetch': {
    method: 'GET',
    path: '/webhooks/{id}',
    needs: 'API_MANAGE',
    data: typeMarker<said.WebhookResult>(),
  },
  'webhooks.update': {
    method: 'PATCH',
    path: '/webhooks/{id}',
    needs: 'API_MANAGE',
    body: { name: 'text?', url: 'text?', events: 'texts?', payload: 'text?', ordered: 'flag?', password: 'text' },
    data: typeMarker<said.Webhook>(),
  },
  'webhooks.delete': {
    method: 'DELETE',
    path: '/webhooks/{id}',
    needs: 'API_MANAGE',
    data: typeMarker<{ id: number; deleted: true }>(),
  },
  'webhooks.rotate': {
    method: 'POST',
    path: '/webhooks/{id}/rotate',
    needs: 'API_MANAGE',
    body: password,
    showsSecret: true,
    data: typeMarker<said.WebhookWithSecret>(),
  },
  'webhooks.test': {
    method: 'POST',
    path: '/webhooks/{id}/test',
    needs: 'API_MANAGE',
    data: typeMarker<said.WebhookAttemptOpened>(),
  },
  'webhooks.enable': {
    method: 'POST',
    path: '/webhooks/{id}/enable',
    needs: 'API_MANAGE',
    body: password,
    data: typeMarker<said.Webhook>(),
  },
  'webhooks.disable': {
    method: 'POST',
    path: '/webhooks/{id}/disable',
    needs: 'API_MANAGE',
    needsNoRoom: true,
    data: typeMarker<said.Webhook>(),
  },
  'webhooks.replay': {
    method: 'POST',
    path: '/webhooks/{id}/replay',
    needs: 'API_MANAGE',
    body: { from: 'text', ...password },
    data: typeMarker<said.Webhook>(),
  },
  'webhooks.attempts': {
    method: 'GET',
    path: '/webhooks/{id}/attempts',
    needs: 'API_MANAGE',
    query: [...paging, 'failed'],
    data: typeMarker<said.WebhookAttempt[]>(),
  },
  'webhooks.history': {
    method: 'GET',
    path: '/webhooks/{id}/history',
    needs: 'API_MANAGE',
    query: paging,
    data: typeMarker<said.HistoryEntry[]>(),
  },
  'webhook-attempts.fetch': {
    method: 'GET',
    path: '/webhook-attempts/{id}',
    needs: 'API_MANAGE',
    data: typeMarker<said.WebhookAttemptOpened>(),
  },
  'webhook-attempts.send-again': {
    method: 'POST',
    path: '/webhook-attempts/{id}/send-again',
    needs: 'API_MANAGE',
    data: typeMarker<said.WebhookAttemptOpened>(),
  },

  'agents.fetch': { method: 'GET', path: '/agents', needs: 'API_MANAGE', data: typeMarker<said.Agents>() },
  'agents.update': {
    method: 'PUT',
    path: '/agents',
    needs: 'API_MANAGE',
    needsNoRoom: true,
    body: { enabled: 'flag', records_max: 'count', always: 'flag' },
    data: typeMarker<said.Agents>(),
  },

  'agents.waiting': {
    method: 'GET',
    path: '/agents/waiting',
    needs: 'session',
    data: typeMarker<said.AgentsWaiting>(),
  },
  'agents.previews': {
    method: 'GET',
    path: '/agents/previews',
    needs: 'session',
    data: typeMarker<said.AgentPreview[]>(),
  },
  'agents.preview': {
    method: 'GET',
    path: '/agents/previews/{id}',
    needs: 'session',
    data: typeMarker<said.AgentPreviewResult>(),
  },
  'agents.approve': {
    method: 'POST',
    path: '/agents/previews/{id}/approve',
    needs: 'session',
    body: { hash: 'text' },
    data: typeMarker<said.AgentPreviewResult>(),
  },
  'agents.decline': {
    method: 'POST',
    path: '/agents/previews/{id}/decline',
    needs: 'session',
    needsNoRoom: true,
    data: typeMarker<said.AgentPreviewResult>(),
  },

  'accounts.list': { method: 'GET', path: '/accounts', needs: 'ACCOUNTS_MANAGE', data: typeMarker<said.Account[]>() },
  'accounts.create': {
    method: 'POST',
    path: '/accounts',
    needs: 'ACCOUNTS_MANAGE',
    body: { name: 'text', email: 'text', permissions: 'texts', password: 'text?' },
    success: 201,
    data: typeMarker<said.Account>(),
  },
  'accounts.fetch': {
    method: 'GET',
    path: '/accounts/{id}',
    needs: 'ACCOUNTS_MANAGE',
    data: typeMarker<said.Account>(),
  },
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
    data: typeMarker<said.Account>(),
  },

  'company.fetch': { method: 'GET', path: '/company', needs: 'COMPANY_MANAGE', data: typeMarker<said.CompanyResult>() },
  'company.update': {
    method: 'PATCH',
    path: '/company',
    needs: 'COMPANY_MANAGE',
    body: { name: 'text?', currency: 'text?' },
    data: typeMarker<said.Company>(),
  },
} as const satisfies { readonly [name: string]: ConsoleOperation }

type Operations = typeof consoleOperations
export type ConsoleOperationName = keyof Operations

/** The data of an operation's response; undefined if it has none. */
export type AnswerOf<Name extends ConsoleOperationName> = Operations[Name] extends { data: Data<infer Type> }
  ? Exclude<Type, undefined>
  : undefined

/** The body of a response. A list adds which part of the whole it is. */
export type ConsoleBody<Data> = [Data] extends [readonly unknown[]] ? { data: Data; meta: said.Meta } : { data: Data }

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
