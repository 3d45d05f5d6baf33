import { recordExample } from '#derive/examples.ts'
import { statusOf } from '#derive/form/relations.ts'
import { createBlankRecord } from '#derive/input.ts'
import type { Route } from '#derive/routes.ts'
import { agentDefaults } from '#registry/agents.ts'
import { alwaysOpen, referenceField } from '#registry/common.ts'
import { type Definition, isProtected } from '#registry/definition.ts'
import { doubtCodes } from '#registry/field-codes.ts'
import type { ReferenceField } from '#registry/fields/reference.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { permission, permissions, scopes } from '#registry/permissions.ts'
import { registry, servedResources } from '#registry/resources/index.ts'
import { addOns } from '#registry/subscription.ts'
import { createApp } from '#server/app.ts'
import { readConfig } from '#server/config/config.ts'
import { startMetrics } from '#server/metrics.ts'
import type { Handlers } from '#server/pipeline/handler.ts'
import { operator } from '#server/records/actor.ts'
import { createRecord } from '#server/records/write-record.ts'
import { serve } from '#server/serve.ts'
import { createAccount, setAccount } from '#server/service/account.ts'
import { setAgents } from '#server/service/agents.ts'
import { cursorOf } from '#server/service/changes.ts'
import { createCompany } from '#server/service/company.ts'
import { setLogo } from '#server/service/logo.ts'
import { beginSession } from '#server/service/session.ts'
import { changeToken, issueToken } from '#server/service/token.ts'
import { createWebhook } from '#server/service/webhooks.ts'
import type { Transaction } from '#server/store/database.ts'
import { oneKey } from '#server/store/seal.ts'
import { sendDue } from '#server/webhooks/start.ts'
import { send, type TestResponse, type Wire } from '../stage/http.ts'
import { makePng } from '../stage/png.ts'
import type { Server } from '../stage/postgres.ts'
import { untilNoted, untilTold } from '../stage/wait.ts'
import { type Markers, markedRecord, openMarkers } from './markers.ts'
import { agentHeaders, toolCall } from './message.ts'

/** A service of its own with companies of the same shape, whose every text and amount is a marker. */
export type Ground = {
  url: string
  markers: Markers
  /** Markers of others that a company has written among its own, with its letter before each. */
  written: Set<string>
  sql<Row = JsonObject>(text: string, ...values: unknown[]): Promise<Row[]>
  send(wire: Wire): Promise<TestResponse>
  /** Until every call so far is in the log, and every change is told. */
  settled(): Promise<void>
  company(): Promise<AttackedCompany>
  close(): Promise<void>
}

/** A caller: by a token at /v1 and /mcp, by a session in the console. */
export type Caller = {
  company: string
  who: string
  held: ReadonlySet<string>
  /** Its own address, which it is shown. */
  email?: string
  token?: string
  cookie?: string
}

/** What a path or a body names of a company. Another company has others, and nobody has those of `nowhere`. */
export type Targets = {
  /** By the part of the path before `{id}`. */
  ids: { readonly [kind: string]: string }
  /** The import of each resource. */
  imports: { readonly [records: string]: string }
  /** The external references of records, by resource. */
  references: { readonly [records: string]: string }
  /** Writes that changed, created and deleted a record of each resource. */
  writes: { readonly [records: string]: { readonly [how in WriteKind]: string } }
  cursor: string
  preview: string
  email: string
  etag: string
  planHash: string
  key: string
}
export const writeKinds = ['update', 'create', 'delete'] as const
export type WriteKind = (typeof writeKinds)[number]

export type AttackedCompany = {
  id: number
  letter: string
  targets: Targets
  /** The record of each resource that the targets name, as its owner sees it. */
  records: { readonly [records: string]: JsonObject }
  owner: Caller
  /** Sets the rights of the token's account, and the scopes of the token. */
  hold(held: readonly string[], carried?: readonly string[]): Promise<Caller>
  /** Somebody with these permissions, signed in. */
  person(held: readonly string[]): Promise<Caller>
  /** A digest of all that a refused call must not change. */
  digest(): Promise<string>
  /** Writes, as its owner, one more record of each resource, changes one and deletes one. */
  live(): Promise<void>
}

export const ownersPassword = 'the password of an owner of these attacks'

