import { listTools } from '#derive/agent/tools.ts'
import { dataRoutesOf, isDataRoute, type Route } from '#derive/routes.ts'
import { company as companyDefinition } from '#registry/company.ts'
import type { Definition } from '#registry/definition.ts'
import { permission, permissionOfRight, permissions, scopes } from '#registry/permissions.ts'
import { registry, servedResources } from '#registry/resources/index.ts'
import type { ConsoleRoute } from '#server/console-api/operation-request.ts'
import { routes as consoleRoutes } from '#server/console-api/routes.ts'
import type { TestResponse, Wire } from '../stage/http.ts'
import type { AttackedCompany, Caller, Ground } from './ground.ts'
import { withheldNames } from './markers.ts'
import { mcp } from './message.ts'
import { count, type Report, type Rule, rules } from './report.ts'
import {
  type Attack,
  attacksOnApi,
  attacksOnConsole,
  attacksOnTools,
  definitionIn,
  type InnerNeeds,
  neededToDecideOn,
} from './requests.ts'

/** What is attacked: the operations of the service, or others that a test makes up. */
export type Surface = {
  routes: readonly Route[]
  consoleRoutes: readonly ConsoleRoute[]
  tools: readonly string[]
  /** The resources whose records are named. */
  records: readonly string[]
}

export const wholeSurface: Surface = {
  routes: dataRoutesOf(registry),
  consoleRoutes,
  tools: listTools(servedResources).map(({ name }) => name),
  records: registry.map(({ name }) => name),
}

/** Returns the operations of a resource and those of none, which name its records alone. */
export const surfaceAbout = (records: string): Surface => {
  const isAbout = (definition: Definition | undefined): boolean =>
    definition === undefined || definition.name === records
  return {
    routes: wholeSurface.routes.filter((route) => isAbout(isDataRoute(route) ? route.definition : undefined)),
    consoleRoutes: consoleRoutes.filter(({ path }) => isAbout(definitionIn(path))),
    tools: wholeSurface.tools,
    records: [records],
  }
}

/** Returns whether an operation or a tool of the surface answers a request. */
export function isOn({ routes, consoleRoutes, tools }: Surface, { method, path }: Wire): boolean {
  const parts = (path.split('?')[0] as string).split('/')
  const answers = (route: { method: string; path: string }): boolean => {
    const own = route.path.split('/')
    return (
      route.method === method &&
      own.length === parts.length &&
      own.every((part, place) => part.startsWith('{') || part === parts[place])
    )
  }
  return path === mcp.path ? tools.length > 0 : [...routes, ...consoleRoutes].some(answers)
}

/** The short form takes those accounts for which an operation is most likely to be wrong. */
export type Form = 'short' | 'long'

/** A set of permissions, and what it is beside the need of an attack. */
type Account = { held: readonly string[]; one?: string; lacks?: string }

/** An account with each permission alone, with all but each, with none and with all. */
export const accountsFor = (all: readonly string[]): Account[] => [
  { held: [] },
  ...all.map((one) => ({ held: [one], one })),
  ...all.map((lacks) => ({ held: all.filter((one) => one !== lacks), lacks })),
  { held: all },
]

/** Returns whether the form makes this attack by this account. */
function isMade(attack: Attack, { held, one, lacks }: Account, form: Form, place: number): boolean {
  if (form === 'long' || held.length === 0 || held.length === permissions.length) return true
  if (one !== undefined && attack.needs.includes(one)) return true
  if (lacks !== undefined && attack.needs.includes(lacks)) return true
  // What needs no right shows each account what that may see.
  if (lacks?.endsWith('_VIEW') && attack.isRead && attack.needs.length === 0) return true
  return place % 97 === 0
}

