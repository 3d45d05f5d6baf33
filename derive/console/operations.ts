import type { JsonObject } from '#registry/json.ts'
import type * as said from './answers.ts'
import { answers, type ConsoleOperation } from './operation.ts'
import type { Members, Shape } from './shape.ts'

const paging = ['limit', 'offset'] as const
const password = { password: 'text' } as const

/** Where the operations are. */
export const consoleRoot = '/console'

/** All that the web interface asks of the service, under the root. The server's handlers and the client of the pages are typed by it. */
export const consoleOperations = {
  'session.begin': {
    method: 'POST',
    path: '/session',
    needs: 'nobody',
    body: { email: 'text', password: 'text', account_id: 'id?' },
    answers: answers<said.Me | { choose: said.AccountChoice[] }>(),
  },
  'session.end': { method: 'DELETE', path: '/session', needs: 'nobody', success: 204 },
  'me.fetch': { method: 'GET', path: '/me', needs: 'session', answers: answers<said.Me>() },
  'me.update': {
    method: 'PATCH',
    path: '/me',
    needs: 'session',
    body: { name: 'text?', email: 'text?', password: { current: 'text', next: 'text?' } },
    answers: answers<said.Me>(),
  },

  'sessions.list': { method: 'GET', path: '/sessions', needs: 'session', answers: answers<said.OwnSession[]>() },
  'sessions.end-others': {
    method: 'DELETE',
    path: '/sessions',
    needs: 'session',
    answers: answers<{ ended: number }>(),
  },
  'sessions.end': {
    method: 'DELETE',
    path: '/sessions/{id}',
    needs: 'session',
    answers: answers<{ id: number; ended: true }>(),
  },

  'records.list': {
    method: 'GET',
    path: '/records/{records}',
    needs: { records: 'VIEW' },
    query: 'of its kind',
    answers: answers<said.RecordShown[]>(),
  },
  'records.fetch': {
    method: 'GET',
    path: '/records/{records}/{id}',
    needs: { records: 'VIEW' },
    query: 'of its kind',
    answers: answers<said.RecordShown>(),
  },
  'records.create': {
    method: 'POST',
    path: '/records/{records}',
    needs: { records: 'EDIT' },
    query: 'of its kind',
    body: 'a record',
    success: 201,
    answers: answers<said.RecordCreated>(),
  },
  'records.update': {
    method: 'PATCH',
    path: '/records/{records}/{id}',
    needs: { records: 'EDIT' },
    query: 'of its kind',
    body: 'a record',
    answers: answers<said.RecordUpdated>(),
  },
  'records.delete': {
    method: 'DELETE',
    path: '/records/{records}/{id}',
    needs: { records: 'DELETE' },
    query: 'of its kind',
    answers: answers<said.RecordDeleted>(),
  },
  'records.export': { method: 'GET', path: '/records/{records}.csv', needs: { records: 'VIEW' }, query: 'of its kind' },
  'records.history': {
    method: 'GET',
    path: '/records/{records}/{id}/history',
    needs: { records: 'VIEW' },
    query: paging,
    answers: answers<said.HistoryEntry[]>(),
  },

  'removals.list': {
    method: 'GET',
    path: '/removals',
    needs: 'session',
    query: paging,
    answers: answers<said.Removal[]>(),
  },
  'removals.restore': {
    method: 'POST',
    path: '/removals/{id}/restore',
    needs: 'session',
    answers: answers<said.Restored>(),
  },

  home: { method: 'GET', path: '/home', needs: 'session', answers: answers<said.Morning>() },

  'token.fetch': { method: 'GET', path: '/token', needs: 'API_MANAGE', answers: answers<said.Token | null>() },
  'token.options': {
    method: 'GET',
    path: '/token/options',
    needs: 'API_MANAGE',
    answers: answers<said.TokenOptions>(),
  },
  'token.issue': {
    method: 'POST',
    path: '/token',
    needs: 'API_MANAGE',
    body: { label: 'text', scopes: 'texts', allowlist: 'texts?', password: 'text', account_id: 'id?' },
    success: 201,
    showsSecret: true,
    answers: answers<said.TokenText>(),
  },
  'token.show': {
    method: 'POST',
    path: '/token/show',
    needs: 'API_MANAGE',
    body: password,
    showsSecret: true,
    answers: answers<said.TokenText>(),
  },
  'token.rotate': {
    method: 'POST',
    path: '/token/rotate',
    needs: 'API_MANAGE',
    body: password,
    showsSecret: true,
    answers: answers<said.TokenText>(),
  },
  'token.revoke': {
    method: 'POST',
    path: '/token/revoke',
    needs: 'API_MANAGE',
    body: password,
    answers: answers<{ revoked: true }>(),
  },
  'token.allow': {
    method: 'PUT',
    path: '/token/allowlist',
    needs: 'API_MANAGE',
    body: { allowlist: 'texts', password: 'text' },
    answers: answers<said.Token>(),
  },

  'calls.list': {
    method: 'GET',
    path: '/calls',
    needs: 'API_MANAGE',
    query: [...paging, 'status', 'code', 'route', 'outcome', 'from', 'to'],
    answers: answers<said.Call[]>(),
  },
  'calls.fetch': { method: 'GET', path: '/calls/{id}', needs: 'API_MANAGE', answers: answers<said.CallOpened>() },
  usage: { method: 'GET', path: '/usage', needs: 'API_MANAGE', query: ['days'], answers: answers<said.Usage>() },

  'webhooks.list': { method: 'GET', path: '/webhooks', needs: 'API_MANAGE', answers: answers<said.Webhook[]>() },
  'webhooks.troubles': {
    method: 'GET',
    path: '/webhooks/troubles',
    needs: 'API_MANAGE',
    answers: answers<said.WebhookTrouble[]>(),
  },
  'webhooks.create': {
    method: 'POST',
    path: '/webhooks',
    needs: 'API_MANAGE',
    body: { name: 'text', url: 'text', events: 'texts', payload: 'text', ordered: 'flag', password: 'text' },
    success: 201,
    showsSecret: true,
    answers: answers<said.WebhookWithSecret>(),
  },
  'webhooks.fetch': { method: 'GET', path: '/webhooks/{id}', needs: 'API_MANAGE', answers: answers<said.Webhook>() },
  'webhooks.update': {
    method: 'PATCH',
    path: '/webhooks/{id}',
    needs: 'API_MANAGE',
    body: { name: 'text?', url: 'text?', events: 'texts?', payload: 'text?', ordered: 'flag?', password: 'text' },
    answers: answers<said.Webhook>(),
  },
  'webhooks.delete': {
    method: 'DELETE',
    path: '/webhooks/{id}',
    needs: 'API_MANAGE',
    answers: answers<{ id: number; deleted: true }>(),
  },
  'webhooks.rotate': {
    method: 'POST',
    path: '/webhooks/{id}/rotate',
    needs: 'API_MANAGE',
    body: password,
    showsSecret: true,
    answers: answers<said.WebhookWithSecret>(),
  },
  'webhooks.test': {
    method: 'POST',
    path: '/webhooks/{id}/test',
    needs: 'API_MANAGE',
    answers: answers<said.WebhookAttemptOpened>(),
  },
  'webhooks.enable': {
    method: 'POST',
    path: '/webhooks/{id}/enable',
    needs: 'API_MANAGE',
    answers: answers<said.Webhook>(),
  },
  'webhooks.disable': {
    method: 'POST',
    path: '/webhooks/{id}/disable',
    needs: 'API_MANAGE',
    answers: answers<said.Webhook>(),
  },
  'webhooks.replay': {
    method: 'POST',
    path: '/webhooks/{id}/replay',
    needs: 'API_MANAGE',
    body: { from: 'text' },
    answers: answers<said.Webhook>(),
  },
  'webhooks.attempts': {
    method: 'GET',
    path: '/webhooks/{id}/attempts',
    needs: 'API_MANAGE',
    query: [...paging, 'failed'],
    answers: answers<said.WebhookAttempt[]>(),
  },
  'webhooks.history': {
    method: 'GET',
    path: '/webhooks/{id}/history',
    needs: 'API_MANAGE',
    query: paging,
    answers: answers<said.HistoryEntry[]>(),
  },
  'webhook-attempts.fetch': {
    method: 'GET',
    path: '/webhook-attempts/{id}',
    needs: 'API_MANAGE',
    answers: answers<said.WebhookAttemptOpened>(),
  },
  'webhook-attempts.send-again': {
    method: 'POST',
    path: '/webhook-attempts/{id}/send-again',
    needs: 'API_MANAGE',
    answers: answers<said.WebhookAttemptOpened>(),
  },

  'accounts.list': { method: 'GET', path: '/accounts', needs: 'ACCOUNTS_MANAGE', answers: answers<said.Account[]>() },
  'accounts.create': {
    method: 'POST',
    path: '/accounts',
    needs: 'ACCOUNTS_MANAGE',
    body: { name: 'text', email: 'text', permissions: 'texts', password: 'text?' },
    success: 201,
    answers: answers<said.Account>(),
  },
  'accounts.fetch': {
    method: 'GET',
    path: '/accounts/{id}',
    needs: 'ACCOUNTS_MANAGE',
    answers: answers<said.Account>(),
  },
  'accounts.update': {
    method: 'PATCH',
    path: '/accounts/{id}',
    needs: 'ACCOUNTS_MANAGE',
    body: {
      name: 'text?',
      email: 'text?',
      permissions: 'texts?',
      disabled: 'flag?',
      password: 'text?',
      own_password: 'text?',
    },
    answers: answers<said.Account>(),
  },

  'company.fetch': { method: 'GET', path: '/company', needs: 'COMPANY_MANAGE', answers: answers<said.CompanyOpened>() },
  'company.update': {
    method: 'PATCH',
    path: '/company',
    needs: 'COMPANY_MANAGE',
    body: { name: 'text?', currency: 'text?', plan: 'text?', add_ons: 'texts?' },
    answers: answers<said.Company>(),
  },
} as const satisfies { readonly [name: string]: ConsoleOperation }