/** Opens a service on a migrated database. `made` are routes and handlers in place of those that there are. */
export async function openGround(
  connection: Server,
  made?: { routes: readonly Route[]; handlers: Handlers },
): Promise<Ground> {
  const config = readConfig({
    ...{ PORT: '0', LOG_LEVEL: 'silent', DRAIN_NOTICE_MS: '50', DRAIN_TIMEOUT_MS: '50' },
    ...{ CONNECT_TIMEOUT_MS: '30000', STATEMENT_TIMEOUT_MS: '60000', ANSWER_TARGET_MS: '60000' },
    ...{ WEBHOOK_NETWORKS: '127.0.0.1', WEBHOOK_TIMEOUT_MS: '400' },
  })
  const app = createApp(config, connection, oneKey('the sealing key of the attacks, long enough'), startMetrics)
  const listening = await serve(app, undefined, made && (() => made.routes), made?.handlers)
  const inTransaction = <T>(work: (transaction: Transaction) => Promise<T>): Promise<T> =>
    app.database.transaction(work)
  const sql: Ground['sql'] = (text, ...values) => app.database.read({ text, values })
  const markers = openMarkers()
  // Ids of six digits, of each table its own: one that nobody has is as long, and no two things have the same.
  const sequences = await sql<{ name: string }>(
    "select sequencename as name from pg_sequences where schemaname = 'public'",
  )
  for (const [place, { name }] of sequences.entries())
    await sql(`select setval('${name}', ${100_000 + 10_000 * place})`)
  let letter = 'a'
  const ground: Ground = {
    url: listening.url,
    markers,
    written: new Set(),
    sql,
    send: (wire) => inTime(wire, send(listening.url, wire)),
    settled: async () => {
      await untilNoted(app)
      await untilTold({ sql, connection })
    },
    company: async () => {
      const own = letter
      letter = String.fromCharCode(letter.charCodeAt(0) + 1)
      return openCompany(ground, { app, inTransaction, letter: own })
    },
    close: async () => {
      await listening.drain()
      await app.meter.close()
      await app.callDetails?.close()
      await app.database.close()
    },
  }
  return ground
}

/** Far longer than any answer takes. */
const answerMs = 60_000

/** Returns the answer, or one of a status that no service has if there is none in time. */
async function inTime({ method, path, body }: Wire, answer: Promise<TestResponse>): Promise<TestResponse> {
  let timer: NodeJS.Timeout | undefined
  const never = new Promise<TestResponse>((resolve) => {
    const text = `no answer to ${method} ${path} ${body ?? ''}`
    timer = setTimeout(() => resolve({ status: 599, headers: {}, text, sent: 0, body: undefined }), answerMs)
  })
  return Promise.race([answer, never]).finally(() => clearTimeout(timer))
}

type Means = {
  app: ReturnType<typeof createApp>
  inTransaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  letter: string
}

