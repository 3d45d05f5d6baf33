import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { check, type Violation } from '../check.ts'
import { type Line, readHistory } from '../history.ts'
import { openRecorder, type Recorder } from '../recorder.ts'
import { hearSite, untilTold } from '../workload.ts'
import { type Bell, createBell } from './bell.ts'
import { type Gate, listOutsideScripts, startCallers } from './callers.ts'
import { untilDatabaseAtRest } from './database-rest.ts'
import type { Ground } from './ground.ts'
import { openOutside } from './outside.ts'
import { type Conversation, type SimulatedService, startSimulated } from './process.ts'
import { advancesMs, type Chooser, nameOf, type ScheduledEvent } from './schedule.ts'

/** What a run has to meet, or it proves little. */
export const rarePaths = [
  'conflict retried',
  'unique value taken between look and write',
  'answer lost after commit',
  'revocation waited',
  'deadlock repeated',
] as const
export type RarePath = (typeof rarePaths)[number]
export type RareCounts = { [path in RarePath]: number }

/** One step of a schedule: the event by its name, and what was seen of it. Neither times nor ids of the database are in it. */
export type Step = { event: string; seen: string }

export type Simulation = {
  seed: number
  steps: Step[]
  rare: RareCounts
  calls: number
  violations: Violation[]
}

type SimulationRequest = { seed: number; choose: Chooser }

/** Steps after which a schedule that has not come to its end has failed. */
const stepsMax = 5000

const settings = {
  ...{ STATEMENT_TIMEOUT_MS: '2000', LOCK_TIMEOUT_MS: '2000', CONNECT_TIMEOUT_MS: '1500', ANSWER_TARGET_MS: '60000' },
}

/** Runs one schedule from its first step to its last, and checks what was heard. */
export async function simulate(ground: Ground, { seed, choose }: SimulationRequest): Promise<Simulation> {
  const database = await ground.copy()
  const services: SimulatedService[] = []
  const answers = createBell()
  const closing: (() => Promise<unknown>)[] = []
  try {
    const start = (name: string, place: number) =>
      startSimulated({
        ...{ name, checkout: ground.checkout, socket: ground.socket, database, seed: seed * 2 + place },
        onAnswer: answers.ring,
        settings: { ...settings, PLUMBLINE_SECRET: ground.secret, PLUMBLINE_DATA: ground.folder },
      })
    const started = await Promise.allSettled(['a', 'b'].map(start))
    for (const one of started)
      if (one.status === 'fulfilled') {
        services.push(one.value)
        closing.push(one.value.close)
      }
    for (const one of started) if (one.status === 'rejected') throw one.reason
    const recorders = new Map<SimulatedService, Recorder>()
    const files = services.map(({ name }) => join(ground.folder, `history-${database}-${name}.jsonl`))
    for (const [place, service] of services.entries())
      recorders.set(service, openRecorder(service.url, files[place] as string))
    closing.unshift(...[...recorders.values()].map(({ close }) => close))
    const observer = await ground.connect(database)
    const client = await ground.connect(database)
    closing.unshift(() => Promise.all([observer.end(), client.end()]))

    const run = await runSchedule({ ground, services, recorders, observer, client, answers, seed, choose })
    for (const close of closing.splice(0)) await close()
    const [file, ...others] = files as [string, ...string[]]
    const more: Line[] = [...ground.lines, ...run.lines]
    for (const other of others) for (const line of await linesOf(other)) more.push(line)
    const history = await readHistory(file, more)
    const calls = history.companies.flatMap(({ calls }) => calls)
    const bugs = calls.filter(({ status }) => status === 500).map(({ method, path }) => `${method} ${path}`)
    const violations = [...check(history), ...(bugs.length > 0 ? [{ rule: 'no bug', places: bugs }] : [])]
    return { seed, steps: run.steps, rare: run.rare, calls: calls.length, violations }
  } finally {
    for (const close of closing) await close()
    await ground.drop(database)
  }
}

async function linesOf(path: string): Promise<Line[]> {
  return (await readFile(path, 'utf8')).split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]))
}