/** Every attack on the surface by every account: each is refused or made as its operation says, and tells nothing else. */
export async function attackRights(
  ground: Ground,
  company: AttackedCompany,
  report: Report,
  { surface = wholeSurface, form }: { surface?: Surface; form: Form },
): Promise<void> {
  const attacks = await attacksOn(ground, company, surface)
  const byToken = attacks.filter(({ channel }) => channel !== 'console')
  const inConsole = attacks.filter(({ channel }) => channel === 'console')
  const make = async (account: Account, open: () => Promise<Caller>, chosen: readonly Attack[], places: number) => {
    const made = chosen.filter((attack, place) => isMade(attack, account, form, place + places))
    if (made.length === 0) return
    const caller = await open()
    const before = await company.digest()
    await eightAtATime(made, (attack) => makeAttack(ground, company, report, attack, caller))
    await searchWithheld(ground, company, report, caller, surface)
    if ((await company.digest()) !== before)
      report.findings.push({
        rule: rules.changesNothing,
        call: `one of ${made.length} calls`,
        who: caller.who,
        says: 'records or settings differ afterwards',
      })
  }
  for (const [place, account] of accountsFor(permissions).entries()) {
    if (isUseful(account, byToken, form)) await make(account, () => company.hold(account.held), byToken, place)
    await make(account, () => company.person(account.held), inConsole, place)
  }
  // The account holds all, and the token carries less.
  for (const [place, { held }] of accountsFor(scopes).entries())
    if (form === 'long' || place % 9 === 0) await make({ held }, () => company.hold(permissions, held), byToken, place)
  await company.hold(permissions)
}

/** In the short form a right that no call at /v1 asks for is tried in the console alone. */
const isUseful = ({ one }: Account, attacks: readonly Attack[], form: Form): boolean =>
  form === 'long' || one === undefined || attacks.some(({ needs }) => needs.includes(one))

/** Returns all attacks on a surface; those of tools after a look into the log, for the calls that a tool makes. */
export async function attacksOn(
  ground: Ground,
  company: AttackedCompany,
  { routes, consoleRoutes, tools, records }: Surface,
): Promise<Attack[]> {
  const dataRoutes = routes.filter(isDataRoute)
  const inner: InnerNeeds = {
    removals: [permission((registry.at(-1) as Definition).name, 'EDIT')],
    previews: neededToDecideOn(servedResources.at(-1) as Definition),
  }
  const all = await company.hold(permissions)
  const learned = new Map<string, readonly string[]>()
  const isNamed = (attack: Attack): boolean => attack.records === undefined || records.includes(attack.records)
  for (const attack of attacksOnTools(tools, () => []).filter(isNamed)) {
    const [last] = await ground.sql<{ id: number }>(
      'select coalesce(max(id), 0) as id from calls where company_id = $1',
      company.id,
    )
    await ground.send(attack.safe(all, company.targets) as Wire)
    await ground.settled()
    const rows = await ground.sql<{ route: string }>(
      'select distinct route from calls where company_id = $1 and id > $2',
      company.id,
      last?.id,
    )
    const made = rows.map(({ route }) => dataRoutes.find(({ id }) => id === route))
    learned.set(
      attack.call,
      made.flatMap((route) => route?.scopes ?? []),
    )
  }
  return [
    ...attacksOnApi(dataRoutes),
    ...attacksOnConsole(consoleRoutes, inner),
    ...attacksOnTools(tools, ({ call }) => learned.get(call) ?? []),
  ].filter(isNamed)
}

async function makeAttack(
  ground: Ground,
  { targets }: AttackedCompany,
  report: Report,
  attack: Attack,
  caller: Caller,
): Promise<void> {
  const missing = attack.needs.filter((one) => !caller.held.has(one))
  const wire = missing.length > 0 ? attack.real(caller, targets) : attack.safe(caller, targets)
  if (!wire) return
  const answer = await ground.send(wire)
  count(report, attack.operation)
  const find = (rule: Rule, says: string): void =>
    void report.findings.push({ rule, call: `${attack.channel} ${attack.call}`, who: caller.who, says })
  const { status, code, required_scope: required } = outcomeOf(answer)
  if (missing.length > 0 && !(status === 403 && code === 'insufficient_scope' && missing.includes(required as string)))
    find(rules.isRefused, `${status} ${code ?? ''}, without ${missing}`)
  if (missing.length === 0 && (status === 401 || status >= 500))
    find(rules.isMade, `${status} ${code ?? answer.text.slice(0, 200)}`)
  if (missing.length === 0 && status === 403 && (code !== 'insufficient_scope' || caller.held.has(required as string)))
    find(rules.isMade, `${status} ${code ?? ''} ${required ?? ''}`)
  if (missing.length === 0 && attack.succeeds && caller.held.size === permissions.length && status >= 300)
    find(rules.isDone, `${status} ${answer.text.slice(0, 200)}`)
  for (const says of told(ground, caller, answer, wire)) find(rules.isAllowedToSee, says)
}

