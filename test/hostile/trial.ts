import { quantile } from '../../bench/histogram.ts'
import type { Connection } from '../../bench/postgres.ts'
import { type Server, startProduct } from '../../bench/processes.ts'
import { pause } from '../stage/wait.ts'
import type { Attack, Ground, Outcome } from './attack.ts'
import { startAttacker } from './attacking.ts'
import { type Disk, type DiskUse, diskOf, sweepAll } from './disk.ts'
import { groundOf } from './ground.ts'
import { openFiles, peakMegabytes } from './memory.ts'
import { type Others, type OutcomeCounts, startOthers } from './others.ts'

/** What an attack did, and what the others had of it. */
export type Trial = {
  attack: string
  outcome: Outcome
  others: { asked: number; answered: number; failures: { [why: string]: number } }
  /** Milliseconds of the others' calls. */
  quiet: { p50: number; p99: number }
  beside: { p50: number; p99: number }
  /** VmHWM, in megabytes; null where the process did not live to its end. */
  memory: { before: number; peak: number | null }
  /** Bytes that the process wrote to its log meanwhile, at the level `error`. */
  logBytes: number
  /** Answers of 500 that the process counted; null where it could not be asked. */
  bugs: number | null
}

/** How long, and by how much: the short form goes by counts, the long one by time. */
export type Form = {
  form: 'short' | 'long'
  /** Answers of the others that are waited for: before anything counts, before the attack, and once it is placed. */
  calls: { warm: number; quiet: number; beside: number }
  /** Milliseconds that pass at least. */
  lasts: { quiet: number; beside: number }
  /** Milliseconds after which an attack counts as placed: what is slow to be taken is an attack all the same. */
  placedWithin: number
  callsPerSecond: number
  /** Of the process, besides those that an operator would leave as they are. */
  settings: { readonly [name: string]: string }
}

/** What a process takes by itself on a machine of 512 MB, which is asked to be enough. */
const smallMachine = { BUFFER_MB: '32', CONNECTIONS_MAX: '2048' }

export const shortForm: Form = {
  ...{ form: 'short', calls: { warm: 5, quiet: 5, beside: 25 }, lasts: { quiet: 0, beside: 0 } },
  ...{ placedWithin: 8000, callsPerSecond: 50 },
  // What the process gives up by the clock would be a matter of what else the machine does.
  settings: { ...smallMachine, CONNECT_TIMEOUT_MS: '8000', ANSWER_TARGET_MS: '2000' },
}

/** The form of each attack of a series, in which memory alone is looked at. */
export const seriesForm = (seconds: number): Form => {
  const lasts = { quiet: 0, beside: seconds * 1000 }
  return { ...longForm(seconds), calls: { warm: 5, quiet: 5, beside: 5 }, lasts }
}

/** A process is started, gets warm and is ended in the first of these seconds. */
const aroundMilliseconds = 4000

export function longForm(seconds: number): Form {
  const lasts = Math.max(3000, seconds * 1000 - aroundMilliseconds)
  return {
    ...{ form: 'long', calls: { warm: 100, quiet: 100, beside: 100 } },
    ...{ lasts: { quiet: lasts / 3, beside: (2 * lasts) / 3 } },
    ...{ placedWithin: 15_000, callsPerSecond: 80, settings: smallMachine },
  }
}

/** Makes one attack on a process of its own. Whatever was started has ended when this returns. */
export async function attempt(attack: Attack, ground: Ground, databaseUrl: string, form: Form): Promise<Trial> {
  const server = await startTarget(databaseUrl, form, [attack])
  try {
    return await attackOn(server, attack, ground, form)
  } finally {
    await end(server)
  }
}

/** Where the series is made. */
type SeriesOn = {
  databaseUrl: string
  connection: Connection
  /** That of the database. */
  dataFolder: string
  form: Form
  onAttacked(attack: Attack, index: number): void
}

