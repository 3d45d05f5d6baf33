import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { check, type Violation } from '../check.ts'
import { type Line, readHistory } from '../history.ts'
import { openRecorder, type Recorder } from '../recorder.ts'
import { hearSite, untilTold } from '../workload.ts'
import { type Gate, listOutsideScripts, type OutsideStatement, startCallers } from './callers.ts'
import type { Ground } from './ground.ts'
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

/** Milliseconds after which PostgreSQL is asked who waits for a lock, and the longest that it may take to come to rest. */
const lookAfterMs = 3
const restMostMs = 30_000

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
    const outside = await ground.connect(database)
    closing.unshift(() => Promise.all([observer.end(), outside.end()]))

    const run = await runSchedule({ ground, services, recorders, observer, outside, answers, seed, choose })
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
  outside: pg.Client
  answers: Bell
  seed: number
  choose: Chooser
}

/** A call that waits for its turn to be sent, or whose caller waits to be given the answer. */
type Call = { who: string; label: string; begin(): void; deliver: (() => void) | null; status: number | null }

async function runSchedule({ ground, services, recorders, observer, outside, answers, seed, choose }: Stage) {
  const waiting: Call[] = []
  const heard: Call[] = []
  const steps: Step[] = []
  const rare = Object.fromEntries(rarePaths.map((path) => [path, 0])) as RareCounts
  /** The first message of each transaction that met another one, until it is sent again. */
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
            underWay.add(`${caller} ${label}`)
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

  const scripts = listOutsideScripts(ground.company)
  const backend = (await outside.query('select pg_backend_pid() as pid')).rows[0].pid as number
  /** Of the first script: the statements that were asked. The answer is null while there is none. */
  let asked = 0
  let answer: string | null = 'nothing'
  const underWay = new Set<string>()
  /** Returns the next statement of the outside session, if it may be asked now. */
  const findOutside = (): OutsideStatement | undefined => {
    const [script] = scripts
    if (!script || answer === null) return undefined
    const act = underWay.has(script.during) ? script.acts[asked] : undefined
    return act ?? (asked > 0 ? script.end : undefined)
  }
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
    if (findOutside()) events.push({ kind: 'ask', who: 'outside' })
    for (const { who } of waiting) events.push({ kind: 'begin', who })
    for (const { name } of services) for (const ms of advancesMs) events.push({ kind: 'time', who: name, ms })
    return events.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
  }

  const perform = async ({ kind, who, ms }: ScheduledEvent): Promise<string> => {
    if (kind === 'ask') {
      const { label, text } = findOutside() as OutsideStatement
      asked++
      if (text === scripts[0]?.end.text) {
        scripts.shift()
        asked = 0
      }
      answer = null
      outside.query(text).then(
        () => {
          answer = 'done'
          answers.ring()
        },
        (error) => {
          answer = error.code ?? 'lost'
          answers.ring()
        },
      )
      return label
    }
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

  /** Waits until PostgreSQL does nothing more: each statement is answered, or waits for a lock that somebody holds who may go on. */
  const untilDatabaseAtRest = async (ended: readonly number[]): Promise<void> => {
    let gone = ended
    const untilMs = performance.now() + restMostMs
    let lookAtMs = performance.now() + lookAfterMs
    for (;;) {
      if (performance.now() > untilMs) throw new Error('PostgreSQL does not come to rest')
      const owing = conversations()
        .map(([, one]) => one)
        .filter(({ owed }) => owed > 0)
      const leaving = conversations().filter(
        ([, { last, isLost, owed, pid = -1 }]) => !isLost && ((last?.isFarewell && owed === 0) || gone.includes(pid)),
      )
      if (owing.length === 0 && answer !== null && gone.length === 0 && leaving.length === 0) return
      if (performance.now() > lookAtMs || gone.length > 0) {
        lookAtMs = performance.now() + lookAfterMs
        const { rows } = await observer.query<{ pid: number; by: number[] | null; is_locked_out: boolean }>(
          `select pid, pg_blocking_pids(pid) as by,
             exists (select from pg_locks l where l.pid = a.pid and not granted) as is_locked_out
           from pg_stat_activity a where datname = current_database() and pid <> pg_backend_pid()`,
        )
        const there = new Map(rows.map((row) => [row.pid, row]))
        const isStuck = (pid: number | undefined): boolean => {
          const row = pid === undefined ? undefined : there.get(pid)
          return row?.is_locked_out === true && !isInCircle(row.pid, there)
        }
        const isStill =
          owing.every(({ pid, isBrief }) => !isBrief && isStuck(pid)) &&
          (answer !== null || isStuck(backend)) &&
          gone.length === 0 &&
          leaving.length === 0
        if (isStill) return
        // What these have held is looked at once more: one statement does not read sessions and locks at one moment.
        gone = gone.filter((pid) => there.has(pid))
      }
      await answers.untilNext(lookAfterMs)
    }
  }

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
  while (!isOver || findOutside() || answer === null) {
    if (failure !== undefined) throw failure
    if (steps.length > stepsMax) throw new Error(`the schedule of seed ${seed} does not come to its end`)
    const event = choose(listEvents())
    const before = new Map(conversations().map(([, one]) => [one, one.owed]))
    const pidsBefore = conversations().map(([, one]) => one)
    const seen = [await perform(event)]
    const gone: number[] = []
    for (const one of pidsBefore) {
      const isEnded = one.far.destroyed || (event.kind === 'end' && one.name === event.who)
      if (isEnded && one.pid !== undefined) gone.push(one.pid)
      if (event.kind === 'send' && one.name === event.who) gone.push(...(one.last?.ends ?? []))
    }
    if (event.kind !== 'send' && event.kind !== 'ask') for (const service of services) await service.untilAtRest()
    await untilDatabaseAtRest(gone)
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
    if (event.kind === 'ask' || answer !== null) seen.push(...(event.kind === 'ask' ? [`→ ${answer ?? 'waits'}`] : []))
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

type Bell = { ring(): void; untilNext(mostMs: number): Promise<void> }

/** Wakes the one who waits for the next ring, or for so long at most. */
function createBell(): Bell {
  let wake = (): void => {}
  return {
    ring: () => wake(),
    untilNext: (mostMs) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, mostMs)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      }),
  }
}

/** Whether it waits for somebody who waits for it. */
function isInCircle(pid: number, rows: ReadonlyMap<number, { by: number[] | null }>): boolean {
  const seen = new Set<number>()
  const look = (one: number): boolean =>
    (rows.get(one)?.by ?? []).some((other) => {
      if (other === pid) return true
      if (seen.has(other)) return false
      seen.add(other)
      return look(other)
    })
  return look(pid)
}

function conflictsIn(metrics: string): { stale: number; deadlocks: number } {
  const counts = { stale: 0, deadlocks: 0 }
  for (const [, code, count] of metrics.matchAll(
    /^plumbline_conflicts_total\{[^}]*"(stale|40P01|40001)"[^}]*\} (\d+)/gm,
  ))
    counts[code === '40P01' ? 'deadlocks' : 'stale'] += Number(count)
  return counts
}