/** The status and the code of an answer, inside of that of a tool. */
export function outcomeOf({ status, body }: TestResponse): { status: number; code?: string; required_scope?: string } {
  const result = body?.result
  if (result?.isError) return result.structuredContent
  return { status, code: body?.code, required_scope: body?.required_scope }
}

/** Returns what an answer says that the caller must not see. What the caller sent is known already. */
export function told(
  { markers, written }: Ground,
  { company, held, email }: Caller,
  { text, headers }: TestResponse,
  wire?: Wire,
): string[] {
  const all = `${text}\n${JSON.stringify(headers)}`
  const sent = `${email} ${wire ? `${decodeURIComponent(wire.path)} ${wire.body ?? ''}` : ''}`
  const isKnown = (value: string): boolean => sent.includes(value) || written.has(company + value)
  const leaks = markers.leaked(all, company, held).filter((leak) => !isKnown(leak.split(' ')[0] as string))
  const secrets = [...markers.secrets].flatMap(([value, where]) => (all.includes(value) ? [where] : []))
  const isTable = headers['content-type']?.startsWith('text/csv')
  const names = isTable
    ? (text.split('\r\n')[0] ?? '').split(',')
    : // The log of calls keeps that a field was sent, and not its value.
      [...text.matchAll(/"(\w{1,60})\\?":(?!\\*"\[masked\])/g)].map(([, name]) => name as string)
  const withheld = withheldNames(registry, held)
  // The company has fields of its own with the names of others.
  const own = wire?.path.startsWith('/console/company') ? Object.keys(companyDefinition.fields) : []
  return [
    ...leaks,
    ...secrets,
    ...new Set(names.filter((name) => withheld.has(name) && !own.includes(name)).map((name) => `the field ${name}`)),
  ]
}

/** A search by the value of a withheld field finds as much as one by a value that nobody has. */
async function searchWithheld(
  ground: Ground,
  company: AttackedCompany,
  report: Report,
  caller: Caller,
  surface: Surface,
): Promise<void> {
  for (const { definition, field, right } of searchable) {
    if (!caller.held.has(permission(definition.name, 'VIEW')) || caller.held.has(right)) continue
    const value = String(company.records[definition.name]?.[field])
    const roots = [
      ...(caller.token && definition.served ? ['/v1'] : []),
      ...(caller.cookie ? ['/console/records'] : []),
    ]
    for (const path of roots.flatMap((root) => [
      `${root}/${definition.name}`,
      ...(root === '/v1' ? [] : [`${root}/${definition.name}.csv`]),
    ])) {
      if (!isOn(surface, { method: 'GET', path })) continue
      const ask = (q: string): Promise<TestResponse> =>
        ground.send({
          method: 'GET',
          path: `${path}?q=${encodeURIComponent(q)}`,
          headers: path.startsWith('/v1')
            ? [['Authorization', `Bearer ${caller.token}`]]
            : [['Cookie', caller.cookie as string]],
        })
      const [found, none] = [await ask(value), await ask('zqx00000zq')]
      report.comparisons++
      if (found.text !== none.text || found.headers.link !== none.headers.link)
        report.findings.push({
          rule: rules.findsNothing,
          call: `GET ${path}`,
          who: caller.who,
          says: `${definition.name}.${field} is found by its value`,
        })
    }
  }
}

const searchable = registry.flatMap((definition) =>
  definition.search.flatMap((field) => {
    const right = definition.fields[field]?.right
    return right ? [{ definition, field, right: permissionOfRight(right) }] : []
  }),
)

/** Works on all, a few at a time: as many as a browser would send. */
export async function eightAtATime<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = [...all]
  const worker = async (): Promise<void> => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one)
  }
  await Promise.all(Array.from({ length: 8 }, worker))
}
