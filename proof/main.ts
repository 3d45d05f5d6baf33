import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Violation } from './check.ts'
import { contend, judgeContention } from './contention.ts'
import { judgeDisk, tryDisk } from './disk/run.ts'
import { type GroundName, judgeFaults, makeFaults, sayOf } from './faults/run.ts'
import { judgeKills } from './kills.ts'
import { failMessages, type MessagesRun, tableOf } from './messages.ts'
import { messageFaults } from './proxy.ts'
import { judgeRaces, runRaces } from './races/run.ts'
import { addRounds, fileOfRound } from './rounds.ts'
import { isWhole, metLeast, type Outcome, pairsOf, run } from './run.ts'
import { surroundings } from './surroundings.ts'

/**
 * `npm run torture -- --minutes N`: callers write under faults of a service that is started for it, and the history of what
 * they heard is checked. Ctrl-C ends it with what it has. The history and the figures stay in the folder. With --messages
 * each message between service and database fails once in each way, operation by operation.
 * With --no-faults there are none, and more calls are made in the same time.
 * With --disk the disk loses what it had not promised to keep, and changes pages.
 * With --faults network, clocks, disks and calls on files fail, a standby takes over, a backup is restored to a moment, and upgrades
 * are killed, one after the other; --on names some grounds of these. With --citus as well, servers of the cluster of CITUS_URL fail.
 * With --contention callers write the same few records over a hop of TCP, on a database made anew for each of --starts; --postgres
 * names the folder of the programs of another PostgreSQL.
 * With --races callers race for keys, deletions and places of a plan over two processes. With --kills N processes are
 * killed so many times. With --whole all of them come one after the other, and the load in the end, until enough is met.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    rounds: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    writers: { type: 'string' },
    'fault-every': { type: 'string', default: '1.5' },
    'no-faults': { type: 'boolean', default: false },
    'met-least': { type: 'string' },
    calls: { type: 'string' },
    messages: { type: 'boolean', default: false },
    disk: { type: 'boolean', default: false },
    faults: { type: 'boolean', default: false },
    contention: { type: 'boolean', default: false },
    starts: { type: 'string', default: '30' },
    postgres: { type: 'string' },
    races: { type: 'boolean', default: false },
    whole: { type: 'boolean', default: false },
    citus: { type: 'boolean', default: false },
    cuts: { type: 'string', default: '200' },
    flips: { type: 'string', default: '50' },
    'key-races': { type: 'string', default: '10000' },
    deletions: { type: 'string', default: '10000' },
    'plan-races': { type: 'string', default: '1000' },
    kills: { type: 'string' },
    operations: { type: 'string' },
    on: { type: 'string' },
    folder: { type: 'string', default: 'data/proof' },
  },
})
/** The load comes last: it goes on until all of them together have checked as many calls as asked. */
const parts = {
  contention: tryContention,
  races: tryRaces,
  kills: tryKills,
  messages: tryMessages,
  disk: loseWrites,
  faults: sufferFaults,
  load: tryLoad,
}
/** Kills of which the history is checked together. */
const killsPerRound = 200

type PartName = keyof typeof parts

const names = Object.keys(parts) as PartName[]
const single = names.find((name) => name !== 'load' && values[name]) ?? 'load'
const seed = Number(values.seed)
let callsChecked = 0
const ending = new AbortController()
const { signal } = ending
process.on('SIGINT', () => {
  if (signal.aborted) process.exit(130)
  ending.abort()
})
mkdirSync(values.folder, { recursive: true })
for (const name of values.whole ? names : [single]) if (!signal.aborted) await runPart(name)
// By itself Node.js 24 was seen to wait for ever for a handle of its own, once all parts had ended.
process.exit()

async function runPart(name: PartName): Promise<void> {
  if (values.whole) console.log(`\n${name}, from ${new Date().toISOString().slice(11, 19)} UTC`)
  const isGood = await parts[name]().catch((error: unknown) => {
    console.error(`The part ${name} did not come to its end:`, error)
    return false
  })
  if (!isGood) process.exitCode = 1
}

