import { formatNumber, table } from '../../bench/table.ts'
import type { Attack } from './attack.ts'
import type { Holding, Series, Trial } from './trial.ts'
import { diskOverMax, p99RatioMax, residentMegabytesMax } from './verdict.ts'

/** An attack with what came of it; `wrong` is empty where everything held. */
export type JudgedAttack = { attack: Attack; trial: Trial; wrong: readonly string[] }

const head = [
  ...['attack', 'sockets', 'requests', 'MB sent', 'MB answered', 'others served'],
  ...['quiet p50 / p99 ms', 'beside p99 ms', 'ratio', 'VmHWM MB before', 'peak', 'holds'],
]

function cellsOf({ attack, trial, wrong }: JudgedAttack): string[] {
  const { outcome, others, quiet, beside, memory } = trial
  return [
    attack.name,
    formatNumber(outcome.sockets),
    formatNumber(outcome.requests),
    formatNumber(outcome.sentBytes / 2 ** 20, 1),
    formatNumber(outcome.answeredBytes / 2 ** 20, 1),
    `${formatNumber(others.answered)} of ${formatNumber(others.asked)}`,
    `${formatNumber(quiet.p50, 1)} / ${formatNumber(quiet.p99, 1)}`,
    formatNumber(beside.p99, 1),
    formatNumber(beside.p99 / quiet.p99, 1),
    formatNumber(memory.before),
    formatNumber(memory.peak),
    wrong.length === 0 ? '✓' : '✗',
  ]
}

export const textOf = (judged: readonly JudgedAttack[], series: Series, wrongOfSeries: readonly string[]): string =>
  [
    ...(judged.length > 0 ? [`${table(head, judged.map(cellsOf))}\n`, complaints(judged)] : []),
    `${table(seriesHead, series.attacked.map(seriesCellsOf))}\n`,
    `${keptSentence(series)}\n`,
    wrongOfSeries.length === 0 ? 'The series holds.\n' : `${wrongOfSeries.join(' ')}\n`,
  ].join('\n')

const seriesHead = [
  ...['attack of the series', 'VmHWM MB before', 'after', 'open files before', 'after'],
  ...['data folder MB before', 'after', 'WAL MB before', 'after'],
]

function seriesCellsOf({ attack, before, after }: Series['attacked'][number]): string[] {
  const each = (read: (holding: Holding) => number | null): string[] => [
    formatNumber(read(before)),
    formatNumber(read(after)),
  ]
  return [
    attack,
    ...each(({ peakMegabytes }) => peakMegabytes),
    ...each(({ openFiles }) => openFiles),
    ...each(({ disk }) => disk.folder / 2 ** 20),
    ...each(({ disk }) => disk.wal / 2 ** 20),
  ]
}

const keptSentence = ({ kept: { bytes, onPurpose } }: Series): string =>
  `After a sweep of everything the tables with their indexes have ${formatNumber(bytes / 2 ** 20, 1)} MB; the same rows, written anew one after the other, take ${formatNumber(onPurpose / 2 ** 20, 1)} MB.`

const complaints = (judged: readonly JudgedAttack[]): string => {
  const failed = judged.filter(({ wrong }) => wrong.length > 0)
  if (failed.length === 0) return `All ${judged.length} hold.\n`
  const each = failed.map(({ attack, wrong }) => `${attack.name}: ${wrong.join(' ')}\n`)
  return `${judged.length - failed.length} of ${judged.length} hold.\n\n${each.join('')}`
}

export type About = { at: string; machine: { [fact: string]: string | number }; secondsEach: number }

/** The page: what this is, how it is run, and what came of it. */
export function pageOf({ at, machine, secondsEach }: About, judged: readonly JudgedAttack[], series: Series): string {
  const { at: seriesAt, peakMegabytes } = series
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return `# Attacks, and what everybody else has of them

This page is written by \`npm run hostile\`; what it says about attacks stands in \`test/hostile/attacks\`.

Each attack is made on a process of the service that an operator would start, with a real PostgreSQL, from a process of
its own over raw sockets of this machine. Beside it other callers go on, from addresses of their own: another company asks
for records and pages and creates some, at a steady pace; probes ask \`/healthz\` and \`/readyz\` over a new connection each
time. What has to hold:

- every one of the others is served;
- the process takes no more memory than stands beside the attack (\`VmHWM\` of Linux, which counts every byte that it
  ever held at once, not the JavaScript heap alone) and stays below ${residentMegabytesMax} MB, also where one process
  meets all attacks, one after the other;
- after those, and after one sweep of everything that is tidied up, the disk has at most ${diskOverMax * 100} % more than what is kept on purpose takes;
- the attack leaves at most 256 KB in the log, at the level \`error\`;
- the attacker is answered no more bytes for a request than stand beside the attack, and nobody is answered 500;
- p99 of the others, from the moment at which a call was due, is at most ${p99RatioMax} times that before the attack, where the
  attack names no other bound.

\`\`\`sh
npm run hostile -- --help
\`\`\`

| command | makes |
|---|---|
| \`npm run hostile\` | every attack, about thirty minutes; writes this page and the figures |
| \`npm run hostile -- --minutes 60\` | the same for longer |
| \`npm run hostile -- --only unread-script,keys\` | some attacks; writes nothing |
| \`npm run hostile -- --series\` | only the run in which one process meets all of them; writes its part |

It ends with exit code 1 where something does not hold. \`npm test\` runs the same list in a short form, with fewer
connections and without looking at times: \`test/hostile\`. A new attack is one entry in a file of
\`test/hostile/attacks\`. Callers, attackers, service and database share the cores of the machine; figures of a machine
that does other work besides mean less. The figures are in [hostile.json](hostile.json) too.

## What came of it

Measured on ${at.slice(0, 10)}: ${machine.cores} cores of ${machine.processor}, ${machine.memoryGigabytes} GB, Node.js ${machine.node}, PostgreSQL ${machine.postgres};
${formatNumber(secondsEach)} seconds for each attack, load of the machine before ${machine.loadBefore}.

${[head, head.map(() => '---'), ...judged.map(cellsOf)].map(row).join('\n')}

${complaints(judged).trimEnd().replaceAll('\n', '\n\n').replaceAll('\n\n\n\n', '\n\n')}

One process that met all of them, one after the other, held ${formatNumber(peakMegabytes)} MB at most (measured on ${seriesAt.slice(0, 10)}); ${residentMegabytesMax} are asked.
What it and its database held before and after each is below: the most memory so far, open files with sockets among them, the data folder
without its log, and the log (WAL), whose size PostgreSQL bounds by itself.
${keptSentence(series)} Records, their history, calls and stored answers are kept on purpose, and most of it are records
that attacks with a token made.

${[seriesHead, seriesHead.map(() => '---'), ...series.attacked.map(seriesCellsOf)].map(row).join('\n')}

## The attacks

| attack | what it does | memory, MB more | for | answered, KB a request | for |
|---|---|---|---|---|---|
${judged
  .map(({ attack: { name, about, bounds } }) =>
    row([
      ...[name, about, String(bounds.memory.most), bounds.memory.because],
      ...[formatNumber(bounds.answered.most), bounds.answered.because],
    ]),
  )
  .join('\n')}
`
}
