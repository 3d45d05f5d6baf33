import type { Route } from '#derive/routes.ts'
import type { JsonObject } from '#registry/json.ts'
import { permissions } from '#registry/permissions.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { addOns, type SubscriptionPlan } from '#registry/subscription.ts'
import type { App } from '#server/app.ts'
import { createApp } from '#server/app.ts'
import { readConfig } from '#server/config/config.ts'
import { startMetrics } from '#server/metrics.ts'
import type { Handlers } from '#server/pipeline/handler.ts'
import { type Actor, operator } from '#server/records/actor.ts'
import { createRecord } from '#server/records/write-record.ts'
import { serve } from '#server/serve.ts'
import { createAccount, setAccount } from '#server/service/account.ts'
import { type CompanyInput, createCompany, setCompany } from '#server/service/company.ts'
import { allowAddresses, issueToken, revokeToken, rotateToken } from '#server/service/token.ts'
import type { Transaction } from '#server/store/database.ts'
import { oneKey } from '#server/store/seal.ts'
import { everywhere, freshDatabase } from './database.ts'
import { conforms, judgeOf } from './document.ts'
import { send, type TestResponse, type Wire } from './http.ts'
import type { Server } from './postgres.ts'
import { untilNoted } from './wait.ts'

/** One server on a database of its own, and companies to call it for. */
export type Stage = {
  url: string
  app: App
  connection: Server
  company(options?: CompanyOptions): Promise<Company>
  /** Any call at all; every answer is checked against the served document. */
  send(wire: Wire): Promise<TestResponse>
  sql<Row = Record<string, unknown>>(text: string, ...values: unknown[]): Promise<Row[]>
  inTransaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  /** Statements that wait for a lock, on whichever server. */
  waiting(): Promise<number>
  close(): Promise<void>
}

export type CompanyOptions = {
  plan?: SubscriptionPlan
  addOns?: readonly string[]
  permissions?: readonly string[]
  scopes?: readonly string[] | 'all'
  allowlist?: readonly string[]
  name?: string
}

export type CallOptions = {
  body?: unknown
  /** Bytes as they are, instead of `body`. */
  raw?: string | Buffer
  headers?: { readonly [name: string]: string }
  /** Null: without one. */
  token?: string | null
}

/** A company with an account and a token. */
export type Company = {
  id: number
  accountId: number
  token: string
  actor: Actor
  call(method: string, path: string, options?: CallOptions): Promise<TestResponse>
  get(path: string, headers?: { readonly [name: string]: string }): Promise<TestResponse>
  /** Creates by the API; the id. */
  create(resource: string, body: object): Promise<number>
  /** Creates by the services, ERP-only resources too; the id. */
  record(kind: string, body: JsonObject): Promise<number>
  set(change: CompanyInput): Promise<void>
  setAccount(change: { permissions?: readonly string[]; disabled?: boolean }): Promise<void>
  allow(allowlist: readonly string[]): Promise<void>
  rotate(): Promise<string>
  revoke(): Promise<void>
  /** The calls logged so far, oldest first. */
  calls(): Promise<LoggedCall[]>
}

/** What an invoice needs beyond DRAFT. */
export const billed = {
  issued_on: '2026-03-01',
  due_on: '2026-03-31',
  lines: [{ description: 'Wall', unit_price_minor: 1200 }],
}

export type LoggedCall = {
  route: string
  status: number
  code: string | null
  counted: boolean
  replayed: boolean
  dry_run: boolean
  record_id: number | null
}

/**
 * Refusals by the clock would be a matter of what else the machine does: the service runs in the process of the tests and
 * waits for them, too. What is refused in which time is tried where a test gives these settings itself.
 */
export const patience = { CONNECT_TIMEOUT_MS: '8000', STATEMENT_TIMEOUT_MS: '30000', ANSWER_TARGET_MS: '60000' }

