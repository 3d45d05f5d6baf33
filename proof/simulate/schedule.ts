import { drawer } from '../draw.ts'

/** The pure part: which event is next, and the shortest beginning of a schedule that still fails. */

/**
 * What can happen next. `who` is a connection, a caller, a service or the outside session, by a name that is the same in each run.
 * begin: a call is sent. send: a message goes to PostgreSQL. answer: its answer goes to the service. end: a connection that
 * the service closed is closed. cut: a connection is cut before its message or its answer. time: a clock is advanced.
 */
const eventKinds = ['answer', 'send', 'end', 'ask', 'begin', 'cut', 'time'] as const
export type EventKind = (typeof eventKinds)[number]
export type ScheduledEvent = { kind: EventKind; who: string; ms?: number }

export const nameOf = ({ kind, who, ms }: ScheduledEvent): string => [kind, who, ...(ms ? [ms] : [])].join(' ')

/** Chooses among the events that are possible; they come in a stable order. */
export type Chooser = (events: readonly ScheduledEvent[]) => ScheduledEvent

/** Milliseconds by which a clock is advanced: past a retry, the wait for a connection, and the deadline of an answer. */
export const advancesMs = [60, 1000, 5000] as const

/** The choices of one seed: how often something is cut or late is drawn too, so that seeds differ in kind. */
export function drawChooser(seed: number): Chooser {
  const draw = drawer(seed)
  const pick = <One>(list: readonly One[]): One => list[Math.floor(draw() * list.length)] as One
  const cutRate = pick([0, 0.005, 0.01, 0.02])
  const timeRate = pick([0.005, 0.02, 0.05])
  const longRate = pick([0, 0, 0.002])
  /** How eager each is. Who is not eager is late. */
  const eagerness = new Map<string, number>()
  const eagernessOf = (who: string): number => {
    const known = draw() < 0.97 ? eagerness.get(who) : undefined
    const eager = known ?? 2 ** (8 * draw())
    eagerness.set(who, eager)
    return eager
  }
  return (events) => {
    const dice = draw()
    const cuts = events.filter(({ kind }) => kind === 'cut')
    const wanted = advancesMs[dice < longRate ? 2 : dice < timeRate / 6 ? 1 : 0]
    const times = events.filter(({ kind, ms }) => kind === 'time' && ms === wanted)
    const others = events.filter(({ kind }) => kind !== 'cut' && kind !== 'time')
    if (cuts.length > 0 && draw() < cutRate) return pick(cuts)
    if (others.length === 0 || dice < timeRate) return pick(times)
    const weights = others.map(({ who }) => eagernessOf(who))
    let left = draw() * weights.reduce((sum, weight) => sum + weight, 0)
    const place = weights.findIndex((weight) => {
      left -= weight
      return left < 0
    })
    return others.at(place) as ScheduledEvent
  }
}

/** The natural order: what is under way goes on, then the next call begins, and time passes where nothing else can happen. */
export function createNaturalOrder(): Chooser {
  let idle = 0
  return (events) => {
    const [first] = eventKinds
      .filter((kind) => kind !== 'cut')
      .flatMap((kind) => events.filter((event) => event.kind === kind))
    if (first?.kind !== 'time') {
      idle = 0
      return first as ScheduledEvent
    }
    // Each service in turn, and longer where that was not enough.
    const wanted = advancesMs[idle < 40 ? 0 : 1] as number
    const times = events.filter(({ kind, ms }) => kind === 'time' && ms === wanted)
    return times[idle++ % times.length] as ScheduledEvent
  }
}

/** Follows the names of a schedule, and then another chooser. Throws where the next of them is not possible. */
export function followSchedule(names: readonly string[], then: Chooser): Chooser {
  let place = 0
  return (events) => {
    const name = names[place]
    if (name === undefined) return then(events)
    place++
    const event = events.find((one) => nameOf(one) === name)
    if (!event) throw new Error(`Step ${place} of the schedule, "${name}", is not possible: ${events.map(nameOf)}`)
    return event
  }
}

/** `isShortest`: all shorter ones were tried, and passed. */
export type Shrunk = { length: number; isShortest: boolean }

/**
 * Returns the length of the shortest beginning that still fails, where all `length` steps do. It bisects, and then tries all
 * shorter ones that were not tried, until `isOver`.
 */
export async function shrink(
  length: number,
  fails: (length: number) => Promise<boolean>,
  isOver: () => boolean = () => false,
): Promise<Shrunk> {
  const known = new Map([[length, true]])
  const tryOut = async (one: number): Promise<boolean> => {
    const result = known.get(one) ?? (await fails(one))
    known.set(one, result)
    return result
  }
  let shortest = length
  for (let passing = -1; shortest - passing > 1 && !isOver(); ) {
    const middle = passing < 0 ? 0 : (passing + shortest) >> 1
    if (await tryOut(middle)) shortest = middle
    else passing = middle
  }
  for (let one = 0; one < shortest; one++) {
    if (isOver()) return { length: shortest, isShortest: false }
    if (await tryOut(one)) shortest = one
  }
  return { length: shortest, isShortest: true }
}