async function openCompany(ground: Ground, { app, inTransaction, letter }: Means): Promise<AttackedCompany> {
  const { sql, markers, settled } = ground
  const seenBy = (where: string, ...seenWith: string[][]) => markers.text({ where, company: letter, seenWith })
  const note = (text: string, where: string) => void markers.secrets.set(text, where)
  const emailOf = (): string => `${seenBy('an address', ['ACCOUNTS_MANAGE'], ['AUDIT_VIEW'])}@example.com`
  const { id, tokenAccount, token, tokenId } = await inTransaction(async (transaction) => {
    const company = await createCompany(transaction, {
      fields: { name: `Company ${letter}` },
      plan: 'ENTERPRISE',
      addOns,
    })
    const account = await createAccount(transaction, company.id, { name: 'Program', email: emailOf(), permissions })
    const issued = await issueToken(transaction, operator(company.id), app.secret, {
      accountId: account.id,
      label: 'Program',
      scopes: 'all',
      allowlist: [],
    })
    return { id: company.id, tokenAccount: account.id, token: issued.token, tokenId: issued.row.id }
  })
  note(token, 'the token')
  const actor = operator(id)
  await inTransaction((transaction) => setLogo(transaction, actor, { type: 'image/png', bytes: makePng(2, 2) }))

  /** All have the password of the owner: a hash takes as long as a hundred calls. */
  const person = async (
    held: readonly string[],
    password?: string,
  ): Promise<Caller & { id: number; email: string }> => {
    const email = emailOf()
    const account = await inTransaction((transaction) =>
      createAccount(transaction, id, { name: 'Somebody', email, permissions: held, ...(password ? { password } : {}) }),
    )
    if (!password)
      await sql(
        'update accounts set password_hash = (select password_hash from accounts where id = $1) where id = $2',
        owner.id,
        account.id,
      )
    const origin = { device: 'Test', peer: '127.0.0.1', forwardedFor: null, plainName: true }
    const session = await inTransaction((transaction) =>
      beginSession(transaction, { companyId: id, accountId: account.id }, origin),
    )
    if (!session) throw new Error('there is no session')
    note(session.text, 'a session')
    return {
      id: account.id,
      email,
      company: letter,
      who: nameOf(held),
      held: new Set(held),
      cookie: `plumbline_session=${session.text}`,
    }
  }
  const owner: Awaited<ReturnType<typeof person>> = await person(permissions, ownersPassword)
  const caller = { ...owner, token }

  const ask = async (
    method: string,
    path: string,
    body?: JsonObject,
    headers: [string, string][] = [],
  ): Promise<TestResponse> => {
    const isConsole = path.startsWith('/console')
    const answer = await ground.send({
      method,
      path,
      headers: [
        ...(isConsole ? [['Cookie', owner.cookie as string] as const, ['Sec-Fetch-Site', 'same-origin'] as const] : []),
        ...(isConsole ? [['X-Accept-Doubts', doubtCodes.join(',')] as const] : []),
        ...(isConsole ? [] : [['Authorization', `Bearer ${token}`] as const]),
        ...(body ? [['Content-Type', 'application/json'] as const] : []),
        ...headers,
      ],
      body: body && JSON.stringify(body),
    })
    if (answer.status >= 300)
      throw new Error(`${method} ${path} ${JSON.stringify(body)}: ${answer.status} ${answer.text}`)
    return answer
  }

  const ids: { [kind: string]: string } = {}
  const made = new Map<string, number>()
  /** One record of each resource, and of a resource of which only some are eligible one of each sort. */
  const referred = async (to: string, only?: { column: string; value: string }): Promise<number> => {
    const key = only ? `${to} ${only.value}` : to
    const found = made.get(key)
    if (found !== undefined) return found
    const definition = registry.find(({ name }) => name === to) as Definition
    const record = await create(definition, only && { [only.column]: only.value })
    made.set(key, record)
    return record
  }
  const valuesOf = async (definition: Definition, given: JsonObject = {}): Promise<JsonObject> => {
    const references = new Map<string, number>()
    for (const [name, field] of Object.entries(definition.fields))
      if (field.kind === 'reference' && field.to !== definition.name)
        references.set(name, await referred(field.to, field.only ?? stateBefore(field)))
    const needed = definition.needs?.status.includes(String(given.status)) ? definition.needs.fields : []
    const example = recordExample(definition)
    return {
      ...Object.fromEntries(needed.map((name) => [name, example[name] as Json])),
      ...markedRecord(definition, markers, letter, (_, name) => references.get(name)),
      ...given,
    }
  }
  const create = async (definition: Definition, given?: JsonObject): Promise<number> => {
    const values = await valuesOf(definition, given)
    return inTransaction(async (transaction) => (await createRecord(transaction, actor, definition, values)).id)
  }
  const rootOf = (definition: Definition): string => (definition.served ? '/v1' : '/console/records')
  const idOf = ({ body }: TestResponse): string => String(body.data.id)

  /** New values of the marked fields of a record; of one that has none, of its numbers. */
  const changesOf = async (definition: Definition): Promise<JsonObject> => {
    const values = Object.entries(await valuesOf(definition))
    const isOf =
      (...kinds: string[]) =>
      ([name]: [string, unknown]): boolean =>
        kinds.includes(definition.fields[name]?.kind ?? '')
    const fixed = isOf('reference', 'choice', 'date', 'decimal')
    const isLocked = isProtected(definition, { ...createBlankRecord(definition), ...Object.fromEntries(values) })
    const isOpen = ([name]: [string, unknown]): boolean =>
      isLocked ? alwaysOpen.includes(name) : name !== referenceField
    const marked = values.filter((value) => !fixed(value) && isOpen(value))
    const numbers = Object.entries(definition.fields)
      .filter(isOf('decimal'))
      .map(([name]) => [name, 1])
    const [next] = statusOf(definition)?.moves?.[String(statusOf(definition)?.initial)] ?? []
    if (isLocked && marked.length === 0) return { status: next as string }
    return Object.fromEntries(marked.length > 0 ? marked : numbers)
  }

  const live = async (): Promise<void> => {
    for (const definition of registry) {
      const path = `${rootOf(definition)}/${definition.name}`
      const one = await ask('POST', path, await valuesOf(definition))
      await ask('PATCH', `${path}/${idOf(one)}`, await changesOf(definition))
      const other = await ask('POST', path, await valuesOf(definition))
      if (canBeDeleted(definition)) await ask('DELETE', `${path}/${idOf(other)}`)
    }
    await settled()
  }

  const references: { [records: string]: string } = {}
  const records: { [records: string]: JsonObject } = {}
  const writes: { [records: string]: { [how in WriteKind]: string } } = {}
  const imports: { [records: string]: string } = {}
  const writeOf = ({ headers }: TestResponse): string => headers['x-write-id'] as string
  for (const definition of registry) {
    const { name } = definition
    const record = await referred(name)
    ids[name] = String(record)
    for (const [field, { kind, ...rest }] of Object.entries(definition.fields))
      if (kind === 'reference' && 'settles' in rest)
        ids[referredBy(definition, field)] = String((await valuesOf(definition))[field])
    const path = `${rootOf(definition)}/${name}`
    const update = await ask('PATCH', `${path}/${record}`, await changesOf(definition), [
      ['Idempotency-Key', `key-${letter}-${name}`],
    ])
    const created = await ask('POST', path, await valuesOf(definition))
    const gone = await ask('POST', path, await valuesOf(definition))
    const deleted = canBeDeleted(definition) ? await ask('DELETE', `${path}/${idOf(gone)}`) : gone
    writes[name] = { update: writeOf(update), create: writeOf(created), delete: writeOf(deleted) }
    const shown = await ask('GET', `/console/records/${name}/${record}`)
    records[name] = shown.body.data
    if (shown.body.data[referenceField]) references[name] = shown.body.data[referenceField]
    const began = {
      file_name: seenBy('an import', [permission(name, 'EDIT')]),
      fingerprint: 'f',
      settings: {},
      rows: 1,
    }
    imports[name] = (await ask('POST', `/console/imports/${name}`, began)).body.data.write_id
  }
  const [removal] = (await ask('GET', '/console/removals')).body.data
  const hook = await inTransaction((transaction) =>
    createWebhook(
      transaction,
      { actor, keys: app.secret, now: app.clock.now() },
      {
        name: seenBy('a webhook', ['API_MANAGE'], ['AUDIT_VIEW']),
        url: `http://127.0.0.1:1/${seenBy('the address of a webhook', ['API_MANAGE'], ['AUDIT_VIEW'])}`,
        ...{ events: 'all', payload: 'full', ordered: true },
      },
    ),
  )
  note(hook.secret, 'the secret of a webhook')
  await settled()
  const [served] = servedResources as readonly [Definition]
  await ask('POST', `/v1/${served.name}`, await valuesOf(served))
  await settled()
  await sendDue(app)
  const [attempt] = (await ask('GET', `/console/webhooks/${hook.webhook.id}/attempts`)).body.data
  if (!attempt) throw new Error('nothing was sent to the webhook')

  await inTransaction((transaction) => setAgents(transaction, actor, { ...agentDefaults, always: true }))
  let preview = ''
  for (const definition of servedResources) {
    const { name } = definition
    const operations = [{ op: 'update', records: name, id: Number(ids[name]), body: await changesOf(definition) }]
    const why = seenBy('the reason of a preview', [permission(name, 'VIEW'), permission(name, 'EDIT')])
    const answer = await ground.send({
      ...{ method: 'POST', path: '/mcp', headers: agentHeaders(token, 'preview') },
      body: toolCall('preview', { operations, why } as unknown as JsonObject),
    })
    preview = answer.body?.result?.structuredContent?.preview
    if (!preview) throw new Error(`${name} has no preview: ${answer.text}`)
  }
  const [call] = (await ask('GET', '/console/calls?status=200&limit=1')).body.data
  const [session] = (await ask('GET', '/console/sessions')).body.data
  const planned = await ask('PATCH', `/v1/${served.name}/${ids[served.name]}?dry_run=1`, { [served.title]: 'Planned' })
  const feed = await ask('GET', '/v1/changes?after=now')
  const tag = (await ask('GET', `/v1/${served.name}/${ids[served.name]}`)).headers.etag as string
  await ask('GET', `/console/records/${served.name}.csv`)

  const tables = await sql<{ name: string }>(
    "select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'company_id'",
  )
  const watched = [...registry.map(({ name }) => name), 'accounts', 'webhook_endpoints'].filter((name) =>
    tables.some((table) => table.name === name),
  )

  const digestOf = (table: string): string =>
    `(select string_agg(t::text, ' ' order by t::text) from ${table} t where company_id = $1)`
  const digest = `select md5(concat_ws(' | ', ${watched.map(digestOf).join(', ')},
    (select string_agg(concat(id, label, scopes, allowlist, revoked_at), ' ' order by id) from tokens where company_id = $1),
    (select concat(name, currency, plan, agents) from companies where id = $1))) as digest`

  return {
    id,
    letter,
    records,
    owner: caller,
    targets: {
      ids: {
        ...ids,
        ...{
          tokens: String(tokenId),
          sessions: String(session.id),
          removals: String(removal.id),
          calls: String(call.id),
          accounts: String(owner.id),
        },
        ...{ webhooks: String(hook.webhook.id), 'webhook-attempts': String(attempt.id), previews: preview },
        writes: (writes[served.name] as { update: string }).update,
      },
      ...{ imports, references, writes, preview, email: owner.email, etag: tag, key: `key-${letter}-${served.name}` },
      cursor: feed.body.meta.next,
      planHash: planned.body.plan.hash,
    },
    person,
    live,
    hold: async (held, carried = scopes) => {
      await inTransaction(async (transaction) => {
        await setAccount(transaction, id, tokenAccount, { permissions })
        await changeToken(transaction, actor, { scopes: carried })
        await setAccount(transaction, id, tokenAccount, { permissions: held })
      })
      await sql('delete from previews where company_id = $1 and id <> $2', id, preview)
      const both = held.filter((one) => !isScope(one) || carried.includes(one))
      return { company: letter, who: `a token of ${nameOf(both)}`, held: new Set(both), token }
    },
    digest: async () => {
      const [row] = await sql<{ digest: string }>(digest, id)
      return row?.digest as string
    },
  }
}

