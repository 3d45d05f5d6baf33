import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type DiskRun, judgeDisk } from './disk/run.ts'
import { type FaultsRun, findUnmet, judgeFaults } from './faults/run.ts'
import { findings } from './findings.ts'
import { tableOfKills } from './kills.ts'
import { type MessagesRun, messageOperations, tableOf } from './messages.ts'
import { operations } from './operations.ts'
import { type FoundRun, hasFound, planted } from './planted/planted-bugs.ts'
import { messageFaults } from './proxy.ts'
import { formatCounts, type RaceKind, type RacesRun, raceKinds } from './races/run.ts'
import { addUp } from './rounds.ts'
import { rules } from './rules/index.ts'
import { isWhole, type Outcome, pairsOf } from './run.ts'
import { judgeSimulation, type SimulationRun } from './simulate/run.ts'
import type { Surroundings } from './surroundings.ts'
import { trials } from './trials.ts'

/**
 * `node proof/report.ts [folder]`: makes docs/reliability/README.md and its picture of what the runs left in the folder, and
 * puts all of it into data/figures/proof.json: outcome.json, steady.json, races.json, kills.json, messages.json, planted.json, simulate.json, faults.json, citus.json and each disk-SEED.json. Of a run that is missing it says so.
 */

type Seeded = Surroundings & { seed: number | string }
type Load = Seeded & Outcome
type Figures = {
  load: Load | null
  /** The same without faults. */
  steady: Load | null
  races: (Seeded & RacesRun) | null
  kills: Load | null
  messages: (Surroundings & MessagesRun & { seconds: number }) | null
  planted: (Seeded & { runs: FoundRun[] }) | null
  simulated: (Surroundings & SimulationRun) | null
  faults: (Surroundings & FaultsRun) | null
  /** The same on a cluster. */
  citus: (Surroundings & FaultsRun) | null
  disk: (Surroundings & DiskRun)[]
}

const operationCount = Object.keys(operations).length
const notRun = 'not run for this page'
const raceSentences: { readonly [kind in RaceKind]: string } = {
  keys: 'One Idempotency-Key was sent by two to four callers at once, sometimes with another body.',
  deletions: 'A record was deleted while new references to it were written.',
  plans: 'One or two places of a plan were free, and more callers than that took them.',
}

const folder = process.argv[2] ?? 'data/proof'
const docs = join(import.meta.dirname, '../docs/reliability')
const read = (name: string) => {
  const path = join(folder, name)
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null
}
const figures: Figures = {
  load: read('outcome.json'),
  steady: read('steady.json'),
  races: read('races.json'),
  kills: read('kills.json'),
  messages: read('messages.json'),
  planted: read('planted.json'),
  simulated: read('simulate.json'),
  faults: read('faults.json'),
  citus: read('citus.json'),
  disk: readdirSync(folder)
    .filter((name) => /^disk-\d+\.json$/.test(name))
    .map(read),
}
const figuresFile = join(import.meta.dirname, '../data/figures/proof.json')
const figuresText = `${JSON.stringify(figures)}\n`
mkdirSync(dirname(figuresFile), { recursive: true })
writeFileSync(figuresFile, figuresText)
if (figures.load) writeFileSync(join(docs, 'faults.svg'), pictureOf(figures.load.met))
writeFileSync(join(docs, 'README.md'), pageOf(figures))