/** `made` are routes and handlers in place of those that there are; `reach` says over what the database is reached. */
export async function openStage(
  environment: { [name: string]: string } = {},
  made?: { routes: readonly Route[]; handlers: Handlers },
  reach: (connection: Server) => Parameters<typeof createApp>[1] = (connection) => connection,
): Promise<Stage> {
  const { connection, drop } = await freshDatabase()
  // Nobody is left to be answered when a test closes its stage; the time for it would pass all the same.
  const config = readConfig({
    PORT: '0',
    LOG_LEVEL: 'silent',
    DRAIN_NOTICE_MS: '50',
    DRAIN_TIMEOUT_MS: '50',
    ...patience,
    ...environment,
  })
  const app = createApp(config, reach(connection), oneKey('the sealing key of the tests, long enough'), startMetrics)
  const listening = await serve(app, undefined, made && (() => made.routes), made?.handlers)
  const judges = await judgeOf(listening.url)
  const inTransaction: Stage['inTransaction'] = (work) => app.database.transaction(work)
  const sql: Stage['sql'] = (text, ...values) => app.database.read({ text, values })
  const checkedSend = async (wire: Wire): Promise<TestResponse> => {
    const answer = await send(listening.url, wire)
    conforms(judges, wire, answer)
    return answer
  }
  return {
    url: listening.url,
    app,
    connection,
    company: (options = {}) => openCompany(app, checkedSend, inTransaction, sql, options),
    send: checkedSend,
    sql,
    inTransaction,
    waiting: async () => {
      const rows = await everywhere(connection, waitingForLocks)
      return rows.length
    },
    close: async () => {
      await listening.drain()
      await app.meter.close()
      await app.callDetails?.close()
      await app.database.close()
      await drop()
    },
  }
}

const waitingForLocks = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"

async function openCompany(
  app: App,
  checkedSend: Stage['send'],
  inTransaction: Stage['inTransaction'],
  sql: Stage['sql'],
  options: CompanyOptions,
): Promise<Company> {
  const made = await inTransaction(async (transaction) => {
    const { name = 'Harbor', plan = 'ENTERPRISE', permissions: held = permissions } = options
    const company = await createCompany(transaction, {
      fields: { name },
      ...{ plan, addOns: options.addOns ?? addOns },
    })
    const email = `${crypto.randomUUID()}@example.com`
    const account = await createAccount(transaction, company.id, { name: 'Ada', email, permissions: held })
    const wanted = {
      accountId: account.id,
      label: 'Test',
      scopes: options.scopes ?? 'all',
      allowlist: options.allowlist ?? [],
    }
    const { token } = await issueToken(transaction, operator(company.id), app.secret, wanted)
    return { id: company.id, accountId: account.id, token }
  })
  const actor = operator(made.id)

  const company: Company = {
    ...made,
    actor,
    call: (method, path, { body, raw, headers = {}, token = company.token } = {}) => {
      const bytes = raw ?? (body === undefined ? undefined : JSON.stringify(body))
      const pairs: [string, string][] = Object.entries(headers)
      if (token !== null && !('Authorization' in headers)) pairs.push(['Authorization', `Bearer ${token}`])
      if (bytes !== undefined && !('Content-Type' in headers)) pairs.push(['Content-Type', 'application/json'])
      return checkedSend({ method, path, headers: pairs, body: bytes })
    },
    get: (path, headers = {}) => company.call('GET', path, { headers }),
    create: async (resource, body) => {
      const { status, text, body: answer } = await company.call('POST', `/v1/${resource}`, { body })
      if (status !== 201) throw new Error(`${resource} ${JSON.stringify(body)}: ${status} ${text}`)
      return answer.data.id
    },
    record: (kind, body) =>
      inTransaction(async (transaction) => {
        const definition = definitionOf(registry, kind)
        if (!definition) throw new Error(`no kind ${kind}`)
        return (await createRecord(transaction, actor, definition, body)).id
      }),
    set: async (change) => void (await inTransaction((transaction) => setCompany(transaction, made.id, change))),
    setAccount: async (change) =>
      void (await inTransaction((transaction) => setAccount(transaction, made.id, made.accountId, change))),
    allow: async (allowlist) =>
      void (await inTransaction((transaction) => allowAddresses(transaction, actor, allowlist))),
    rotate: async () => (await inTransaction((transaction) => rotateToken(transaction, actor, app.secret))).token,
    revoke: async () => void (await inTransaction((transaction) => revokeToken(transaction, actor))),
    calls: async () => {
      await untilNoted(app)
      return sql<LoggedCall>(
        'select route, status, code, counted, replayed, dry_run, record_id from calls where company_id = $1 order by at, id',
        made.id,
      )
    },
  }
  return company
}
