import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Violation } from './check.ts'
import { type DiskRun, judgeDisk } from './disk/run.ts'
import { type FaultsRun, judgeFaults } from './faults/run.ts'
import { readHistory } from './history.ts'
import { messageOperations, type Trial, tableOf } from './messages.ts'
import { type FoundRun, hasFound, planted } from './planted/planted-bugs.ts'
import { messageFaults } from './proxy.ts'
import { rules } from './rules/index.ts'
import { isWhole, type Outcome, pairsOf } from './run.ts'
import { judgeSimulation, type SimulationRun } from './simulate/run.ts'
import type { Surroundings } from './surroundings.ts'
import { countTrials, trials } from './trials.ts'

/**
 * `node proof/report.ts [folder]`: makes docs/reliability/README.md, its picture and its figures of what the runs left in the
 * folder: outcome.json with history.jsonl, messages.json, planted.json, simulate.json, faults.json and each disk-SEED.json. Of a run that is missing it says so.
 */

type Load = Outcome & Surroundings & { seed: string; trials: { [rule: string]: number } }
type Figures = {
  load: Load | null
  messages: (Surroundings & { seconds: number; trials: Trial[]; violations: Violation[] }) | null
  planted: (Surroundings & { seed: string; runs: FoundRun[] }) | null
  simulated: (Surroundings & SimulationRun) | null
  faults: (Surroundings & FaultsRun) | null
  disk: (Surroundings & DiskRun)[]
}

const folder = process.argv[2] ?? 'data/proof'
const docs = join(import.meta.dirname, '../docs/reliability')
const read = (name: string) => {
  const path = join(folder, name)
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null
}
const outcome: Omit<Load, 'trials'> | null = read('outcome.json')
const figures: Figures = {
  load: outcome && { ...outcome, trials: countTrials(await readHistory(join(folder, 'history.jsonl'))) },
  messages: read('messages.json'),
  planted: read('planted.json'),
  simulated: read('simulate.json'),
  faults: read('faults.json'),
  disk: readdirSync(folder)
    .filter((name) => /^disk-\d+\.json$/.test(name))
    .map(read),
}
writeFileSync(join(docs, 'proof.json'), `${JSON.stringify(figures)}\n`)
if (figures.load) writeFileSync(join(docs, 'faults.svg'), pictureOf(figures.load.met))
writeFileSync(join(docs, 'README.md'), pageOf(figures))

function pageOf({ load, messages, planted: bugs, simulated, faults, disk }: Figures): string {
  return [
    '# Nothing lost, and anyone can check it',
    '',
    'Made by `node proof/report.ts` of what the runs left; the figures are in [proof.json](proof.json). How backups were tried is in',
    '[backup.md](backup.md), how long a fault keeps anyone waiting in [liveness.md](liveness.md).',
    '',
    '## What is promised',
    '',
    '`proof/check.ts` reads what callers sent and heard, and what lists, feed and histories say in the end. It shares no code with',
    'the service. A call that was not answered may have happened or not. Tried and broken: in the run under load and faults.',
    '',
    '| rule | promise | tried | broken |',
    '|---|---|---|---|',
    ...rules.map(({ name, promise }) => {
      const places = load?.violations.find(({ rule }) => rule === name)?.places.length ?? 0
      return `| ${name} | ${promise} | ${load ? `${count(load.trials[name] ?? 0)} ${trials[name]?.what}` : '–'} | ${load ? places : '–'} |`
    }),
    '',
    '`npm run torture -- --minutes 15`, `npm run torture -- --messages` and `npm run planted` make the runs again;',
    '`node proof/check.ts data/proof/history.jsonl` checks what the last one recorded once more, and `npm run proof -- --url` records',
    'one at a service that runs already.',
    '',
    '## Under load and faults',
    '',
    ...(load ? linesOfLoad(load) : ['Not run for this page.']),
    '',
    '## Each message',
    '',
    ...(messages ? linesOfMessages(messages) : ['Not run for this page.']),
    '',
    '## Planted bugs',
    '',
    ...(bugs ? linesOfPlanted(bugs) : ['Not run for this page.']),
    '',
    '## A schedule drawn from a seed',
    '',
    ...(simulated ? linesOfSimulation(simulated) : ['Not run for this page.']),
    '',
    '## Network, clocks, disks and a standby',
    '',
    ...(faults ? linesOfFaults(faults) : ['Not run for this page.']),
    '',
    '## What a disk loses and changes',
    '',
    ...(disk.length > 0 ? linesOfDisk(disk) : ['Not run for this page.']),
    '',
    '## What is not tried here',
    '',
    'A restore and an upgrade in the middle of the load, an import, a file system that drops what was not synced, and a distributed',
    'database. Of webhooks it is checked that all arrives and in order, not that it is signed. An erased person is none of the records.',
    '',
  ].join('\n')
}