function pageOf(figures: Figures): string {
  const { load, steady, races, kills, messages, planted: bugs, simulated, faults, citus, disk } = figures
  const recorded = [load, steady, races, kills].flatMap((run) => run ?? [])
  const tried = recorded.map((run) => run.trials ?? {}).reduce((all, own) => addUp(all, own) as typeof all, {})
  return [
    '# Nothing lost, and anyone can check it',
    '',
    'Made by `node proof/report.ts` of what the runs left. How backups were tried is in [backup.md](backup.md), how long a fault keeps',
    'anyone waiting in [liveness.md](liveness.md). The raw figures are `proof.json` in the figures of the release, SHA-256',
    `\`${hash('sha256', figuresText)}\`.`,
    '',
    '## Figures asked',
    '',
    ...linesOfAsked(figures),
    '',
    '## What is promised',
    '',
    '`proof/check.ts` reads what callers sent and heard, and what lists, feed and histories say in the end. It shares no code with',
    'the service. A call that was not answered may have happened or not. Tried and broken: in the runs under load, with and without faults, kills and races.',
    '',
    '| rule | promise | tried | broken |',
    '|---|---|---|---|',
    ...rules.map(({ name, promise }) => {
      const broken = recorded.flatMap(({ violations }) => violations.filter(({ rule }) => rule === name))
      const places = broken.reduce((sum, { places }) => sum + places.length, 0)
      return `| ${name} | ${promise} | ${recorded.length > 0 ? `${count(tried[name] ?? 0)} ${trials[name]?.what} | ${places}` : '– | –'} |`
    }),
    '',
    '`npm run torture -- --whole` and `npm run planted` make the runs again;',
    '`node proof/check.ts data/proof/history.jsonl` checks what the last one recorded once more, and `npm run proof -- --url` records',
    'one at a service that runs already.',
    '',
    ...section('Under load and faults', load, linesOfLoad),
    ...section('Under load without faults', steady, linesOfSteady),
    ...section('Kills', kills, linesOfKills),
    ...section('Races over two processes', races, linesOfRaces),
    ...section('Each message', messages, linesOfMessages),
    ...section('Planted bugs', bugs, linesOfPlanted),
    ...section('A schedule drawn from a seed', simulated, linesOfSimulation),
    ...section('Network, clocks, disks, a standby and a restore', faults, linesOfFaults),
    ...section(
      'Servers of a distributed database',
      citus,
      linesOfFaults,
      'Not run for this page: `npm run torture -- --faults --citus`.',
    ),
    ...section('What a disk loses and changes', disk.length > 0 ? disk : null, linesOfDisk),
    '## Found and mended',
    '',
    '| found by | what | now | test |',
    '|---|---|---|---|',
    ...findings.map(({ foundBy, found, now, test }) => `| ${foundBy} | ${found} | ${now} | \`${test}\` |`),
    '',
    '## What is not tried here',
    '',
    'An older process beside the upgrade under this load (`test/upgrade/beside.test.ts` asks its statements), an import, a file system',
    'that drops what was not synced, and two faults of disks, networks or servers at once. A disk that answers EIO is a',
    'library before PostgreSQL and the commands. Of webhooks it is checked that all arrives and in order, not that it is signed. An erased person',
    'is none of the records.',
    '',
  ].join('\n')
}

function section<Run>(
  title: string,
  run: Run | null,
  linesOf: (run: Run) => string[],
  missing = 'Not run for this page.',
): string[] {
  return [`## ${title}`, '', ...(run === null ? [missing] : linesOf(run)), '']
}

function count(number: number): string {
  return number.toLocaleString('en')
}

function madeAt({ commit, machine, at, waiting }: Surroundings): string {
  return `Ended ${at.replace('T', ' ')} UTC at commit ${commit}, on ${machine}, which other work shared (load ${waiting}).`
}

/** A figure that is asked, how far it was reached, and the run that says so. */
type AskedFigure = {
  asked: string
  reached: string
  isReached: boolean
  part: string
  run: (Surroundings & { seed?: number | string; seconds?: number }) | null
}

function linesOfAsked(figures: Figures): string[] {
  const rows = [...listAskedRaces(figures), ...listAskedOfLoad(figures), ...listAskedOfAll(figures)]
  return [
    '| asked | reached | | part | seed | commit | machine | seconds |',
    '|---|---|---|---|---|---|---|---|',
    ...rows.map(({ asked, reached, isReached, part, run }) => {
      const { seed = '–', commit = '–', machine = '–', seconds = '–' } = run ?? {}
      return `| ${asked} | ${reached} | ${isReached ? 'yes' : '**no**'} | ${part} | ${seed} | ${commit} | ${machine} | ${seconds} |`
    }),
  ]
}

function listAskedRaces({ races, kills }: Figures): AskedFigure[] {
  const ofRaces = (asked: number, what: string, kind: RaceKind): AskedFigure => {
    const reached = races?.kinds[kind].overlapped ?? 0
    return {
      asked: `${count(asked)} ${what}`,
      reached: races ? count(reached) : notRun,
      isReached: reached >= asked,
      part: 'races',
      run: races,
    }
  }
  const killed = kills?.kills.length ?? 0
  return [
    {
      ...{ asked: '1,000 kills', reached: kills ? count(killed) : notRun, isReached: killed >= 1000 },
      ...{ part: 'kills', run: kills },
    },
    ofRaces(10_000, 'races on one key over two processes', 'keys'),
    ofRaces(10_000, 'deletions against new references', 'deletions'),
    ofRaces(1000, 'races for the last places of a plan', 'plans'),
  ]
}

