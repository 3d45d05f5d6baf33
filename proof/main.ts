import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Violation } from './check.ts'
import { judgeDisk, tryDisk } from './disk/run.ts'
import { type GroundName, judgeFaults, makeFaults, sayOf } from './faults/run.ts'
import { failMessages, tableOf } from './messages.ts'
import { messageFaults } from './proxy.ts'
import { isWhole, pairsOf, run } from './run.ts'
import { surroundings } from './surroundings.ts'

/**
 * `npm run torture -- --minutes N`: callers write under faults of a service that is started for it, and the history of what
 * they heard is checked. Ctrl-C ends it with what it has. The history and the figures stay in the folder. With --messages
 * each message between service and database fails once in each way, operation by operation.
 * With --disk the disk loses what it had not promised to keep, and changes pages.
 * With --faults network, clocks, disks and calls on files fail, a standby takes over, a backup is restored to a moment, and upgrades
 * are killed, one after the other; --on names some grounds of these. With --citus as well, servers of the cluster of CITUS_URL fail.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    writers: { type: 'string', default: '16' },
    'fault-every': { type: 'string', default: '1.5' },
    'no-faults': { type: 'boolean', default: false },
    'met-least': { type: 'string', default: '1' },
    messages: { type: 'boolean', default: false },
    disk: { type: 'boolean', default: false },
    faults: { type: 'boolean', default: false },
    citus: { type: 'boolean', default: false },
    cuts: { type: 'string', default: '200' },
    flips: { type: 'string', default: '50' },
    operations: { type: 'string' },
    on: { type: 'string' },
    folder: { type: 'string', default: 'data/proof' },
  },
})
mkdirSync(values.folder, { recursive: true })
const file = join(values.folder, values.messages ? 'messages.jsonl' : 'history.jsonl')
const write = (name: string, value: object): void =>
  writeFileSync(join(values.folder, name), `${JSON.stringify(value, null, 2)}\n`)
const isGood = await (values.disk
  ? loseWrites()
  : values.faults
    ? sufferFaults()
    : values.messages
      ? tryMessages()
      : tryLoad())
if (!isGood) process.exitCode = 1

async function tryLoad(): Promise<boolean> {
  const ending = new AbortController()
  process.once('SIGINT', () => ending.abort())
  const outcome = await run({
    ...{ rounds: [60 * Number(values.minutes)], seed: Number(values.seed), writers: Number(values.writers) },
    ...{ signal: ending.signal, file },
    ...(values['no-faults'] ? {} : { faultEveryMs: 1000 * Number(values['fault-every']) }),
    onProgress: ({ seconds, calls, faults }) => {
      if (process.stderr.isTTY)
        process.stderr.write(
          `\r${Math.round(seconds)} s of ${60 * Number(values.minutes)}: ${calls} calls, ${faults} faults `,
        )
    },
  })
  write('outcome.json', { ...surroundings(), seed: values.seed, ...outcome })
  const { calls, changes, faults, met } = outcome
  console.log(`${calls} calls, ${changes} changes, ${faults} faults, ${outcome.seconds} s, seed ${values.seed}`)
  return sayBroken(outcome.violations) && (values['no-faults'] || sayRare(met))
}

/** Returns whether each fault met each operation often enough. A run that ended before each was made says how far it is. */
function sayRare(met: Parameters<typeof pairsOf>[0]): boolean {
  const pairs = pairsOf(met)
  const rare = pairs.filter(({ count }) => count < Number(values['met-least']))
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
  const { trials, violations } = await failMessages({ file, ...operations })
  const seconds = Math.round((performance.now() - since) / 1000)
  keepMessages({ seconds, trials, violations })
  console.log(`Each cell: what was heard when the message was ${messageFaults.join(', ')}.`)
  for (const line of tableOf(trials)) console.log(line)
  const wrong = trials.filter((trial) => trial.wrong !== null)
  for (const { operation, message, fault, wrong: why } of wrong)
    console.log(`WRONG ${operation}, message ${message} ${fault}: ${why}`)
  console.log(`${trials.length} messages failed in ${seconds} s, ${wrong.length} of them wrongly.`)
  return sayBroken(violations) && wrong.length === 0
}

async function loseWrites(): Promise<boolean> {
  const ending = new AbortController()
  process.once('SIGINT', () => ending.abort())
  const { cuts, flips, seed, folder } = values
  const done = await tryDisk({
    ...{ cuts: Number(cuts), flips: Number(flips), seed: Number(seed), folder, signal: ending.signal },
    onProgress: (sentence) => console.log(sentence),
  })
  write(`disk-${seed}.json`, { ...surroundings(), ...done })
  const { lines, isWhole } = judgeDisk(done)
  for (const line of lines) console.log(line)
  return isWhole
}

async function sufferFaults(): Promise<boolean> {
  const ending = new AbortController()
  process.once('SIGINT', () => ending.abort())
  const onSuffered = (one: Parameters<typeof sayOf>[0]): void => console.log(sayOf(one))
  const chosen = values.citus
    ? { grounds: ['citus'] as const }
    : values.on === undefined
      ? { hasUpgrades: true }
      : { grounds: values.on.split(',') as GroundName[] }
  const done = await makeFaults({ seed: Number(values.seed), file, signal: ending.signal, onSuffered, ...chosen })
  write(values.citus ? 'citus.json' : 'faults.json', { ...surroundings(), ...done })
  const { lines, isWhole } = judgeFaults(done)
  for (const line of lines) console.log(line)
  return isWhole
}

type MessagesResult = Awaited<ReturnType<typeof failMessages>> & { seconds: number }

/** Keeps the trials beside those of other operations that an earlier run has left. */
function keepMessages({ seconds, trials, violations }: MessagesResult): void {
  const path = join(values.folder, 'messages.json')
  const isAll = values.operations === undefined || !existsSync(path)
  const before: MessagesResult = isAll
    ? { seconds: 0, trials: [], violations: [] }
    : JSON.parse(readFileSync(path, 'utf8'))
  const own = new Set(trials.map(({ operation }) => operation))
  write('messages.json', {
    ...surroundings(),
    seconds: before.seconds + seconds,
    trials: [...before.trials.filter(({ operation }) => !own.has(operation)), ...trials],
    violations: [...before.violations, ...violations],
  })
}

function sayBroken(violations: readonly Violation[]): boolean {
  for (const { rule, places } of violations) {
    console.log(`BROKEN ${rule}: ${places.length} places`)
    for (const place of places.slice(0, 5)) console.log(`  ${place}`)
  }
  return violations.length === 0
}
