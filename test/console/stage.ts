import type { Agent } from 'node:http'
import { expect } from 'vitest'
import type { JsonObject } from '#registry/json.ts'
import { permissions } from '#registry/permissions.ts'
import { createAccount } from '#server/service/account.ts'
import { beginSession } from '#server/service/session.ts'
import { send, type TestResponse } from '../stage/http.ts'
import { type Company, type CompanyOptions, openStage, type Stage } from '../stage/stage.ts'

/** The console of a running server, and people who are signed in to it. */
export type ConsoleStage = Stage & {
  /** A company and its owner, signed in. */
  admin(options?: CompanyOptions): Promise<Person & { company: Company }>
  /** Somebody more, signed in. */
  person(company: Company, held?: readonly string[]): Promise<Person>
  /** Any request at all. */
  ask(method: string, path: string, options?: AskOptions): Promise<TestResponse>
}

type AskOptions = {
  body?: unknown
  raw?: string
  headers?: { readonly [name: string]: string }
  cookie?: string | undefined
  agent?: Agent
  from?: string
}

export type Person = {
  id: number
  email: string
  password: string
  /** Name and value, as the browser would send it. */
  cookie: string
  ask(
    method: string,
    path: string,
    body?: unknown,
    headers?: { readonly [name: string]: string },
  ): Promise<TestResponse>
  get(path: string, headers?: { readonly [name: string]: string }): Promise<TestResponse>
  /** The data of an answer that must be a success. */
  data(path: string): Promise<TestResponse['body']>
}

export const password = 'a password that is long enough'

export async function openConsole(environment: { [name: string]: string } = {}): Promise<ConsoleStage> {
  const stage = await openStage(environment)
  const ask: ConsoleStage['ask'] = async (method, path, { body, raw, headers = {}, cookie, ...rest } = {}) => {
    const bytes = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const all = {
      ...(bytes === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(cookie === undefined ? {} : { Cookie: cookie }),
      'Sec-Fetch-Site': 'same-origin',
      ...headers,
    }
    // An empty header is one that is not sent.
    const sent = Object.entries(all).filter(([, value]) => value !== '')
    const answer = await send(stage.url, { method, path, headers: sent, body: bytes, ...rest })
    // Nothing of the interface is kept by a cache, whatever the answer [V14.3.2].
    if (path.startsWith('/console/')) expect(answer.headers['cache-control'], path).toBe('no-store')
    return answer
  }
  const person: ConsoleStage['person'] = async (company, held = permissions) => {
    const email = `${crypto.randomUUID()}@example.com`
    const { id } = await stage.inTransaction((transaction) =>
      createAccount(transaction, company.id, { name: 'Femi', email, password, permissions: held }),
    )
    const origin = { device: 'Test', peer: '127.0.0.1', forwardedFor: null, plainName: true }
    const session = await stage.inTransaction((transaction) =>
      beginSession(transaction, { companyId: company.id, accountId: id }, origin),
    )
    const cookie = `plumbline_session=${session?.text}`
    const get: Person['get'] = (path, headers = {}) => ask('GET', path, { cookie, headers })
    return {
      id,
      email,
      password,
      cookie,
      ask: (method, path, body, headers = {}) => ask(method, path, { body, headers, cookie }),
      get,
      data: async (path) => {
        const answer = await get(path)
        if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`)
        return answer.body.data
      },
    }
  }
  return {
    ...stage,
    ask,
    person,
    admin: async (options = {}) => {
      const company = await stage.company(options)
      return { ...(await person(company, options.permissions)), company }
    },
  }
}

/** The cookie of a new session, by signing in. */
export async function signIn(ask: ConsoleStage['ask'], email: string, given = password): Promise<string> {
  const answer = await ask('POST', '/console/session', { body: { email, password: given } })
  if (answer.status !== 200) throw new Error(`sign-in: ${answer.status} ${answer.text}`)
  return cookieOf(answer)
}

export const cookieOf = (answer: TestResponse): string => setCookie(answer).split(';')[0] as string

export const setCookie = ({ headers }: TestResponse): string => setCookies({ headers })[0] ?? 'none'

/** Every cookie that an answer sets. */
export const setCookies = ({ headers }: Pick<TestResponse, 'headers'>): string[] =>
  ([headers['set-cookie'] ?? []] as (string | string[])[]).flat()

/** A record of every resource, all of one project but for the payment, which is of another client's invoice; their ids. */
export async function oneOfEach(company: Company): Promise<{ [kind: string]: number }> {
  const ids: { [kind: string]: number } = {}
  const make = async (kind: string, body: JsonObject) => {
    ids[kind] = await company.record(kind, body)
    return ids[kind]
  }
  const line = { description: 'Wall', quantity: 2, unit_price_minor: 500 }
  await make('trades', { name: 'Mason' })
  await make('categories', { name: 'Walls', kind: 'project' })
  const client_id = await make('clients', { name: 'Client' })
  const worker_id = await make('workers', { name: 'Worker', trade_id: ids.trades as number })
  const subcontractor_id = await make('subcontractors', { name: 'Sub' })
  const project_id = await make('projects', {
    name: 'Project',
    code: 'P-1',
    client_id,
    manager_id: worker_id,
    category_id: ids.categories as number,
    address: { city: 'Bristol' },
  })
  const estimate_id = await make('estimates', { title: 'Estimate', client_id, project_id, lines: [line] })
  const equipment_id = await make('equipment', {
    name: 'Digger',
    project_id,
    status: 'IN_USE',
    supplier_id: subcontractor_id,
  })
  await make('tasks', { project_id, title: 'Task' })
  await make('contacts', { client_id, name: 'Contact' })
  await make('time_entries', { worker_id, project_id, worked_on: '2026-01-05', hours: 7.5 })
  await make('invoices', { client_id, project_id, estimate_id, lines: [line] })
  // A payment is of an issued invoice, which keeps its client from being deleted.
  const days = { issued_on: '2026-01-05', due_on: '2026-02-05' }
  const payer = await company.record('clients', { name: 'Payer' })
  const invoice_id = await company.record('invoices', { client_id: payer, status: 'ISSUED', ...days, lines: [line] })
  await make('payments', { invoice_id, paid_on: '2026-01-05', amount_minor: 500 })
  await make('contracts', { subcontractor_id, project_id, title: 'Contract' })
  await make('equipment_logs', { equipment_id, project_id, logged_on: '2026-01-05' })
  return ids
}
