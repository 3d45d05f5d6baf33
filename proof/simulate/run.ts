import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Ground, openGround } from './ground.ts'
import { type Chooser, createNaturalOrder, drawChooser, followSchedule, shrink } from './schedule.ts'
import { type RareCounts, type RarePath, rarePaths, type Simulation, type Step, simulate } from './simulation.ts'

/** A schedule that can be followed again: after it comes the natural order. */
export type KeptSchedule = { seed: number; schedule: string[]; isShortest: boolean; rules: string[]; steps: Step[] }

export type SimulationRun = {
  seed: number
  /** Schedules that came to their end, with all their steps and calls. */
  schedules: number
  steps: number
  longest: number
  calls: number
  seconds: number
  /** How often each rare path was gone, and in the schedules of which seeds. */
  rare: RareCounts
  reached: { [path in RarePath]: number[] }
  broken: { seed: number; rules: string[]; steps: number; shrunkTo: number; isShortest: boolean }[]
  /** Schedules that could not be run to their end. */
  failures: { seed: number; why: string }[]
}

type RunRequest = {
  seed: number
  runs: number
  checkout: string
  /** Ends the run when it is aborted, with what there is. */
  signal: AbortSignal
  onProgress?: (done: number) => void
  /** Takes the schedule that broke a promise, once it is shrunk. */
  onBroken(kept: KeptSchedule): void
}

const byPath = <Value>(of: (path: RarePath) => Value) =>
  Object.fromEntries(rarePaths.map((path) => [path, of(path)])) as { [path in RarePath]: Value }

/** Opens what simulations stand on, with the compiled code of the service kept from one process to the next. */
export async function withGround<T>(checkout: string, work: (ground: Ground) => Promise<T>): Promise<T> {
  const before = process.env.NODE_COMPILE_CACHE
  const compiled = before ?? (await mkdtemp(join(tmpdir(), 'plumbline-compiled-')))
  process.env.NODE_COMPILE_CACHE = compiled
  try {
    const ground = await openGround(checkout)
    try {
      return await work(ground)
    } finally {
      await ground.close()
    }
  } finally {
    if (before === undefined) {
      delete process.env.NODE_COMPILE_CACHE
      await rm(compiled, { recursive: true, force: true, maxRetries: 5 })
    }
  }
}

/** Runs the schedules of so many seeds, from one on, until one breaks a promise, which is then shrunk. */
export async function runSeeds(asked: RunRequest): Promise<SimulationRun> {
  const { seed, runs, checkout, signal, onProgress, onBroken } = asked
  const since = performance.now()
  const done: SimulationRun = {
    ...{ seed, schedules: 0, steps: 0, longest: 0, calls: 0, seconds: 0 },
    ...{ rare: byPath(() => 0), reached: byPath(() => []), broken: [], failures: [] },
  }
  await withGround(checkout, async (ground) => {
    for (let one = seed; one < seed + runs && done.broken.length === 0 && !signal.aborted; one++) {
      try {
        const made = await orAborted(simulate(ground, { seed: one, choose: drawChooser(one) }), signal)
        note(done, made)
        if (made.violations.length > 0) {
          const kept = await shrinkSimulation(ground, made, signal)
          const { rules, steps, schedule, isShortest } = kept
          done.broken.push({ seed: one, rules, steps: steps.length, shrunkTo: schedule.length, isShortest })
          onBroken(kept)
        }
      } catch (error) {
        // The schedule was broken off, which is no failure.
        if (signal.aborted) break
        done.failures.push({ seed: one, why: error instanceof Error ? error.message : String(error) })
      }
      onProgress?.(one - seed + 1)
    }
  })
  return { ...done, seconds: Math.round((performance.now() - since) / 1000) }
}

function note(done: SimulationRun, { seed, steps, calls, rare }: Simulation): void {
  done.schedules++
  done.steps += steps.length
  done.longest = Math.max(done.longest, steps.length)
  done.calls += calls
  for (const path of rarePaths) {
    done.rare[path] += rare[path]
    if (rare[path] > 0) done.reached[path].push(seed)
  }
}

const rulesOf = ({ violations }: Simulation): string[] => violations.map(({ rule }) => rule)

/** Throws once the signal is aborted, so that Ctrl-C does not wait for the end of a schedule. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    work.then(resolve, reject)
  })
}

/** Finds the shortest beginning of a schedule after which one of the same rules is still broken. */
async function shrinkSimulation(ground: Ground, made: Simulation, signal: AbortSignal): Promise<KeptSchedule> {
  const { seed, steps } = made
  const names = steps.map(({ event }) => event)
  let kept = made
  const fails = async (length: number): Promise<boolean> => {
    const again = await simulate(ground, { seed, choose: beginWith(names.slice(0, length)) })
    const isBroken = rulesOf(again).some((rule) => rulesOf(made).includes(rule))
    if (isBroken) kept = again
    return isBroken
  }
  const { length, isShortest } = await shrink(names.length, fails, () => signal.aborted)
  return { seed, schedule: names.slice(0, length), isShortest, rules: rulesOf(kept), steps: kept.steps }
}

/** Follows a schedule, and then the natural order. */
export const beginWith = (schedule: readonly string[]): Chooser => followSchedule(schedule, createNaturalOrder())

/** Says what a run found. It is good if no promise was broken and each rare path was gone. */
export function judgeSimulation(run: SimulationRun): { lines: string[]; isGood: boolean } {
  const missed = rarePaths.filter((path) => run.rare[path] === 0)
  const lines = [
    `${run.schedules} schedules of ${run.steps} steps, the longest of ${run.longest}; ${run.calls} calls; ${run.seconds} s.`,
    ...rarePaths.map((path) => `${path}: ${run.rare[path]} times, in ${run.reached[path].length} schedules`),
    ...missed.map((path) => `NEVER GONE: ${path}. Draw more schedules with --runs.`),
    ...run.broken.map(
      ({ seed, rules, steps, shrunkTo, isShortest }) =>
        `BROKEN by seed ${seed}: ${rules.join(', ')}; ${shrunkTo} of ${steps} steps are enough${isShortest ? '' : ', or fewer'}`,
    ),
    ...run.failures.map(({ seed, why }) => `FAILED seed ${seed}: ${why}`),
  ]
  return { lines, isGood: run.schedules > 0 && missed.length + run.broken.length + run.failures.length === 0 }
}
