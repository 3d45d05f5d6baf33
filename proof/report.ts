import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import type { Trial } from './messages.ts'
import { tableOf } from './messages.ts'
import { messageFaults } from './proxy.ts'
import { rules } from './rules/index.ts'
import type { Outcome } from './run.ts'

/**
 * `node proof/report.ts [folder]`: makes docs/reliability/README.md, its picture and its figures of what the runs left in the
 * folder: outcome.json, messages.json and planted.json.
 */

type Figures = {
  commit: string
  machine: string
  load: Outcome & { seed: string }
  messages: { seconds: number; trials: Trial[]; violations: Outcome['violations'] }
  planted: { seed: string; runs: PlantedRun[] }
}
type PlantedRun = { bug: string; rule: string; calls: number; seconds: number; found: { [rule: string]: number } }

const folder = process.argv[2] ?? 'data/proof'
const docs = join(import.meta.dirname, '../docs/reliability')
const read = (name: string) => {
  const path = join(folder, name)
  if (!existsSync(path)) throw new Error(`${path} is missing: make the run that leaves it first`)
  return JSON.parse(readFileSync(path, 'utf8'))
}
const figures: Figures = {
  commit: execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], { encoding: 'utf8' }).trim(),
  machine: `${cpus().length} processors, Node.js ${process.version}`,
  load: read('outcome.json'),
  messages: read('messages.json'),
  planted: read('planted.json'),
}
writeFileSync(join(docs, 'proof.json'), `${JSON.stringify(figures, null, 1)}\n`)
writeFileSync(join(docs, 'faults.svg'), pictureOf(figures.load.met))
writeFileSync(join(docs, 'README.md'), pageOf(figures))

function pageOf({ commit, machine, load, messages, planted }: Figures): string {
  const broken = new Map([...load.violations, ...messages.violations].map(({ rule, places }) => [rule, places.length]))
  const wrong = messages.trials.filter((trial) => trial.wrong !== null).length
  const [clean, ...bugs] = planted.runs.filter(
    ({ bug }, place, all) => all.findIndex((one) => one.bug === bug) === place,
  ) as [PlantedRun, ...PlantedRun[]]
  const cleanRuns = planted.runs.filter(({ bug }) => bug === clean.bug)
  const found = bugs.filter((one) => one.found[one.rule] !== undefined)
  return [
    '# Nothing lost, and anyone can check it',
    '',
    'Made by `node proof/report.ts` of what the runs left; the figures are in [proof.json](proof.json). How backups were tried is in',
    '[backup.md](backup.md), how long a fault keeps anyone waiting in [liveness.md](liveness.md).',
    '',
    `Commit ${commit}, ${machine}.`,
    '',
    '## What is promised',
    '',
    '`proof/check.ts` reads what callers sent and heard, and what lists, feed and histories say in the end. It shares no code with',
    'the service. A call that was not answered may have happened or not.',
    '',
    '| rule | promise | broken |',
    '|---|---|---|',
    ...rules.map(({ name, promise }) => `| ${name} | ${promise} | ${broken.get(name) ?? 0} |`),
    '',
    '```sh skip="runs for minutes"',
    'npm run proof -- --minutes 5',
    'npm run proof -- --messages',
    'npm run planted',
    'node proof/check.ts data/proof/history.jsonl',
    '```',
    '',
    '## Under load and faults',
    '',
    `Seed ${load.seed}, ${load.seconds} s: ${load.calls} calls of two companies, of which ${load.unanswered} were not answered; ${load.changes} changes;`,
    `${load.faults} times a fault or two at once; ${load.rotations} rotations of a token. The callers write the same few records in every way, two`,
    'follow the feed of each company, and a receiver of webhooks fails now and then. The picture counts the calls that were under way',
    'when a fault began.',
    '',
    '![How often each fault met each operation](faults.svg)',
    '',
    '## Each message',
    '',
    `Each message of a write between service and PostgreSQL failed once in each way: ${messages.trials.length} trials in ${messages.seconds} s, ${wrong} of them`,
    `wrong. A cell says what the caller heard when the message was ${messageFaults.join(', ')}: the code of a 503, or a status. A retry with`,
    'the key then had a result, and all that was heard was checked. Messages by which a connection is opened are not among them.',
    '',
    ...tableOf(messages.trials),
    '',
    '## Planted bugs',
    '',
    `Each bug was planted in a copy of the service, which then ran for a short time. ${found.length} of ${bugs.length} were found by the rule that`,
    `has to find them. The service as it is was found ${cleanRuns.every((one) => Object.keys(one.found).length === 0) ? 'clean' : 'BROKEN'} by the same run, ${cleanRuns.length} times.`,
    '',
    '| bug | found by | calls of the run |',
    '|---|---|---|',
    ...bugs.map(({ bug, rule, found: by, calls }) => {
      const names = Object.keys(by).toSorted((one, other) => Number(other === rule) - Number(one === rule))
      return `| ${bug} | ${by[rule] === undefined ? '**missed**; ' : ''}${names.join(', ')} | ${calls} |`
    }),
    '',
    '## What is not tried here',
    '',
    'A network that is slow, silent or cut is tried by [liveness.md](liveness.md), full disks too. A clock that is set, a failover to a standby,',
    'a disk that loses what it acknowledged, a restore and an upgrade in the middle of the load, and a distributed database are not.',
    'The receiver of webhooks is checked for completeness and order, not for its signatures.',
    '',
  ].join('\n')
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
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="#fff"/>${[...cells, ...rows, ...columns].join('')}</svg>\n`
}
