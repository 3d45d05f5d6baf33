import { filtersOf } from '#derive/parameters.ts'
import { referenceField } from '#registry/common.ts'
import type { Definition } from '#registry/definition.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { permissions } from '#registry/permissions.ts'
import { registry } from '#registry/resources/index.ts'
import { withEveryFilter } from '#server/console-api/read-parameters.ts'
import type { TestResponse, Wire } from '../stage/http.ts'
import { type AttackedCompany, type Caller, type Ground, nowhere, ownersPassword, type Targets } from './ground.ts'
import { agentHeaders, mcp, toolCall } from './message.ts'
import { count, type Report, type Rule, rules } from './report.ts'
import type { Attack } from './requests.ts'
import { attacksOn, eightAtATime, isOn, outcomeOf, type Surface, told, wholeSurface } from './rights.ts'

/** What one company learns of another: nothing, by whatever it names. */

/** A request that names something: of another company, and of nobody. */
type Pair = Named & {
  operation: string
  call: string
  /** The same without a dry-run, which is made only if the dry-run is refused: others would write. */
  real?: Named
}
type Named = { theirs: Wire; nobodys: Wire }

/** Names everything of another company in every operation, and compares each answer with that about what nobody has. */
export async function attackCompany(
  ground: Ground,
  [mine, theirs]: readonly [AttackedCompany, AttackedCompany],
  report: Report,
  surface: Surface = wholeSurface,
): Promise<void> {
  const caller: Caller = {
    ...mine.owner,
    ...(await mine.hold(permissions)),
    ...{ cookie: mine.owner.cookie as string },
  }
  const attacks = await attacksOn(ground, mine, surface)
  await compareReads(
    ground,
    [mine, theirs],
    report,
    attacks.filter(({ isRead }) => isRead),
    caller,
  )
  const before = await theirs.digest()
  const nobody = nowhere(theirs.targets)
  const naming = pairsNaming([mine, theirs], nobody, caller, surface.records)
  const pairs = [
    ...naming.filter((pair) => isOn(surface, pair.theirs)),
    ...pairsOf(attacks, theirs.targets, nobody, caller),
  ]
  await eightAtATime(pairs, (pair) => comparePair(ground, report, pair, caller, [theirs.targets, nobody]))
  // Some things are of one account alone.
  const other = await mine.person(permissions)
  const own = attacks.filter(({ call }) => /(sessions|imports\/\w+)\/\{id\}/.test(call))
  await eightAtATime(pairsOf(own, mine.targets, nowhere(mine.targets), other), (pair) =>
    comparePair(ground, report, pair, other, [mine.targets, nowhere(mine.targets)]),
  )
  if ((await theirs.digest()) !== before)
    report.findings.push({
      rule: rules.leavesOthers,
      call: `one of ${pairs.length} pairs`,
      who: caller.who,
      says: 'the other company differs afterwards',
    })
}

/** The attacks, with the targets of the other company and with those of nobody, where that is a difference. */
const pairsOf = (attacks: readonly Attack[], theirs: Targets, nobody: Targets, caller: Caller): Pair[] =>
  attacks.flatMap((attack): Pair[] => {
    const named = (wireOf: Attack['real' | 'safe']): Named | undefined => {
      const [one, other] = [wireOf(caller, theirs), wireOf(caller, nobody)]
      // Who signs in by the address of another company is of that company.
      const isSignIn = !one?.headers?.some(([name]) => name === 'Cookie' || name === 'Authorization')
      // An address is tried by creating an account with it; as one's own it would be taken afterwards.
      const isOwn = one?.path === '/console/me'
      const isSame = one?.path === other?.path && one?.body === other?.body
      return one && other && !isSignIn && !isOwn && !isSame ? { theirs: one, nobodys: other } : undefined
    }
    const [safe, real] = [named(attack.safe), named(attack.real)]
    const first = safe ?? real
    if (!first) return []
    const both = safe && real && safe.theirs.path !== real.theirs.path ? { real } : {}
    return [{ operation: attack.operation, call: `${attack.channel} ${attack.call}`, ...first, ...both }]
  })

