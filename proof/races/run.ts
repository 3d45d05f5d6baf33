import { dirname } from 'node:path'
import { check, countCalls, countChanges, formatViolations, type Violation } from '../check.ts'
import { drawer } from '../draw.ts'
import { readHistory } from '../history.ts'
import { settle } from '../operations.ts'
import { alternate, openRecorder, type Recorder } from '../recorder.ts'
import { addRounds, fileOfRound } from '../rounds.ts'
import { createCompany, type PostgresAddress, startBeside, startService } from '../service.ts'
import { countTrials } from '../trials.ts'
import { type Account, createSite, prepare, references, startLoad } from '../workload.ts'
import { raceDeletion } from './deletions.ts'
import { type Field, formatAnswer, type Race } from './field.ts'
import { raceForKey } from './keys.ts'
import { fillPlan, raceForPlaces } from './plans.ts'

export const raceKinds = ['keys', 'deletions', 'plans'] as const
export type RaceKind = (typeof raceKinds)[number]
type Races = { [kind in RaceKind]: number }

/** The races of one kind. */
export type RaceCounts = {
  made: number
  /** Those of which all calls were under way at one moment: the others are no races. */
  overlapped: number
  /** How often each party was answered what. */
  heard: { [party: string]: { [answer: string]: number } }
  wrong: string[]
}

export type RacesRun = {
  calls: number
  changes: number
  seconds: number
  kinds: { [kind in RaceKind]: RaceCounts }
  trials: { [rule: string]: number }
  violations: Violation[]
}

type RacesRequest = {
  /** How many races of each kind are asked for, of those that overlapped. */
  asked: Races
  seed: number
  file: string
  /** Races of one kind at most of which the history is checked together. */
  perRound?: number
  /** The checkout whose service is run. */
  checkout?: string
  signal?: AbortSignal
  onProgress?: (sentence: string) => void
}

/** Races that go on side by side; those for places of one plan come one after the other. */
const lanes: Races = { keys: 8, deletions: 8, plans: 1 }
/** Projects that the smallest plan allows. */
const planMost = 25

/** Lets callers race over two processes of a service, and checks all that they heard. */
export async function runRaces(request: RacesRequest): Promise<RacesRun> {
  const { asked, seed, file, perRound = 10_000, signal } = request
  const rounds = Math.max(1, ...raceKinds.map((kind) => Math.ceil(asked[kind] / perRound)))
  let made = 0
  return addRounds(
    (round) => {
      made = round
      const share = (kind: RaceKind): number =>
        Math.floor((asked[kind] * round) / rounds) - Math.floor((asked[kind] * (round - 1)) / rounds)
      const own = { keys: share('keys'), deletions: share('deletions'), plans: share('plans') }
      return runRound({ ...request, asked: own, seed: seed + round - 1, file: fileOfRound(file, round) })
    },
    () => made === rounds || signal?.aborted === true,
  )
}

async function runRound({ asked, seed, file, checkout, signal, onProgress }: RacesRequest): Promise<RacesRun> {
  const since = performance.now()
  const service = await startService(checkout)
  let beside: Awaited<ReturnType<typeof startBeside>> | undefined
  let recorder: Recorder | undefined
  const counts = {} as RacesRun['kinds']
  for (const kind of raceKinds) counts[kind] = { made: 0, overlapped: 0, heard: {}, wrong: [] }
  try {
    const companies = await Promise.all([
      createCompany(service.give, { plan: 'ENTERPRISE' }),
      createCompany(service.give, { name: 'b', plan: 'STARTER' }),
    ])
    beside = await startBeside(service, async (met) => urlOf(met), {})
    recorder = openRecorder(service.url, file)
    const urls = [service.url, beside.url]
    const both = alternate(recorder, urls)
    for (const line of references) recorder.write(line)
    recorder.write({ kind: 'limit', company: 'b', records: 'projects', most: planMost })
    const accounts = companies.map(({ token: text }, place): Account => {
      const name = 'ab'[place] as string
      return { name, token: { name: `${name}-0`, text } }
    })
    const draw = drawer(seed)
    const load = await startLoad({ recorder: both, accounts, seed, writers: 0, followers: 1 })
    const [wide, full] = accounts.map((account): Field => {
      const context = { name: account.name, recorder: both, draw, token: () => account.token, isOver: () => false }
      return { site: createSite({ ...context, prefix: `${account.name}-race` }), urls, clients: [], projects: [] }
    }) as [Field, Field]
    await prepare(wide.site, (parts) => settle(wide.site, 'prepare', parts))
    await fillPlan(full)
    const race: { [kind in RaceKind]: () => Promise<Race> } = {
      keys: () => raceForKey(wide),
      deletions: () => raceDeletion(wide),
      plans: () => raceForPlaces(full, planMost),
    }
    const runLane = async (kind: RaceKind): Promise<void> => {
      while (counts[kind].overlapped < asked[kind] && !signal?.aborted) {
        countRace(counts[kind], await race[kind]())
        onProgress?.(raceKinds.map((one) => `${counts[one].overlapped} of ${asked[one]} races of ${one}`).join(', '))
      }
    }
    await Promise.all(raceKinds.flatMap((kind) => Array.from({ length: lanes[kind] }, () => runLane(kind))))
    await load.finish()
  } finally {
    await recorder?.close()
    await beside?.close()
    await service.close()
  }
  const history = await readHistory(file)
  return {
    calls: countCalls(history),
    changes: countChanges(history),
    seconds: Math.round((performance.now() - since) / 1000),
    ...{ kinds: counts, trials: countTrials(history), violations: check(history) },
  }
}

function countRace(counts: RaceCounts, { isOverlapping, heard, wrong }: Race): void {
  counts.made++
  if (isOverlapping) counts.overlapped++
  counts.wrong.push(...wrong)
  for (const { want, answer } of heard) {
    const said = formatAnswer(answer)
    const own = counts.heard[want] ?? {}
    counts.heard[want] = { ...own, [said]: (own[said] ?? 0) + 1 }
  }
}

const urlOf = ({ socket, user, password, database }: PostgresAddress): string => {
  const [, port] = /\.(\d+)$/.exec(socket) ?? []
  return `postgres:///${database}?host=${encodeURIComponent(dirname(socket))}&port=${port}&user=${user}&password=${password}`
}

/** Says what races found, and whether all was as promised and each kind was made as often as asked. */
export function judgeRaces(
  { kinds, calls, seconds, violations }: RacesRun,
  asked: Races,
): { lines: string[]; isWhole: boolean } {
  const wrong = raceKinds.flatMap((kind) => kinds[kind].wrong)
  return {
    lines: [
      ...formatViolations(violations),
      ...wrong.map((why) => `WRONG ${why}`),
      ...raceKinds.flatMap((kind) => [
        `${kind}: ${kinds[kind].overlapped} races of ${asked[kind]} asked; ${kinds[kind].made} made, ${kinds[kind].wrong.length} wrong.`,
        ...Object.entries(kinds[kind].heard).map(([party, answers]) => `  ${party}: ${formatCounts(answers)}`),
      ]),
      `${calls} calls in ${seconds} s, ${violations.length} promises broken.`,
    ],
    isWhole: wrong.length + violations.length === 0,
  }
}

/** Says how often there was what, the most frequent first. */
export const formatCounts = (counts: { [name: string]: number }): string =>
  Object.entries(counts)
    .toSorted(([, one], [, other]) => other - one)
    .map(([name, count]) => `${name} ${count} times`)
    .join(', ')
