import type { JsonObject } from '#registry/json.ts'
import { batchBytesMax, batchValuesMax, bodyBytesMax, bodyValuesMax } from '#registry/limits.ts'
import { type ConsoleOperation, type Data, type Members, type Shape, typeMarker } from './operation.ts'
import type * as said from './responses.ts'

const paging = ['limit', 'offset'] as const
const auditFilter = ['from', 'to', 'actor', 'action', 'records'] as const
const password = { password: 'text' } as const
const view = { records: 'VIEW' } as const
const edit = { records: 'EDIT' } as const

type Address = 'method' | 'path' | 'needs'
/** All else that there is of an operation; a member of another name is refused. */
type Details<Given> = Omit<ConsoleOperation, Address> & {
  [name in Exclude<keyof Given, keyof ConsoleOperation>]: never
}

/** Returns a function that describes an operation of a method. */
const describeBy =
  <const Method extends ConsoleOperation['method']>(method: Method) =>
  <
    const Path extends string,
    const Needs extends ConsoleOperation['needs'],
    const Given extends Details<Given> = object,
  >(
    path: Path,
    needs: Needs,
    details?: Given,
  ) =>
    ({ method, path, needs, ...details }) as { method: Method; path: Path; needs: Needs } & Given

const get = describeBy('GET')
const post = describeBy('POST')
const put = describeBy('PUT')
const patch = describeBy('PATCH')
const remove = describeBy('DELETE')

/** The root of the operations. */
export const consoleRoot = '/console'