/** Requests that name something of another company elsewhere than in a path: references, filters, values and headers. */
function pairsNaming(
  [mine, theirs]: readonly [AttackedCompany, AttackedCompany],
  nobody: Targets,
  caller: Caller,
  records: readonly string[],
): Pair[] {
  const pairs: Pair[] = []
  const [byToken, bySession] = [
    [['Authorization', `Bearer ${caller.token}`]],
    [
      ['Cookie', caller.cookie as string],
      ['Sec-Fetch-Site', 'same-origin'],
    ],
  ] as [[string, string][], [string, string][]]
  const json: [string, string] = ['Content-Type', 'application/json']
  const add = (operation: string, call: string, wireOf: (of: Targets) => Wire): void =>
    void pairs.push({ operation, call, theirs: wireOf(theirs.targets), nobodys: wireOf(nobody) })
  const sent = (
    method: string,
    path: string,
    body: JsonObject | undefined,
    headers: [string, string][] = [],
  ): Wire => ({
    ...{ method, path },
    headers: [...(path.startsWith('/v1') ? byToken : bySession), ...(body ? [json] : []), ...headers],
    body: body && JSON.stringify(body),
  })
  const tool = (name: string, given: JsonObject): Wire => ({
    ...{ ...mcp, headers: agentHeaders(caller.token as string, name) },
    body: toolCall(name, given),
  })

  for (const definition of registry.filter(({ name }) => records.includes(name))) {
    const { name, served, fields, title } = definition
    const roots = [`/console/records/${name}`, ...(served ? [`/v1/${name}`] : [])]
    const id = mine.targets.ids[name]
    const reference = mine.targets.references[name]
    /** Every way to send a body. */
    const addBodies = (what: string, bodyOf: (of: Targets) => JsonObject): void => {
      for (const root of roots) {
        add(name, `POST ${root} with ${what}`, (of) =>
          sent('POST', `${root}?dry_run=1`, { ...needed(definition, mine), ...bodyOf(of) }),
        )
        add(name, `PATCH ${root} with ${what}`, (of) => sent('PATCH', `${root}/${id}?dry_run=1`, bodyOf(of)))
      }
      const create = (of: Targets): JsonObject => ({
        op: 'create',
        body: { ...needed(definition, mine), ...bodyOf(of) },
      })
      add(name, `an import into ${name} with ${what}`, (of) =>
        sent('POST', `/console/records/${name}/batch?dry_run=1`, { operations: [create(of)] }),
      )
      if (!served) return
      const path = `/v1/${name}/by/${referenceField}/${reference}`
      add(name, `PUT ${path} with ${what}`, (of) => sent('PUT', `${path}?dry_run=1`, bodyOf(of)))
      for (const mode of ['all', 'each'])
        add('batch', `a batch (${mode}) into ${name} with ${what}`, (of) =>
          sent('POST', '/v1/batch?dry_run=1', { mode, operations: [{ ...create(of), records: name }] }),
        )
      add('mcp.preview', `preview of ${name} with ${what}`, (of) =>
        tool('preview', { operations: [{ ...create(of), records: name }], why: 'asked' }),
      )
    }
    /** Every list that a query narrows. */
    const addQueries = (what: string, parameter: string, textOf: (of: Targets) => string): void => {
      const isServed =
        served && (parameter === 'q' || filtersOf(definition).some((filter) => filter.parameter === parameter))
      for (const path of [
        `/console/records/${name}`,
        `/console/records/${name}.csv`,
        ...(isServed ? [`/v1/${name}`] : []),
      ])
        add(name, `GET ${path} by ${what}`, (of) =>
          sent('GET', `${path}?${parameter}=${encodeURIComponent(textOf(of))}`, undefined),
        )
      if (isServed)
        add('mcp.find', `find ${name} by ${what}`, (of) =>
          tool('find', {
            records: name,
            ...(parameter === 'q' ? { q: textOf(of) } : { where: { [parameter]: textOf(of) } }),
          }),
        )
    }
    for (const [field, kind] of Object.entries(fields)) {
      if (kind.kind === 'reference') {
        addBodies(field, (of) => ({ [field]: Number(of.ids[kind.to]) }))
        add(name, `a look-up of ${name}.${field}`, (of) =>
          sent('POST', `/console/imports/${name}/look-up`, { field, values: [String(of.ids[kind.to])] }),
        )
      }
      const value = theirs.records[name]?.[field]
      if (kind.unique && typeof value === 'string')
        addBodies(field, (of) => ({ [field]: ofNobody(value, of === nobody) }))
    }
    for (const { parameter, field, takes } of filtersOf(withEveryFilter({ ...definition, served: { addOn: 'api' } }))) {
      const kind = fields[field]
      const to = kind?.kind === 'reference' ? kind.to : kind?.kind === 'id' ? name : undefined
      if (to !== undefined && (takes === 'one' || takes === 'several'))
        addQueries(parameter, parameter, (of) => String(of.ids[to]))
    }
    const searched = String(theirs.records[name]?.[title])
    if (definition.search.length > 0) {
      addQueries('words', 'q', (of) => ofNobody(searched, of === nobody))
      add(name, `a look-up of ${name}.${title}`, (of) =>
        sent('POST', `/console/imports/${name}/look-up`, { field: title, values: [ofNobody(searched, of === nobody)] }),
      )
    }
    for (const root of roots) {
      add(name, `PATCH ${root} if it matches`, (of) =>
        sent('PATCH', `${root}/${id}?dry_run=1`, { [title]: mine.records[name]?.[title] as Json }, [
          ['If-Match', of.etag],
        ]),
      )
      add(name, `PATCH ${root} if that is the plan`, (of) =>
        sent('PATCH', `${root}/${id}`, {}, [['If-Plan', `"${of.planHash}"`]]),
      )
      add(name, `GET ${root} if it is none`, (of) =>
        sent('GET', `${root}/${id}`, undefined, [['If-None-Match', of.etag]]),
      )
      add(name, `POST ${root} with a key`, (of) =>
        sent('POST', root, { ...needed(definition, mine), ...freshTitle(definition) }, [['Idempotency-Key', of.key]]),
      )
    }
  }
  add('changes', 'GET /v1/changes by a cursor', (of) => sent('GET', `/v1/changes?after=${of.cursor}`, undefined))
  add('console.calls.list', 'GET /console/calls by a token', (of) =>
    sent('GET', `/console/calls?token=${of.ids.tokens}`, undefined),
  )
  for (const path of ['/console/audit', '/console/audit.csv', '/console/audit.json'])
    add(`console.audit`, `GET ${path} by an account`, (of) =>
      sent('GET', `${path}?actor=${of.ids.accounts}`, undefined),
    )
  add('console.session.begin', 'POST /console/session for an account', (of) => ({
    ...{ method: 'POST', path: '/console/session', headers: [['Sec-Fetch-Site', 'same-origin'], json] },
    body: JSON.stringify({ email: caller.email ?? '', password: ownersPassword, account_id: Number(of.ids.accounts) }),
  }))
  return pairs
}