/** Returns an option as a number, or what it is for a single part or for the whole if it is not given. */
function numberOf(
  name: 'minutes' | 'rounds' | 'writers' | 'met-least' | 'calls',
  alone: number,
  whole: number,
): number {
  return Number(values[name] ?? (values.whole ? whole : alone))
}

function fileOf(name: string): string {
  return join(values.folder, `${name}.jsonl`)
}

function write(name: string, value: object): void {
  writeFileSync(join(values.folder, name), `${JSON.stringify(value, null, 2)}\n`)
}

function showProgress(sentence: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${sentence} `)
}

async function tryLoad(): Promise<boolean> {
  const minutes = numberOf('minutes', 10, 15)
  const rounds = numberOf('rounds', 1, 12)
  const metAsked = numberOf('met-least', 1, 20)
  const callsAsked = numberOf('calls', 0, 1_000_000) - callsChecked
  let made = 0
  const outcome = await addRounds<Outcome>(
    (round) => {
      made = round
      return run({
        ...{ rounds: [60 * minutes], seed: seed + round - 1, writers: numberOf('writers', 16, 16) },
        ...{ signal, file: fileOfRound(fileOf(values['no-faults'] ? 'steady' : 'history'), round) },
        ...(values['no-faults'] ? {} : { faultEveryMs: 1000 * Number(values['fault-every']) }),
        onProgress: ({ seconds, calls, faults }) =>
          showProgress(`round ${round}, ${Math.round(seconds)} s of ${60 * minutes}: ${calls} calls, ${faults} faults`),
      })
    },
    ({ calls, met }) =>
      signal.aborted ||
      made >= rounds ||
      (calls >= callsAsked && (values['no-faults'] || (isWhole(met) && metLeast(met) >= metAsked))),
  )
  callsChecked += outcome.calls
  write(values['no-faults'] ? 'steady.json' : 'outcome.json', { ...surroundings(), seed, ...outcome })
  const { calls, changes, faults, met } = outcome
  console.log(`${calls} calls, ${changes} changes, ${faults} faults, ${outcome.seconds} s, seed ${seed}`)
  return sayBroken(outcome.violations) && (values['no-faults'] || sayRare(met, metAsked))
}

async function tryContention(): Promise<boolean> {
  const done = await contend({
    ...{ starts: Number(values.starts), seed, file: fileOf('contention'), signal, programs: values.postgres },
    onStart: ({ seed: drawn, calls, deadlocks, failures }) =>
      showProgress(`seed ${drawn}: ${calls} calls, ${deadlocks} deadlocks, ${JSON.stringify(failures)}`),
  })
  write('contention.json', { ...surroundings(), seed, ...done })
  for (const said of done.starts.flatMap((start) => start.said)) console.log(said)
  return sayJudged(judgeContention(done))
}

async function tryRaces(): Promise<boolean> {
  const asked = {
    ...{ keys: Number(values['key-races']), deletions: Number(values.deletions), plans: Number(values['plan-races']) },
  }
  const done = await runRaces({ asked, seed, file: fileOf('races'), signal, onProgress: showProgress })
  callsChecked += done.calls
  write('races.json', { ...surroundings(), seed, ...done })
  return sayJudged(judgeRaces(done, asked))
}

async function tryKills(): Promise<boolean> {
  const asked = Number(values.kills ?? 1000)
  let left = asked
  const outcome = await addRounds<Outcome>(
    async (round) => {
      const kills = Math.min(left, killsPerRound)
      left -= kills
      return run({
        ...{ rounds: [Number.POSITIVE_INFINITY], kills, seed: seed + round - 1, writers: numberOf('writers', 8, 8) },
        ...{ signal, file: fileOfRound(fileOf('kills'), round) },
        onProgress: ({ calls, faults }) =>
          showProgress(`${asked - left - kills + faults} of ${asked} kills, ${calls} calls`),
      })
    },
    () => signal.aborted || left === 0,
  )
  callsChecked += outcome.calls
  write('kills.json', { ...surroundings(), seed, ...outcome })
  return sayJudged(judgeKills(outcome))
}

/** Returns whether each fault met each operation often enough. A run that ended before each was made says how far it is. */
function sayRare(met: Outcome['met'], metAsked: number): boolean {
  const pairs = pairsOf(met)
  const rare = pairs.filter(({ count }) => count < metAsked)
  const [rarest] = pairs
  console.log(`The rarest pair is ${rarest?.fault}, ${rarest?.operation}: it met ${rarest?.count} times.`)
  if (!isWhole(met)) {
    console.log('The run ended before each fault was made alone and with each other.')
    return true
  }
  for (const { fault, operation, count } of rare) console.log(`MET ${count} TIMES: ${fault}, ${operation}`)
  return rare.length === 0
}

async function tryMessages(): Promise<boolean> {
  const since = performance.now()
  const operations = values.operations === undefined ? {} : { operations: values.operations.split(',') }
  const { calls, trials, violations } = await failMessages({ file: fileOf('messages'), signal, ...operations })
  const seconds = Math.round((performance.now() - since) / 1000)
  callsChecked += calls
  keepMessages({ seconds, calls, trials, violations })
  console.log(`Each cell: what was heard when the message was ${messageFaults.join(', ')}.`)
  for (const line of tableOf(trials)) console.log(line)
  const wrong = trials.filter((trial) => trial.wrong !== null)
  for (const { operation, message, fault, wrong: why } of wrong)
    console.log(`WRONG ${operation}, message ${message} ${fault}: ${why}`)
  console.log(`${trials.length} messages failed in ${seconds} s, ${wrong.length} of them wrongly.`)
  return sayBroken(violations) && wrong.length === 0
}

async function loseWrites(): Promise<boolean> {
  const { cuts, flips, folder } = values
  const done = await tryDisk({
    ...{ cuts: Number(cuts), flips: Number(flips), seed, folder, signal },
    onProgress: (sentence) => console.log(sentence),
  })
  write(`disk-${seed}.json`, { ...surroundings(), ...done })
  callsChecked += done.cuts.reduce((sum, { calls }) => sum + calls, 0)
  return sayJudged(judgeDisk(done))
}

async function sufferFaults(): Promise<boolean> {
  const onSuffered = (one: Parameters<typeof sayOf>[0]): void => console.log(sayOf(one))
  const chosen = values.citus
    ? { grounds: ['citus'] as const }
    : values.on === undefined
      ? { hasUpgrades: true }
      : { grounds: values.on.split(',') as GroundName[] }
  const done = await makeFaults({ seed, file: fileOf('faults'), signal, onSuffered, ...chosen })
  write(values.citus ? 'citus.json' : 'faults.json', { ...surroundings(), ...done })
  callsChecked += done.calls
  return sayJudged(judgeFaults(done))
}

type MessagesResult = MessagesRun & { seconds: number }

/** Keeps the trials beside those of other operations that an earlier run has left. */
function keepMessages({ seconds, calls, trials, violations }: MessagesResult): void {
  const path = join(values.folder, 'messages.json')
  const isAll = values.operations === undefined || !existsSync(path)
  const before: MessagesResult = isAll
    ? { seconds: 0, calls: 0, trials: [], violations: [] }
    : JSON.parse(readFileSync(path, 'utf8'))
  const own = new Set(trials.map(({ operation }) => operation))
  write('messages.json', {
    ...surroundings(),
    seconds: before.seconds + seconds,
    calls: before.calls + calls,
    trials: [...before.trials.filter(({ operation }) => !own.has(operation)), ...trials],
    violations: [...before.violations, ...violations],
  })
}

function sayJudged({ lines, isWhole }: { lines: readonly string[]; isWhole: boolean }): boolean {
  for (const line of lines) console.log(line)
  return isWhole
}

function sayBroken(violations: readonly Violation[]): boolean {
  for (const { rule, places } of violations) {
    console.log(`BROKEN ${rule}: ${places.length} places`)
    for (const place of places.slice(0, 5)) console.log(`  ${place}`)
  }
  return violations.length === 0
}