type Stage = {
  ground: Ground
  services: readonly SimulatedService[]
  recorders: ReadonlyMap<SimulatedService, Recorder>
  observer: pg.Client
  /** For the outside session. */
  client: pg.Client
  answers: Bell
  seed: number
  choose: Chooser
}

/** A call that waits for its turn to be sent, or whose caller waits to be given the answer. */
type Call = { who: string; label: string; begin(): void; deliver: (() => void) | null; status: number | null }

async function runSchedule({ ground, services, recorders, observer, client, answers, seed, choose }: Stage) {
  const waiting: Call[] = []
  const heard: Call[] = []
  const steps: Step[] = []
  const rare = Object.fromEntries(rarePaths.map((path) => [path, 0])) as RareCounts
  /** Calls that are under way, with the statements that were sent meanwhile; and how many calls each caller has made. */
  const underWay = new Map<string, string[]>()
  const numbers = new Map<string, number>()

  const gate: Gate = {
    pass: (caller, label, service, send) =>
      new Promise((resolve, reject) => {
        const number = (numbers.get(caller) ?? 0) + 1
        numbers.set(caller, number)
        const call: Call = {
          ...{ who: `${caller}.${number}`, label: `${label} to ${service.name}`, deliver: null, status: null },
          begin() {
            service.calls.sent++
            underWay.set(`${caller} ${label}`, [])
            send(service).then((answer) => {
              underWay.delete(`${caller} ${label}`)
              service.calls.answered++
              call.status = answer.status
              call.deliver = () => resolve(answer)
              heard.push(call)
            }, reject)
          },
        }
        waiting.push(call)
      }),
  }

  const outside = await openOutside(client, listOutsideScripts(ground.company), {
    hasCome: (call, statement) => underWay.get(call)?.some((name) => name.startsWith(statement)) === true,
    answers,
  })
  const conversations = (): [SimulatedService, Conversation][] =>
    services.flatMap((service) =>
      [...service.conversations].map((one): [SimulatedService, Conversation] => [service, one]),
    )

  const listEvents = (): ScheduledEvent[] => {
    const events: ScheduledEvent[] = []
    for (const [, one] of conversations()) {
      if (one.owed > 0) continue
      if (one.asked.length > 0 && !one.isLost) events.push({ kind: 'send', who: one.name })
      if (one.answers.length > 0 || one.isLost) events.push({ kind: 'answer', who: one.name })
      else if (one.isLeft && one.asked.length === 0) events.push({ kind: 'end', who: one.name })
      if ((one.asked.length > 0 || one.answers.length > 0) && !one.isLeft && !one.isLost)
        events.push({ kind: 'cut', who: one.name })
    }
    if (outside.canAsk()) events.push({ kind: 'ask', who: 'outside' })
    for (const { who } of waiting) events.push({ kind: 'begin', who })
    for (const { name } of services) for (const ms of advancesMs) events.push({ kind: 'time', who: name, ms })
    return events.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
  }

  const perform = async ({ kind, who, ms }: ScheduledEvent): Promise<string> => {
    if (kind === 'ask') return outside.ask()
    if (kind === 'begin') {
      const place = waiting.findIndex((call) => call.who === who)
      const [call] = waiting.splice(place, 1) as [Call]
      call.begin()
      return call.label
    }
    if (kind === 'time') {
      await services.find(({ name }) => name === who)?.advance(ms as number)
      return ''
    }
    const [service, one] = conversations().find(([, { name }]) => name === who) as [SimulatedService, Conversation]
    if (kind === 'send') {
      const { statements } = service.send(one)
      for (const sent of underWay.values()) sent.push(...statements)
      return [...new Set(statements)].join(', ')
    }
    if (kind === 'answer') {
      const said = one.said.join(' ')
      service.answer(one)
      return said
    }
    if (kind === 'end') {
      one.far.destroySoon()
      return ''
    }
    const isAnswered = one.answers.length > 0
    if (isAnswered && one.said.includes('COMMIT')) rare['answer lost after commit']++
    service.cut(one)
    return isAnswered ? `before its answer: ${one.said.join(' ')}` : 'before its message'
  }

  const watch = { observer, outside, answers, listConversations: () => conversations().map(([, one]) => one) }

  const { ended, site, followed } = startCallers(ground, services, { recorders, gate, seed })
  let isOver = false
  let failure: unknown
  ended.then(
    () => {
      isOver = true
    },
    (error) => {
      failure = error
    },
  )
  const rest = () => new Promise((resolve) => setImmediate(resolve))
  await rest()
  while (!isOver || outside.canAsk() || outside.answer() === null) {
    if (failure !== undefined) throw failure
    if (steps.length > stepsMax) throw new Error(`the schedule of seed ${seed} does not come to its end`)
    const event = choose(listEvents())
    const before = new Map(conversations().map(([, one]) => [one, one.owed]))
    const seen = [await perform(event)]
    const gone = [...before.keys()].flatMap((one) => listEnded(one, event))
    if (event.kind !== 'send' && event.kind !== 'ask') for (const service of services) await service.untilAtRest()
    await untilDatabaseAtRest(watch, gone)
    for (const [, one] of conversations()) {
      const hasWaited = (before.get(one) ?? 0) > 0
      const isIts = event.kind === 'send' && event.who === one.name
      if (isIts) {
        if (one.owed > 0 && one.last?.statements.includes('gate.close')) rare['revocation waited']++
        seen.push(one.owed > 0 ? 'waits' : `→ ${one.said.join(' ')}`)
      } else if (hasWaited && one.owed === 0) seen.push(`${one.name} → ${one.said.join(' ')}`)
      if ((isIts || hasWaited) && one.owed === 0 && one.said.includes('23505'))
        rare['unique value taken between look and write']++
    }
    if (event.kind === 'ask') seen.push(`→ ${outside.answer() ?? 'waits'}`)
    for (const call of heard.splice(0).toSorted((one, other) => (one.who < other.who ? -1 : 1))) {
      seen.push(`${call.who} hears ${call.status}`)
      call.deliver?.()
      await rest()
    }
    // What the service closed itself has nobody to answer to.
    for (const [, one] of conversations()) if (one.isLeft) one.answers = []
    steps.push({ event: nameOf(event), seen: seen.filter((text) => text !== '').join('; ') })
  }

  for (const service of services) await service.letGo()
  for (const { url } of services) {
    const conflicts = conflictsIn(await (await fetch(`${url}/metrics`)).text())
    rare['conflict retried'] += conflicts.stale
    rare['deadlock repeated'] += conflicts.deadlocks
  }
  await untilTold(site)
  const { told, lines } = await hearSite(site)
  const after = followed()
  if (after !== 'now') {
    const { answer: rest } = await site.recorder.send({
      ...{ operation: 'follow', company: 'a', token: site.token(), method: 'GET' },
      path: `/v1/changes?after=${after}&limit=100`,
    })
    for (const { id } of rest.data) site.recorder.write({ kind: 'told', company: 'a', to: 'tim', id })
    if (rest.meta.more || told.length === 0) throw new Error('the follower is more than a page behind')
  }
  return { steps, rare, lines }
}

/** Returns the sessions that end with an event, by process id. */
function listEnded(one: Conversation, { kind, who }: ScheduledEvent): number[] {
  const isIts = one.name === who
  const isEnded = one.far.destroyed || (kind === 'end' && isIts)
  return [...(isEnded ? [one.pid ?? []].flat() : []), ...(kind === 'send' && isIts ? (one.last?.ends ?? []) : [])]
}

/** How often transactions were run again, as the service counts it. */
function conflictsIn(metrics: string): { stale: number; deadlocks: number } {
  const counts = { stale: 0, deadlocks: 0 }
  for (const [, code, count] of metrics.matchAll(
    /^plumbline_conflicts_total\{[^}]*"(stale|40P01|40001)"[^}]*\} (\d+)/gm,
  ))
    counts[code === '40P01' ? 'deadlocks' : 'stale'] += Number(count)
  return counts
}