/** The least that a new record needs, with the references of its own company. */
const needed = (definition: Definition, { records }: AttackedCompany): JsonObject =>
  Object.fromEntries(
    Object.entries(definition.fields).flatMap(([name, field]): [string, Json][] =>
      field.required && !field.readOnly && field.initial === undefined && !field.unique
        ? [[name, records[definition.name]?.[name] ?? null]]
        : [],
    ),
  )

const freshTitle = ({ title, fields }: Definition): JsonObject =>
  fields[title]?.unique ? { [title]: crypto.randomUUID() } : {}

/** Returns a value as it is, or one of the same form that nobody has. */
const ofNobody = (value: string, isNobodys: boolean): string =>
  isNobodys
    ? value
        .replace(/\d{5}zq/, '99999zq')
        .replace(/^[89]\d{12}/, '9999999999999')
        .replace(/\d{6}$/, '999999')
    : value

async function comparePair(
  ground: Ground,
  report: Report,
  pair: Pair,
  caller: Caller,
  targets: readonly Targets[],
): Promise<void> {
  const statuses = await compareAnswers(ground, report, pair, caller, targets)
  if (pair.real && statuses.every((status) => status >= 400))
    await compareAnswers(ground, report, { ...pair, ...pair.real }, caller, targets)
}

async function compareAnswers(
  ground: Ground,
  report: Report,
  pair: Pair,
  caller: Caller,
  targets: readonly Targets[],
): Promise<number[]> {
  const answers = [await ground.send(pair.theirs), await ground.send(pair.nobodys)] as const
  for (const _ of answers) count(report, pair.operation)
  report.comparisons++
  const [one, other] = answers.map((answer, place) => plain(answer, targets[place] as Targets))
  const find = (rule: Rule, says: string): void =>
    void report.findings.push({ rule, call: pair.call, who: `${caller.who} of company ${caller.company}`, says })
  if (one !== other) find(rules.isLikeNobodys, firstDifference(one as string, other as string))
  for (const [place, wire] of [pair.theirs, pair.nobodys].entries())
    for (const says of told(ground, caller, answers[place] as TestResponse, wire)) find(rules.isOfOwn, says)
  if (answers.some((answer) => outcomeOf(answer).status >= 500)) find(rules.isAnswered, `${answers[0].status}`)
  for (const { body } of answers.some(({ status }) => status === 201) ? [pair.theirs, pair.nobodys] : [])
    for (const value of ground.markers.leaked(String(body ?? ''), caller.company, caller.held))
      ground.written.add(caller.company + (value.split(' ')[0] as string))
  return answers.map((answer) => outcomeOf(answer).status)
}