/** Makes one attack after the other on the same process, with what it holds before and after each; then sweeps. */
export async function attackInSeries(attacks: readonly Attack[], ground: Ground, on: SeriesOn): Promise<Series> {
  const at = new Date().toISOString()
  const server = await startTarget(on.databaseUrl, on.form, attacks)
  const holds = async (): Promise<Holding> => ({ ...holdingOf(server), disk: await diskOf(on.dataFolder) })
  const attacked: Series['attacked'][number][] = []
  try {
    for (const [index, attack] of attacks.entries()) {
      const before = await holds()
      await attackOn(server, attack, ground, on.form)
      attacked.push({ attack: attack.name, before, after: await holds() })
      on.onAttacked(attack, index)
    }
    const { peakMegabytes: peak } = holdingOf(server)
    return { at, peakMegabytes: peak, attacked, kept: await sweepAll(on.connection) }
  } finally {
    await end(server)
  }
}

/** What one process and its database hold. Null where the process did not live so long. */
export type Holding = { peakMegabytes: number | null; openFiles: number | null; disk: Disk }

export type Series = {
  /** When it began. */
  at: string
  peakMegabytes: number | null
  attacked: readonly { attack: string; before: Holding; after: Holding }[]
  /** After a sweep of everything. */
  kept: DiskUse
}

const startTarget = (databaseUrl: string, form: Form, attacks: readonly Attack[]): Promise<Server> =>
  startProduct(databaseUrl, {
    settings: Object.assign({ LOG_LEVEL: 'error', ...form.settings }, ...attacks.map(({ settings }) => settings)),
  })

async function attackOn(server: Server, attack: Attack, ground: Ground, form: Form): Promise<Trial> {
  const attacker = startAttacker(attack)
  let others: Others | undefined
  try {
    const there = groundOf(attack, ground, server.url)
    await attacker.prepare({ ground: there, form: form.form, pid: server.pid as number })
    others = await startOthers(there, {
      ...{ callsPerSecond: form.callsPerSecond, probesPerSecond: form.callsPerSecond / 8 },
      signInsPerSecond: attack.othersSignIn ? 1 : 0,
    })
    await others.settle(form.calls.warm)
    const cold = others.met()
    await Promise.all([others.settle(form.calls.quiet), pause(form.lasts.quiet)])
    const quiet = others.met()
    const before = peakMegabytes(server.pid as number)
    const logBytesBefore = server.logBytes()

    await Promise.race([attacker.go(), pause(form.placedWithin)])
    await Promise.all([others.settle(form.calls.beside), pause(form.lasts.beside)])
    const outcome = await attacker.enough()
    await others.stop()
    const beside = others.met()
    const early = { ...cold.failures, ...quiet.failures }
    if (Object.keys(early).length > 0) throw new Error(`before the attack: ${JSON.stringify(early)}`)
    return {
      attack: attack.name,
      outcome,
      others: { asked: beside.asked, answered: beside.answered, failures: beside.failures },
      quiet: timesOf(quiet),
      beside: timesOf(beside),
      memory: { before, peak: peakOf(server) },
      logBytes: server.logBytes() - logBytesBefore,
      bugs: await bugsOf(server),
    }
  } finally {
    await others?.stop()
    attacker.stop()
  }
}

const timesOf = ({ calls }: OutcomeCounts) => ({ p50: quantile(calls, 0.5), p99: quantile(calls, 0.99) })

const peakOf = (server: Server): number | null => holdingOf(server).peakMegabytes

function holdingOf({ pid }: Server): Omit<Holding, 'disk'> {
  try {
    return { peakMegabytes: peakMegabytes(pid as number), openFiles: openFiles(pid as number) }
  } catch {
    return { peakMegabytes: null, openFiles: null }
  }
}

/** What the process says of itself, if it still says anything. */
async function bugsOf({ url }: Server): Promise<number | null> {
  try {
    const text = await (await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(5000) })).text()
    const counts = [...text.matchAll(/^plumbline_request_seconds_count\{[^}]*status="500"[^}]*\} (\d+)$/gm)]
    return counts.reduce((sum, [, count]) => sum + Number(count), 0)
  } catch {
    return null
  }
}

/** At once: it may be past hearing, and what it leaves behind is dropped. */
async function end(server: Server): Promise<void> {
  try {
    process.kill(server.pid as number, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
  await server.stop()
}