function listAskedOfLoad({ load, messages, planted: bugs }: Figures): AskedFigure[] {
  const [rarest] = load ? pairsOf(load.met) : []
  const operations = new Set(messages?.trials.map(({ operation }) => operation)).size
  const found = planted.filter(({ bug }) => bugs?.runs.some((run) => run.bug === bug && hasFound(run))).length
  return [
    {
      asked: 'each pair of a fault and an operation met 20 times',
      reached: rarest ? `the rarest met ${rarest.count} times` : notRun,
      isReached: (rarest?.count ?? 0) >= 20,
      ...{ part: 'load', run: load },
    },
    {
      asked: 'each message of each operation failed in each way',
      reached: messages
        ? `${count(messages.trials.length)} trials of ${operations} of ${messageOperations.length} operations`
        : notRun,
      isReached: operations === messageOperations.length,
      ...{ part: 'messages', run: messages },
    },
    {
      asked: 'all planted bugs found',
      reached: bugs ? `${found} of ${planted.length}` : notRun,
      isReached: found === planted.length,
      ...{ part: 'planted', run: bugs },
    },
  ]
}

function listAskedOfAll(figures: Figures): AskedFigure[] {
  const { load, steady, races, kills, messages, planted: bugs, simulated, faults, disk } = figures
  const runs = [load, steady, races, kills, messages, faults].flatMap((run) => run ?? [])
  const cuts = disk.flatMap((run) => run.cuts)
  // The service without a bug, in the run of the planted ones.
  const clean = bugs?.runs.filter(({ bug }) => bug === 'none') ?? []
  const calls = [...runs, ...cuts, ...(simulated ? [simulated] : []), ...clean].reduce(
    (sum, run) => sum + (run.calls ?? 0),
    0,
  )
  const broken = [...runs, ...cuts].reduce((sum, { violations }) => sum + violations.length, 0)
  const wrong =
    raceKinds.reduce((sum, kind) => sum + (races?.kinds[kind].wrong.length ?? 0), 0) +
    (messages?.trials.filter((trial) => trial.wrong !== null).length ?? 0) +
    disk.flatMap((run) => run.flips).filter((flip) => flip.wrong.length > 0).length
  const isReached = calls >= 1_000_000
  const why =
    'there was no time for more: two processors make some 8,000 calls a minute under faults, and 20,000 without'
  return [
    {
      ...{ asked: '1,000,000 calls checked', reached: isReached ? count(calls) : `${count(calls)}; ${why}`, isReached },
      ...{ part: 'all but the planted bugs', run: null },
    },
    {
      ...{ asked: '0 violations', reached: `${broken} promises broken, ${wrong} trials wrong` },
      ...{ isReached: runs.length > 0 && broken + wrong === 0, part: 'all but the planted bugs', run: null },
    },
  ]
}

function linesOfKills(run: Load): string[] {
  return [
    madeAt(run),
    '',
    `Seed ${run.seed}: ${count(run.kills.length)} kills in ${count(run.seconds)} s under load, each as soon as callers were answered again; ${count(run.calls)} calls,`,
    `of which ${count(run.unanswered)} were not answered, and ${count(run.changes)} changes; ${run.violations.length} promises were broken. A wait is the longest time after a`,
    'kill in which no call was answered with success. PostgreSQL ran with `recovery_init_sync_method = syncfs`, by which it is',
    'back in a fraction of the time.',
    '',
    ...tableOfKills(run.kills),
  ]
}

function linesOfRaces(run: NonNullable<Figures['races']>): string[] {
  return [
    madeAt(run),
    '',
    `Seed ${run.seed}: ${count(run.calls)} calls in ${count(run.seconds)} s over two processes of the service, and ${count(run.changes)} changes; ${run.violations.length} promises were broken.`,
    'A race counts if all of its calls were under way at one moment. Races of all kinds went on side by side.',
    ...raceKinds.flatMap((kind) => {
      const { made, overlapped, wrong, heard } = run.kinds[kind]
      return [
        '',
        `${raceSentences[kind]} ${count(overlapped)} races of ${count(made)} that were made; ${wrong.length} were answered wrongly.`,
        '',
        '| party | was answered |',
        '|---|---|',
        ...Object.entries(heard).map(([party, answers]) => `| ${party} | ${formatCounts(answers)} |`),
      ]
    }),
  ]
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

function linesOfSteady(steady: Load): string[] {
  return [
    madeAt(steady),
    '',
    `Seed ${steady.seed}, ${steady.seconds} s: the same callers made ${count(steady.calls)} calls and ${count(steady.changes)} changes; ${steady.violations.length} promises were broken.`,
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
    `Seed ${run.seed}. Each was made by itself under load, again until it had met each of ${operationCount} operations, though not for ever; one that can be made once, on one ground after the other.`,
    '',
    ...judgeFaults(run).lines.map((line) => `- ${line}`),
    '',
    '| fault | longest first answer, ms | back after, ms | calls without a result | operations met | times |',
    '|---|---|---|---|---|---|',
    ...run.suffered.map(
      (one) =>
        `| ${one.fault} | ${one.answeredMs} | ${one.recoveredMs} | ${one.failed} of ${one.calls} | ${operationCount - findUnmet(one).length} | ${one.times} |`,
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