type Operations = typeof consoleOperations
export type ConsoleOperationName = keyof Operations

/** The data of an operation's answer; undefined where it has none. */
export type AnswerOf<Name extends ConsoleOperationName> = Operations[Name] extends { answers: { data?: infer Data } }
  ? Exclude<Data, undefined>
  : undefined

/** The answer itself: a list says which part of what it is. */
export type Answered<Data> = [Data] extends [readonly unknown[]] ? { data: Data; meta: said.Meta } : { data: Data }

/** The body of an operation; undefined where it has none. */
export type BodyOf<Name extends ConsoleOperationName> = Operations[Name] extends infer Operation
  ? Operation extends { body: infer Body }
    ? Body extends Shape
      ? Members<Body>
      : JsonObject
    : undefined
  : never

/** The names of the parameters of its query. */
export type QueryOf<Name extends ConsoleOperationName> = Operations[Name] extends { query: infer Query }
  ? Query extends readonly (infer Known extends string)[]
    ? Known
    : string
  : never

/** What its path leaves open. */
export type PathOf<Name extends ConsoleOperationName> = ParametersIn<Operations[Name]['path']>

type ParametersIn<Path extends string> = Path extends `${string}{${infer Parameter}}${infer Rest}`
  ? Parameter | ParametersIn<Rest>
  : never