function count(number: number): string {
  return number.toLocaleString('en')
}

function madeAt({ commit, machine, at, waiting }: Surroundings): string {
  return `Ended ${at.replace('T', ' ')} UTC at commit ${commit}, on ${machine}, which other work shared (load ${waiting}).`
}

function linesOfLoad(load: Load): string[] {
  const pairs = pairsOf(load.met)
  const [rarest] = pairs
  return [
    madeAt(load),
    '',
    `Seed ${load.seed}, ${load.seconds} s: ${count(load.calls)} calls of two companies, of which ${count(load.unanswered)} were not answered; ${count(load.changes)} changes;`,
    `${load.faults} times a fault or two at once; ${load.rotations} rotations of a token. The callers write the same few records in every way, two`,
    'follow the feed of each company, and a receiver of webhooks fails now and then. The picture counts the calls that were under way',
    `while a fault was made. Of ${pairs.length} pairs of a fault and an operation the rarest, ${rarest?.fault} and ${rarest?.operation}, met ${rarest?.count} times;`,
    `${pairs.filter(({ count }) => count >= 20).length} met 20 times or more.${isWhole(load.met) ? '' : ' The run ended before each fault was made alone and with each other.'}`,
    '',
    '![How often each fault met each operation](faults.svg)',
  ]
}

function linesOfMessages(run: NonNullable<Figures['messages']>): string[] {
  const { trials, seconds, violations } = run
  const missing = messageOperations.filter((name) => !trials.some(({ operation }) => operation === name))
  return [
    madeAt(run),
    '',
    `Each message of a write between service and PostgreSQL failed once in each way: ${trials.length} trials in ${seconds} s, of which`,
    `${trials.filter((trial) => trial.wrong !== null).length} went wrong; ${violations.length} promises were broken. A cell says what the caller heard when the message was`,
    `${messageFaults.join(', ')}: the code of a 503, or a status. A retry with the key then had a result, and all that was`,
    'heard was checked. Messages by which a connection is opened are not among them.',
    ...(missing.length > 0 ? [`Not tried for this page: ${missing.join(', ')}.`] : []),
    '',
    ...tableOf(trials),
  ]
}

function linesOfPlanted(made: NonNullable<Figures['planted']>): string[] {
  const clean = made.runs.find(({ rule }) => rule === 'none')
  const bugs = planted.map((one) => ({ ...one, run: made.runs.findLast(({ bug }) => bug === one.bug) }))
  const ran = bugs.flatMap(({ run }) => run ?? [])
  const alone = rules.filter(({ name }) =>
    ran.some(({ rule, found }) => rule === name && Object.keys(found).join() === name),
  )
  return [
    madeAt(made),
    '',
    `Each bug is planted in a copy of the service, which then runs until its rule has found it. Of ${bugs.length}, ${ran.length} were run; ${ran.filter(hasFound).length} of these were`,
    `found by the rule that has to find them. ${clean ? `The service as it is was found ${hasFound(clean) ? 'clean' : 'BROKEN'} by the same run of ${count(clean.calls)} calls.` : ''}`,
    `Of ${rules.length} rules ${alone.length} have a bug that they alone find.`,
    '',
    '| bug | found by | after calls | seconds |',
    '|---|---|---|---|',
    ...bugs.map(({ bug, rule, run }) => {
      if (!run) return `| ${bug} | not run for this page | | |`
      const names = Object.keys(run.found).toSorted((one, other) => Number(other === rule) - Number(one === rule))
      return `| ${bug} | ${hasFound(run) ? '' : `**missed by ${rule}** ${run.failure ?? ''}`}${names.join(', ')} | ${count(run.calls)} | ${run.seconds} |`
    }),
  ]
}

