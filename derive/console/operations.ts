import type { JsonObject } from '#registry/json.ts'
import type {
  Account,
  AccountChoice,
  Call,
  CallOpened,
  Company,
  CompanyOpened,
  HistoryEntry,
  Me,
  Meta,
  Morning,
  OwnSession,
  RecordCreated,
  RecordDeleted,
  RecordShown,
  RecordUpdated,
  Removal,
  Restored,
  Token,
  TokenOptions,
  TokenText,
  Usage,
} from './answers.ts'
import { answers, type ConsoleOperation } from './operation.ts'
import type { Members, Shape } from './shape.ts'

const paging = ['limit', 'offset'] as const
const password = { password: 'text' } as const

/** All that the web interface asks of the service. The server's handlers and the client of the pages are typed by it. */
export const consoleOperations = {
  'session.begin': {
    method: 'POST',
    path: '/console/session',
    needs: 'nobody',
    body: { email: 'text', password: 'text', account_id: 'id?' },
    answers: answers<Me | { choose: AccountChoice[] }>(),
  },
  'session.end': { method: 'DELETE', path: '/console/session', needs: 'nobody', success: 204 },
  'me.fetch': { method: 'GET', path: '/console/me', needs: 'session', answers: answers<Me>() },
  'me.update': {
    method: 'PATCH',
    path: '/console/me',
    needs: 'session',
    body: { name: 'text?', email: 'text?', password: { current: 'text', next: 'text?' } },
    answers: answers<Me>(),
  },

  'sessions.list': { method: 'GET', path: '/console/sessions', needs: 'session', answers: answers<OwnSession[]>() },
  'sessions.end-others': {
    method: 'DELETE',
    path: '/console/sessions',
    needs: 'session',
    answers: answers<{ ended: number }>(),
  },
  'sessions.end': {
    method: 'DELETE',
    path: '/console/sessions/{id}',
    needs: 'session',
    answers: answers<{ id: number; ended: true }>(),
  },

  'records.list': {
    method: 'GET',
    path: '/console/records/{records}',
    needs: { records: 'VIEW' },
    query: 'of the definition',
    answers: answers<RecordShown[]>(),
  },
  'records.fetch': {
    method: 'GET',
    path: '/console/records/{records}/{id}',
    needs: { records: 'VIEW' },
    query: 'of the definition',
    answers: answers<RecordShown>(),
  },
  'records.create': {
    method: 'POST',
    path: '/console/records/{records}',
    needs: { records: 'EDIT' },
    query: 'of the definition',
    body: 'a record',
    success: 201,
    answers: answers<RecordCreated>(),
  },
  'records.update': {
    method: 'PATCH',
    path: '/console/records/{records}/{id}',
    needs: { records: 'EDIT' },
    query: 'of the definition',
    body: 'a record',
    answers: answers<RecordUpdated>(),
  },
  'records.delete': {
    method: 'DELETE',
    path: '/console/records/{records}/{id}',
    needs: { records: 'DELETE' },
    query: 'of the definition',
    answers: answers<RecordDeleted>(),
  },
  'records.export': {
    method: 'GET',
    path: '/console/records/{records}.csv',
    needs: { records: 'VIEW' },
    query: 'of the definition',
  },
  'records.history': {
    method: 'GET',
    path: '/console/records/{records}/{id}/history',
    needs: { records: 'VIEW' },
    query: paging,
    answers: answers<HistoryEntry[]>(),
  },

  'removals.list': {
    method: 'GET',
    path: '/console/removals',
    needs: 'session',
    query: paging,
    answers: answers<Removal[]>(),
  },
  'removals.restore': {
    method: 'POST',
    path: '/console/removals/{id}/restore',
    needs: 'session',
    answers: answers<Restored>(),
  },

  home: { method: 'GET', path: '/console/home', needs: 'session', answers: answers<Morning>() },

  'token.fetch': { method: 'GET', path: '/console/token', needs: 'API_MANAGE', answers: answers<Token | null>() },
  'token.options': {
    method: 'GET',
    path: '/console/token/options',
    needs: 'API_MANAGE',
    answers: answers<TokenOptions>(),
  },
  'token.issue': {
    method: 'POST',
    path: '/console/token',
    needs: 'API_MANAGE',
    body: { label: 'text', scopes: 'texts', allowlist: 'texts?', password: 'text', account_id: 'id?' },
    success: 201,
    showsSecret: true,
    answers: answers<TokenText>(),
  },
  'token.show': {
    method: 'POST',
    path: '/console/token/show',
    needs: 'API_MANAGE',
    body: password,
    showsSecret: true,
    answers: answers<TokenText>(),
  },
  'token.rotate': {
    method: 'POST',
    path: '/console/token/rotate',
    needs: 'API_MANAGE',
    body: password,
    showsSecret: true,
    answers: answers<TokenText>(),
  },
  'token.revoke': {
    method: 'POST',
    path: '/console/token/revoke',
    needs: 'API_MANAGE',
    body: password,
    answers: answers<{ revoked: true }>(),
  },
  'token.allow': {
    method: 'PUT',
    path: '/console/token/allowlist',
    needs: 'API_MANAGE',
    body: { allowlist: 'texts', password: 'text' },
    answers: answers<Token>(),
  },

  'calls.list': {
    method: 'GET',
    path: '/console/calls',
    needs: 'API_MANAGE',
    query: [...paging, 'status', 'code', 'route', 'outcome', 'from', 'to'],
    answers: answers<Call[]>(),
  },
  'calls.fetch': { method: 'GET', path: '/console/calls/{id}', needs: 'API_MANAGE', answers: answers<CallOpened>() },
  usage: { method: 'GET', path: '/console/usage', needs: 'API_MANAGE', query: ['days'], answers: answers<Usage>() },

  'accounts.list': {
    method: 'GET',
    path: '/console/accounts',
    needs: 'ACCOUNTS_MANAGE',
    answers: answers<Account[]>(),
  },
  'accounts.create': {
    method: 'POST',
    path: '/console/accounts',
    needs: 'ACCOUNTS_MANAGE',
    body: { name: 'text', email: 'text', permissions: 'texts', password: 'text?' },
    success: 201,
    answers: answers<Account>(),
  },
  'accounts.fetch': {
    method: 'GET',
    path: '/console/accounts/{id}',
    needs: 'ACCOUNTS_MANAGE',
    answers: answers<Account>(),
  },
  'accounts.update': {
    method: 'PATCH',
    path: '/console/accounts/{id}',
    needs: 'ACCOUNTS_MANAGE',
    body: {
      name: 'text?',
      email: 'text?',
      permissions: 'texts?',
      disabled: 'flag?',
      password: 'text?',
      own_password: 'text?',
    },
    answers: answers<Account>(),
  },

  'company.fetch': {
    method: 'GET',
    path: '/console/company',
    needs: 'COMPANY_MANAGE',
    answers: answers<CompanyOpened>(),
  },
  'company.update': {
    method: 'PATCH',
    path: '/console/company',
    needs: 'COMPANY_MANAGE',
    body: { name: 'text?', currency: 'text?', plan: 'text?', add_ons: 'texts?' },
    answers: answers<Company>(),
  },
} as const satisfies { readonly [name: string]: ConsoleOperation }

type Operations = typeof consoleOperations
export type ConsoleOperationName = keyof Operations

/** The data of an operation's answer; undefined where it has none. */
export type AnswerOf<Name extends ConsoleOperationName> = Operations[Name] extends { answers: { data?: infer Data } }
  ? Exclude<Data, undefined>
  : undefined

/** The answer itself: a list says which part of what it is. */
export type Answered<Data> = [Data] extends [readonly unknown[]] ? { data: Data; meta: Meta } : { data: Data }

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