/** The operations of the console, under the root. They type the server's handlers and the client of the pages. */
export const consoleOperations = {
  'session.begin': post('/session', 'nobody', {
    body: { email: 'text', password: 'text', account_id: 'id?' },
    data: typeMarker<said.OwnAccount | { choose: said.AccountChoice[] }>(),
  }),
  'session.end': remove('/session', 'nobody', { success: 204 }),
  'me.fetch': get('/me', 'session', { data: typeMarker<said.OwnAccount>() }),
  'me.update': patch('/me', 'session', {
    needsNoRoom: true,
    body: { name: 'text?', email: 'text?', password: { current: 'text', next: 'text?' } },
    data: typeMarker<said.OwnAccount>(),
  }),

  'sessions.list': get('/sessions', 'session', { data: typeMarker<said.OwnSession[]>() }),
  'sessions.end-others': remove('/sessions', 'session', { needsNoRoom: true, data: typeMarker<{ ended: number }>() }),
  'sessions.end': remove('/sessions/{id}', 'session', {
    needsNoRoom: true,
    data: typeMarker<{ id: number; ended: true }>(),
  }),

  'records.list': get('/records/{records}', view, { data: typeMarker<said.RecordResult[]>() }),
  'records.fetch': get('/records/{records}/{id}', view, { data: typeMarker<said.RecordResult>() }),
  'records.create': post('/records/{records}', edit, {
    body: 'a record',
    success: 201,
    data: typeMarker<said.RecordCreated>(),
  }),
  'records.update': patch('/records/{records}/{id}', edit, {
    body: 'a record',
    data: typeMarker<said.RecordUpdated>(),
  }),
  'records.delete': remove(
    '/records/{records}/{id}',
    { records: 'DELETE' },
    { data: typeMarker<said.RecordDeleted>() },
  ),
  'records.export': get('/records/{records}.csv', view),
  'records.history': get('/records/{records}/{id}/history', view, {
    query: paging,
    data: typeMarker<said.HistoryEntry[]>(),
  }),

  'records.look-up': post('/imports/{records}/look-up', edit, {
    needsNoRoom: true,
    body: { field: 'text', values: 'texts' },
    bodyMax: { bytes: bodyBytesMax, values: bodyValuesMax },
    data: typeMarker<said.LookUpResult[]>(),
  }),
  'records.imports': get('/imports/{records}', edit, { query: [], data: typeMarker<said.ImportResult[]>() }),
  'records.begin-import': post('/imports/{records}', edit, {
    body: { file_name: 'text', fingerprint: 'text', settings: 'object', rows: 'count' },
    bodyMax: { bytes: 64 * 1024, values: 1000 },
    success: 201,
    data: typeMarker<{ write_id: string }>(),
  }),
  'records.try-import': post('/imports/{records}/try', edit, {
    body: { operations: 'objects' },
    bodyMax: { bytes: batchBytesMax, values: batchValuesMax },
    data: typeMarker<said.BatchSummary>(),
  }),
  'records.import': post('/imports/{records}/{id}/batches', edit, {
    body: { from: 'count', to: 'count', operations: 'objects' },
    bodyMax: { bytes: batchBytesMax, values: batchValuesMax },
    data: typeMarker<said.BatchSummary>(),
  }),

  'removals.list': get('/removals', 'session', { query: paging, data: typeMarker<said.Removal[]>() }),
  'removals.restore': post('/removals/{id}/restore', 'session', { data: typeMarker<said.RestoreResult>() }),

  'writes.undo': post('/writes/{id}/undo', 'session', { query: ['dry_run'], data: typeMarker<said.WriteUndoResult>() }),

  home: get('/home', 'session', { data: typeMarker<said.HomeFigures>() }),

  'token.fetch': get('/token', 'API_MANAGE', { data: typeMarker<said.Token | null>() }),
  'token.options': get('/token/options', 'API_MANAGE', { data: typeMarker<said.TokenOptions>() }),
  'token.issue': post('/token', 'API_MANAGE', {
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
  }),
  'token.show': post('/token/show', 'API_MANAGE', {
    body: password,
    showsSecret: true,
    data: typeMarker<said.TokenText>(),
  }),
  'token.rotate': post('/token/rotate', 'API_MANAGE', {
    needsNoRoom: true,
    body: password,
    showsSecret: true,
    data: typeMarker<said.TokenText>(),
  }),
  'token.revoke': post('/token/revoke', 'API_MANAGE', {
    needsNoRoom: true,
    body: password,
    data: typeMarker<{ revoked: true }>(),
  }),
  'token.allow': put('/token/allowlist', 'API_MANAGE', {
    needsNoRoom: true,
    body: { allowlist: 'texts', password: 'text' },
    data: typeMarker<said.Token>(),
  }),

  'token.change': patch('/token', 'API_MANAGE', {
    needsNoRoom: true,
    body: { label: 'text?', scopes: 'texts?', password: 'text' },
    data: typeMarker<said.Token>(),
  }),
  'token.callers': get('/token/callers', 'API_MANAGE', { data: typeMarker<said.TokenCaller[]>() }),
  'token.dead': get('/token/dead', 'API_MANAGE', { data: typeMarker<said.DeadIntegration[]>() }),

  'calls.list': get('/calls', 'API_MANAGE', {
    query: [...paging, 'status', 'code', 'route', 'outcome', 'about', 'peer', 'token', 'from', 'to'],
    data: typeMarker<said.Call[]>(),
  }),
  'calls.fetch': get('/calls/{id}', 'API_MANAGE', { data: typeMarker<said.CallDetailsResult>() }),
  'calls.dry-run': post('/calls/{id}/dry-run', 'API_MANAGE', { data: typeMarker<said.RepeatResult>() }),
  'calls.failures': get('/calls/failures', 'API_MANAGE', { data: typeMarker<said.Failure[]>() }),
  'calls.details-switch': get('/calls/details-switch', 'API_MANAGE', { data: typeMarker<said.CallDetailsSwitch>() }),
  'calls.switch-details': put('/calls/details-switch', 'API_MANAGE', {
    body: { keeps: 'flag' },
    data: typeMarker<said.CallDetailsSwitch>(),
  }),
  usage: get('/usage', 'API_MANAGE', { query: ['days'], data: typeMarker<said.Usage>() }),

  'settings.history': get('/settings/history', 'session', { query: paging, data: typeMarker<said.RecentEntry[]>() }),

  'audit.list': get('/audit', 'AUDIT_VIEW', {
    query: [...paging, ...auditFilter],
    data: typeMarker<said.AuditEntry[]>(),
  }),
  'audit.csv': get('/audit.csv', 'AUDIT_VIEW', { query: auditFilter }),
  'audit.json': get('/audit.json', 'AUDIT_VIEW', { query: auditFilter }),

  'webhooks.list': get('/webhooks', 'API_MANAGE', { data: typeMarker<said.Webhook[]>() }),
  'webhooks.troubles': get('/webhooks/troubles', 'API_MANAGE', { data: typeMarker<said.WebhookTrouble[]>() }),
  'webhooks.create': post('/webhooks', 'API_MANAGE', {
    body: { name: 'text', url: 'text', events: 'texts', payload: 'text', ordered: 'flag', password: 'text' },
    success: 201,
    showsSecret: true,
    data: typeMarker<said.WebhookWithSecret>(),
  }),
  'webhooks.fetch': get('/webhooks/{id}', 'API_MANAGE', { data: typeMarker<said.WebhookResult>() }),
  'webhooks.update': patch('/webhooks/{id}', 'API_MANAGE', {
    body: { name: 'text?', url: 'text?', events: 'texts?', payload: 'text?', ordered: 'flag?', password: 'text' },
    data: typeMarker<said.Webhook>(),
  }),
  'webhooks.delete': remove('/webhooks/{id}', 'API_MANAGE', { data: typeMarker<{ id: number; deleted: true }>() }),
  'webhooks.rotate': post('/webhooks/{id}/rotate', 'API_MANAGE', {
    body: password,
    showsSecret: true,
    data: typeMarker<said.WebhookWithSecret>(),
  }),
  'webhooks.test': post('/webhooks/{id}/test', 'API_MANAGE', { data: typeMarker<said.WebhookAttemptOpened>() }),
  'webhooks.enable': post('/webhooks/{id}/enable', 'API_MANAGE', { body: password, data: typeMarker<said.Webhook>() }),
  'webhooks.disable': post('/webhooks/{id}/disable', 'API_MANAGE', {
    needsNoRoom: true,
    data: typeMarker<said.Webhook>(),
  }),
  'webhooks.replay': post('/webhooks/{id}/replay', 'API_MANAGE', {
    body: { from: 'text', ...password },
    data: typeMarker<said.Webhook>(),
  }),
  'webhooks.attempts': get('/webhooks/{id}/attempts', 'API_MANAGE', {
    query: [...paging, 'failed'],
    data: typeMarker<said.WebhookAttempt[]>(),
  }),
  'webhooks.history': get('/webhooks/{id}/history', 'API_MANAGE', {
    query: paging,
    data: typeMarker<said.HistoryEntry[]>(),
  }),
  'webhook-attempts.fetch': get('/webhook-attempts/{id}', 'API_MANAGE', {
    data: typeMarker<said.WebhookAttemptOpened>(),
  }),
  'webhook-attempts.send-again': post('/webhook-attempts/{id}/send-again', 'API_MANAGE', {
    data: typeMarker<said.WebhookAttemptOpened>(),
  }),

  'agents.fetch': get('/agents', 'API_MANAGE', { data: typeMarker<said.Agents>() }),
  'agents.update': put('/agents', 'API_MANAGE', {
    needsNoRoom: true,
    body: { enabled: 'flag', records_max: 'count', always: 'flag' },
    data: typeMarker<said.Agents>(),
  }),

  'agents.waiting': get('/agents/waiting', 'session', { data: typeMarker<said.AgentsWaiting>() }),
  'agents.previews': get('/agents/previews', 'session', { data: typeMarker<said.AgentPreview[]>() }),
  'agents.preview': get('/agents/previews/{id}', 'session', { data: typeMarker<said.AgentPreviewResult>() }),
  'agents.approve': post('/agents/previews/{id}/approve', 'session', {
    body: { hash: 'text' },
    data: typeMarker<said.AgentPreviewResult>(),
  }),
  'agents.decline': post('/agents/previews/{id}/decline', 'session', {
    needsNoRoom: true,
    data: typeMarker<said.AgentPreviewResult>(),
  }),

  'accounts.list': get('/accounts', 'ACCOUNTS_MANAGE', { data: typeMarker<said.Account[]>() }),
  'accounts.create': post('/accounts', 'ACCOUNTS_MANAGE', {
    body: { name: 'text', email: 'text', permissions: 'texts', password: 'text?' },
    success: 201,
    data: typeMarker<said.Account>(),
  }),
  'accounts.fetch': get('/accounts/{id}', 'ACCOUNTS_MANAGE', { data: typeMarker<said.Account>() }),
  'accounts.update': patch('/accounts/{id}', 'ACCOUNTS_MANAGE', {
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
  }),

  'company.fetch': get('/company', 'COMPANY_MANAGE', { data: typeMarker<said.CompanyResult>() }),
  'company.update': patch('/company', 'COMPANY_MANAGE', {
    body: { name: 'text?', currency: 'text?' },
    data: typeMarker<said.Company>(),
  }),
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