/** Headers that differ between any two answers. */
const passing = /^(date|x-request-id|ratelimit.*|x-ratelimit.*|keep-alive)$/

/** Returns an answer without what differs between any two: the ids of requests and writes, moments, and what was named. */
function plain({ status, headers, text }: TestResponse, named?: Targets): string {
  const kept = Object.entries(headers).filter(([name]) => !passing.test(name) && !(status === 201 && name === 'etag'))
  const all = [status, ...kept.map(([name, value]) => `${name}: ${value}`), text].join('\n')
  const values = textsOf((named ?? {}) as unknown as Json).toSorted((one, other) => other.length - one.length)
  const without = values.reduce(
    (left, value) => left.replaceAll(value, '#').replaceAll(encodeURIComponent(value), '#'),
    all,
  )
  return without
    .replace(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, '#')
    .replace(/sha256-[\w-]{43}/g, '#')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z?/g, '#')
    .replace(/(#|zq[a-z]\d{5}zq)@example\.com|zq[a-z]\d{5}zq|\b[89]\d{13}\b/g, '#')
    .replace(status === 201 || /"created":true/.test(text) ? /\b\d{6}\b/g : /$^/, '#')
}

const textsOf = (value: Json): string[] =>
  typeof value === 'string' ? [value] : Object.values(value as JsonObject).flatMap((one) => textsOf(one as Json))

function firstDifference(one: string, other: string): string {
  const place = [...one].findIndex((letter, index) => letter !== other[index])
  const from = Math.max(0, place - 40)
  return `${JSON.stringify(one.slice(from, place + 60))} and ${JSON.stringify(other.slice(from, place + 60))}`
}

/** Reads that may differ from one moment to the next: those about calls, sessions and exports. */
const unsteadyMax = 12

/** Reads of a company, with their totals and tags, stay the same while another company writes. */
async function compareReads(
  ground: Ground,
  [mine, theirs]: readonly [AttackedCompany, AttackedCompany],
  report: Report,
  reads: readonly Attack[],
  caller: Caller,
): Promise<void> {
  const readAll = async (): Promise<Map<Attack, string>> => {
    const seen = new Map<Attack, string>()
    await eightAtATime(reads, async (attack) => {
      const answer = await ground.send(attack.real(caller, mine.targets))
      count(report, attack.operation)
      for (const says of told(ground, caller, answer))
        report.findings.push({ rule: rules.isOfOwn, call: attack.call, who: caller.who, says })
      seen.set(attack, plain(answer))
    })
    return seen
  }
  const first = await readAll()
  await ground.settled()
  const second = await readAll()
  await theirs.live()
  const third = await readAll()
  const steady = reads.filter((attack) => first.get(attack) === second.get(attack))
  for (const attack of steady) {
    report.comparisons++
    const [before, after] = [second.get(attack) as string, third.get(attack) as string]
    if (before !== after)
      report.findings.push({
        rule: rules.staysSame,
        call: attack.call,
        who: caller.who,
        says: firstDifference(before, after),
      })
  }
  if (steady.length < reads.length - unsteadyMax)
    throw new Error(
      `reads differ by themselves: ${reads.filter((attack) => !steady.includes(attack)).map(({ call }) => call)}`,
    )
}