/** The name of the target that a field of a resource refers to, where not every record of its kind will do. */
export const referredBy = ({ name }: Definition, field: string): string => `${name}.${field}`

/** Returns the state in which a record is settled by those that refer to it. */
function stateBefore({ settles, gives }: ReferenceField): { column: string; value: string } | undefined {
  const [[column, values] = []] = Object.entries((settles && gives?.when) ?? {})
  return column === undefined ? undefined : { column, value: String(values?.[0]) }
}

/** Returns whether new records can be deleted: some are part of the books from the beginning. */
const canBeDeleted = (definition: Definition): boolean => !isProtected(definition, createBlankRecord(definition))

const isScope = (one: string): boolean => scopes.includes(one)

/** Returns a short name for a set of permissions. */
function nameOf(held: readonly string[]): string {
  const lacking = permissions.filter((one) => !held.includes(one))
  if (lacking.length === 0) return 'all rights'
  return lacking.length < held.length ? `all rights but ${lacking.join(', ')}` : held.join(', ') || 'no right'
}

/** Returns targets like these that nobody has, each as long as the other. */
export function nowhere({ ids, imports, references, writes, ...others }: Targets): Targets {
  const number = (text: string): string => '9'.repeat(text.length)
  const uuid = (text: string): string => `${text.slice(0, -12)}${'0'.repeat(12)}`
  const like = (text: string): string => (/^\d+$/.test(text) ? number(text) : uuid(text))
  const each = <T extends object>(all: T, change: (text: string) => string): T =>
    Object.fromEntries(Object.entries(all).map(([name, text]) => [name, change(text)])) as T
  return {
    ids: each(ids, like),
    imports: each(imports, uuid),
    references: each(references, (text) => `${text.slice(0, 3)}99999${text.slice(8)}`),
    writes: Object.fromEntries(Object.entries(writes).map(([name, all]) => [name, each(all, uuid)])),
    cursor: cursorOf(999_999, { epoch: 1, pos: '1', id: 1, line: null }),
    preview: uuid(others.preview),
    email: others.email.replace(/\d{5}/, '99999'),
    // Versions alone are compared, so that another tag of the same version is as good.
    etag: others.etag.replace(/-[\w-]+/, '-AAAAAAAAAAAAAAAAAAAAAA'),
    planHash: `sha256-${'A'.repeat(others.planHash.length - 'sha256-'.length)}`,
    key: others.key.replace(/^key/, 'new'),
  }
}
