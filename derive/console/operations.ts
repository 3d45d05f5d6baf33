import type { JsonObject } from '#registry/json.ts'
import { batchBytesMax, batchValuesMax, bodyBytesMax, bodyValuesMax } from '#registry/limits.ts'
import { logoBytesMax } from '#registry/picture.ts'
import type { AnswerType, ConsoleOperation, Members, Shape } from './operation.ts'
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

/** Returns a function that describes an operation of a method, by the type of its response's data. */
const describeBy =
  <const Method extends ConsoleOperation['method']>(method: Method) =>
  <Data = undefined>() =>
  <
    const Path extends string,
    const Needs extends ConsoleOperation['needs'],
    const Given extends Details<Given> = object,
  >(
    path: Path,
    needs: Needs,
    details?: Given,
  ) =>
    ({ method, path, needs, ...details }) as { method: Method; path: Path; needs: Needs } & AnswerType<Data> & Given

const get = describeBy('GET')
const post = describeBy('POST')
const put = describeBy('PUT')
const patch = describeBy('PATCH')
const remove = describeBy('DELETE')

/** The root of the operations. */
export const consoleRoot = '/console'

/** The operations of the console, under the root. They type the server's handlers and the client of the pages. */
export const consoleOperations = {
  'session.begin': post<said.OwnAccount | { choose: said.AccountChoice[] }>()('/session', 'nobody', {
    body: { email: 'text', password: 'text', account_id: 'id?', company_id: 'id?' },
  }),
  'session.end': remove()('/session', 'nobody', { success: 204 }),
  'me.fetch': get<said.OwnAccount>()('/me', 'session'),
  'me.update': patch<said.OwnAccount>()('/me', 'session', {
    needsNoRoom: true,
    body: { name: 'text?', email: 'text?', password: { current: 'text', next: 'text?' } },
  }),

  'sessions.list': get<said.OwnSession[]>()('/sessions', 'session'),
  'sessions.end-others': remove<{ ended: number }>()('/sessions', 'session', { needsNoRoom: true }),
  'sessions.end': remove<{ id: number; ended: true }>()('/sessions/{id}', 'session', { needsNoRoom: true }),

  'records.list': get<said.RecordResult[]>()('/records/{records}', view),
  'records.fetch': get<said.RecordResult>()('/records/{records}/{id}', view),
  'records.create': post<said.RecordCreated>()('/records/{records}', edit, { body: 'a record', success: 201 }),
  'records.update': patch<said.RecordUpdated>()('/records/{records}/{id}', edit, { body: 'a record' }),
  'records.delete': remove<said.RecordDeleted>()('/records/{records}/{id}', { records: 'DELETE' }),
  'records.batch': post<said.BatchSummary>()('/records/{records}/batch', edit, {
    query: ['dry_run'],
    body: { operations: 'objects' },
    bodyMax: { bytes: batchBytesMax, values: batchValuesMax },
  }),
  'records.export': get()('/records/{records}.csv', view, { exports: true }),
  'records.sums': get<said.RecordSums>()('/records/{records}/{id}/sums', view, { word: 'sums', query: [] }),
  'records.totals': get<said.RecordTotals>()('/records/{records}/totals', view, { word: 'list' }),
  'records.history': get<said.HistoryEntry[]>()('/records/{records}/{id}/history', view, { query: paging }),

  'records.paper': get<said.PaperResult>()('/records/{records}/{id}/paper', view, { word: 'paper', query: ['now'] }),
  'records.paper-file': get()('/records/{records}/{id}/paper.pdf', view, { word: 'paper', query: ['now'] }),
  'records.paper-logo': get()('/records/{records}/{id}/paper/logo', view, { word: 'paper', query: ['now'] }),
  'records.send-paper': post<said.PaperSent>()('/records/{records}/{id}/paper/sent', edit, {
    word: 'paper',
    body: { by: 'text', on: 'text', if_match: 'text?' },
  }),

  'records.look-up': post<said.LookUpResult[]>()('/imports/{records}/look-up', edit, {
    needsNoRoom: true,
    body: { field: 'text', values: 'texts' },
    bodyMax: { bytes: bodyBytesMax, values: bodyValuesMax },
  }),
  'records.imports': get<said.ImportResult[]>()('/imports/{records}', edit, { query: ['fingerprint'] }),
  'records.begin-import': post<{ write_id: string }>()('/imports/{records}', edit, {
    body: { file_name: 'text', fingerprint: 'text', settings: 'object', rows: 'count' },
    bodyMax: { bytes: bodyBytesMax, values: bodyValuesMax },
    success: 201,
  }),
  'records.extend-import': put<{ write_id: string }>()('/imports/{records}/{id}', edit, {
    body: { settings: 'object', rows: 'count' },
    bodyMax: { bytes: bodyBytesMax, values: bodyValuesMax },
  }),
  'records.import': post<said.BatchSummary>()('/imports/{records}/{id}/batches', edit, {
    body: { from: 'count', to: 'count', operations: 'objects' },
    bodyMax: { bytes: batchBytesMax, values: batchValuesMax },
  }),

  'removals.list': get<said.Removal[]>()('/removals', 'session', { query: paging }),
  'removals.restore': post<said.RestoreResult>()('/removals/{id}/restore', 'session'),

  'writes.undo': post<said.WriteUndoResult>()('/writes/{id}/undo', 'session', { query: ['dry_run'] }),

  home: get<said.HomeFigures>()('/home', 'session'),

  'token.fetch': get<said.Token | null>()('/token', 'API_MANAGE'),
  'token.options': get<said.TokenOptions>()('/token/options', 'API_MANAGE'),
  'token.issue': post<said.TokenText>()('/token', 'API_MANAGE', {
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
  }),
  'token.show': post<said.TokenText>()('/token/show', 'API_MANAGE', { body: password, showsSecret: true }),
  'token.rotate': post<said.TokenText>()('/token/rotate', 'API_MANAGE', {
    needsNoRoom: true,
    body: password,
    showsSecret: true,
  }),
  'token.revoke': post<{ revoked: true }>()('/token/revoke', 'API_MANAGE', { needsNoRoom: true, body: password }),
  'token.allow': put<said.Token>()('/token/allowlist', 'API_MANAGE', {
    needsNoRoom: true,
    body: { allowlist: 'texts', password: 'text' },
  }),

  'token.change': patch<said.Token>()('/token', 'API_MANAGE', {
    needsNoRoom: true,
    body: { label: 'text?', scopes: 'texts?', password: 'text' },
  }),
  'token.callers': get<said.TokenCaller[]>()('/token/callers', 'API_MANAGE'),
  'token.dead': get<said.DeadIntegration[]>()('/token/dead', 'API_MANAGE'),

  'calls.list': get<said.Call[]>()('/calls', 'API_MANAGE', {
    query: [...paging, 'status', 'code', 'route', 'outcome', 'about', 'peer', 'token', 'from', 'to'],
  }),
  'calls.fetch': get<said.CallDetailsResult>()('/calls/{id}', 'API_MANAGE'),
  'calls.dry-run': post<said.RepeatResult>()('/calls/{id}/dry-run', 'API_MANAGE'),
  'calls.failures': get<said.Failure[]>()('/calls/failures', 'API_MANAGE'),
  'calls.details-switch': get<said.CallDetailsSwitch>()('/calls/details-switch', 'API_MANAGE'),
  'calls.switch-details': put<said.CallDetailsSwitch>()('/calls/details-switch', 'API_MANAGE', {
    body: { keeps: 'flag' },
  }),
  usage: get<said.Usage>()('/usage', 'API_MANAGE', { query: ['days'] }),

  'settings.history': get<said.RecentEntry[]>()('/settings/history', 'session', { query: paging }),

  'audit.list': get<said.AuditEntry[]>()('/audit', 'AUDIT_VIEW', { query: [...paging, ...auditFilter] }),
  'audit.csv': get()('/audit.csv', 'AUDIT_VIEW', { query: auditFilter, exports: true }),
  'audit.json': get()('/audit.json', 'AUDIT_VIEW', { query: auditFilter, exports: true }),

  'webhooks.list': get<said.Webhook[]>()('/webhooks', 'API_MANAGE'),
  'webhooks.troubles': get<said.WebhookTrouble[]>()('/webhooks/troubles', 'API_MANAGE'),
  'webhooks.create': post<said.WebhookWithSecret>()('/webhooks', 'API_MANAGE', {
    body: { name: 'text', url: 'text', events: 'texts', payload: 'text', ordered: 'flag', password: 'text' },
    success: 201,
    showsSecret: true,
  }),
  'webhooks.fetch': get<said.WebhookResult>()('/webhooks/{id}', 'API_MANAGE'),
  'webhooks.update': patch<said.Webhook>()('/webhooks/{id}', 'API_MANAGE', {
    body: { name: 'text?', url: 'text?', events: 'texts?', payload: 'text?', ordered: 'flag?', password: 'text' },
  }),
  'webhooks.delete': remove<{ id: number; deleted: true }>()('/webhooks/{id}', 'API_MANAGE'),
  'webhooks.rotate': post<said.WebhookWithSecret>()('/webhooks/{id}/rotate', 'API_MANAGE', {
    body: password,
    showsSecret: true,
  }),
  'webhooks.test': post<said.WebhookAttemptOpened>()('/webhooks/{id}/test', 'API_MANAGE'),
  'webhooks.enable': post<said.Webhook>()('/webhooks/{id}/enable', 'API_MANAGE', { body: password }),
  'webhooks.disable': post<said.Webhook>()('/webhooks/{id}/disable', 'API_MANAGE', { needsNoRoom: true }),
  'webhooks.replay': post<said.Webhook>()('/webhooks/{id}/replay', 'API_MANAGE', {
    body: { from: 'text', ...password },
  }),
  'webhooks.attempts': get<said.WebhookAttempt[]>()('/webhooks/{id}/attempts', 'API_MANAGE', {
    query: [...paging, 'failed'],
  }),
  'webhooks.history': get<said.HistoryEntry[]>()('/webhooks/{id}/history', 'API_MANAGE', { query: paging }),
  'webhook-attempts.fetch': get<said.WebhookAttemptOpened>()('/webhook-attempts/{id}', 'API_MANAGE'),
  'webhook-attempts.send-again': post<said.WebhookAttemptOpened>()('/webhook-attempts/{id}/send-again', 'API_MANAGE'),

  'agents.fetch': get<said.Agents>()('/agents', 'API_MANAGE'),
  'agents.update': put<said.Agents>()('/agents', 'API_MANAGE', {
    needsNoRoom: true,
    body: { enabled: 'flag', records_max: 'count', always: 'flag', own_password: 'text?' },
  }),

  'agents.waiting': get<said.AgentsWaiting>()('/agents/waiting', 'session'),
  'agents.previews': get<said.AgentPreview[]>()('/agents/previews', 'session'),
  'agents.preview': get<said.AgentPreviewResult>()('/agents/previews/{id}', 'session'),
  'agents.approve': post<said.AgentPreviewResult>()('/agents/previews/{id}/approve', 'session', {
    body: { hash: 'text' },
  }),
  'agents.decline': post<said.AgentPreviewResult>()('/agents/previews/{id}/decline', 'session', { needsNoRoom: true }),

  'accounts.list': get<said.Account[]>()('/accounts', 'ACCOUNTS_MANAGE'),
  'accounts.create': post<said.Account>()('/accounts', 'ACCOUNTS_MANAGE', {
    body: { name: 'text', email: 'text', permissions: 'texts', password: 'text?', own_password: 'text?' },
    success: 201,
  }),
  'accounts.fetch': get<said.Account>()('/accounts/{id}', 'ACCOUNTS_MANAGE'),
  'accounts.update': patch<said.Account>()('/accounts/{id}', 'ACCOUNTS_MANAGE', {
    needsNoRoom: true,
    body: {
      name: 'text?',
      email: 'text?',
      permissions: 'texts?',
      disabled: 'flag?',
      password: 'text?',
      own_password: 'text?',
    },
  }),

  'company.fetch': get<said.CompanyResult>()('/company', 'COMPANY_MANAGE'),
  'company.update': patch<said.Company>()('/company', 'COMPANY_MANAGE', { body: 'a record' }),
  /** Everybody who sees a paper sees its logo, by its hash; without one it is the present logo. */
  'logo.fetch': get()('/company/logo', 'session', { query: ['hash'] }),
  'logo.update': put<{ logo: string | null }>()('/company/logo', 'COMPANY_MANAGE', {
    body: 'a picture',
    bodyMax: { bytes: logoBytesMax, values: 0 },
  }),
  'logo.delete': remove<{ logo: string | null }>()('/company/logo', 'COMPANY_MANAGE'),
} as const satisfies { readonly [name: string]: ConsoleOperation }

type Operations = typeof consoleOperations
export type ConsoleOperationName = keyof Operations

/** The data of an operation's response; undefined if it has none. */
export type AnswerOf<Name extends ConsoleOperationName> = Operations[Name] extends AnswerType<infer Data> ? Data : never

/** The body of a response. A list adds which part of the whole it is. */
export type ConsoleBody<Data> = [Data] extends [readonly unknown[]] ? { data: Data; meta: said.Meta } : { data: Data }

/** The request body of an operation; undefined if it has none. */
export type BodyOf<Name extends ConsoleOperationName> = Operations[Name] extends infer Operation
  ? Operation extends { body: infer Body }
    ? Body extends Shape
      ? Members<Body>
      : Body extends 'a picture'
        ? Blob
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