function linesOfSimulation(run: NonNullable<Figures['simulated']>): string[] {
  return [
    madeAt(run),
    '',
    `Seeds ${run.seed} to ${run.seed + run.schedules + run.failures.length - 1}. Two processes of the service on one PostgreSQL: one message at a time goes on, in an order that the seed`,
    'draws, and so are those that are cut or late. Clock and random bits of both processes are the schedule’s. A seed has one trace.',
    'A schedule that breaks a promise is kept as the shortest beginning that does: `npm run simulate`.',
    '',
    ...judgeSimulation(run).lines.map((line) => `- ${line}`),
  ]
}

function linesOfFaults(run: NonNullable<Figures['faults']>): string[] {
  return [
    madeAt(run),
    '',
    `Seed ${run.seed}. ${judgeFaults(run).lines.join(' ')} Each was made once, by itself, on a PostgreSQL with a synchronous standby.`,
    '',
    '| fault | longest first answer, ms | back after, ms | calls without a result |',
    '|---|---|---|---|',
    ...run.suffered.map(
      (one) => `| ${one.fault} | ${one.answeredMs} | ${one.recoveredMs} | ${one.failed} of ${one.calls} |`,
    ),
  ]
}

/** The runs as one: their trials are alike, with other seeds. */
function linesOfDisk(runs: Figures['disk']): string[] {
  const [first] = runs as [Figures['disk'][number]]
  const sum = (of: (run: DiskRun) => number): number => runs.reduce((total, run) => total + of(run), 0)
  const all: DiskRun = {
    ...first,
    seconds: sum((run) => run.seconds),
    kills: sum((run) => run.kills),
    cuts: runs.flatMap((run) => run.cuts),
    lies: runs.flatMap((run) => run.lies),
    flips: runs.flatMap((run) => run.flips),
  }
  return [
    madeAt(first),
    '',
    `Seeds ${runs.map(({ seed }) => seed).join(', ')}. Service and PostgreSQL are killed under load and the log is filled with zeros behind a drawn byte that`,
    'lies after what was acknowledged. As a control, a disk that lied has to be found out. Then a drawn byte of a page is changed.',
    '',
    ...judgeDisk(all).lines.map((line) => `- ${line.split('\n', 1)}`),
  ]
}

/** A table as a picture: a row for each fault, alone or with others, a column for each operation. */
function pictureOf(met: Outcome['met']): string {
  const names = [...new Set(Object.keys(met).flatMap((name) => name.split(' + ')))].toSorted()
  const operations = [...new Set(Object.values(met).flatMap((counts) => Object.keys(counts)))].toSorted()
  const count = (fault: string, operation: string): number =>
    Object.entries(met).reduce(
      (sum, [name, counts]) => sum + (name.split(' + ').includes(fault) ? (counts[operation] ?? 0) : 0),
      0,
    )
  const [left, top, width, height] = [260, 190, 46, 30]
  const most = Math.max(1, ...names.flatMap((fault) => operations.map((operation) => count(fault, operation))))
  const cells = names.flatMap((fault, row) =>
    operations.map((operation, column) => {
      const value = count(fault, operation)
      const [x, y] = [left + column * width, top + row * height]
      const shade = value === 0 ? '#ffffff' : `hsl(210 60% ${Math.round(92 - (42 * value) / most)}%)`
      return `<rect x="${x}" y="${y}" width="${width - 2}" height="${height - 2}" fill="${shade}" stroke="#ccc"/><text x="${x + width / 2 - 1}" y="${y + 19}" text-anchor="middle">${value}</text>`
    }),
  )
  const rows = names.map(
    (fault, row) => `<text x="${left - 8}" y="${top + row * height + 19}" text-anchor="end">${fault}</text>`,
  )
  const columns = operations.map((operation, column) => {
    const x = left + column * width + width / 2 + 4
    return `<text transform="translate(${x} ${top - 8}) rotate(-55)">${operation}</text>`
  })
  const size = `width="${left + operations.length * width + 120}" height="${top + names.length * height + 10}"`
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="sans-serif" font-size="12"><title>How often each fault met each operation</title><rect width="100%" height="100%" fill="#fff"/>${[...cells, ...rows, ...columns].join('')}</svg>\n`
}
