import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { messageOperations, type Trial, tableOf } from './messages.ts'
import { planted } from './planted/planted.ts'
import { messageFaults } from './proxy.ts'
import { rules } from './rules/index.ts'
import type { Outcome } from './run.ts'

/**
 * `node proof/report.ts [folder]`: makes docs/reliability/README.md, its picture and its figures of what the runs left in the
 * folder: outcome.json, messages.json, and planted.json or several that begin so. Of a run that is missing it says so.
 */

type Figures = {
  commit: string
  machine: string
  load: (Outcome & { seed: string }) | null
  messages: { seconds: number; trials: Trial[]; violations: Outcome['violations'] } | null
  planted: PlantedRun[]
}
type PlantedRun = { bug: string; rule: string; calls: number; seconds: number; found: { [rule: string]: number } }

const folder = process.argv[2] ?? 'data/proof'
const docs = join(import.meta.dirname, '../docs/reliability')
const read = (name: string) => {
  const path = join(folder, name)
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null
}
const plantedFiles = readdirSync(folder).filter((name) => /^planted.*\.json$/.test(name))
const figures: Figures = {
  commit: execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], { encoding: 'utf8' }).trim(),
  machine: `${cpus().length} processors, Node.js ${process.version}`,
  load: read('outcome.json'),
  messages: read('messages.json'),
  planted: plantedFiles.flatMap((name) => read(name).runs),
}
writeFileSync(join(docs, 'proof.json'), `${JSON.stringify(figures, null, 1)}\n`)
if (figures.load) writeFileSync(join(docs, 'faults.svg'), pictureOf(figures.load.met))
writeFileSync(join(docs, 'README.md'), pageOf(figures))

function pageOf({ commit, machine, load, messages, planted }: Figures): string {
  const violations = [...(load?.violations ?? []), ...(messages?.violations ?? [])]
  const broken = new Map(violations.map(({ rule, places }) => [rule, places.length]))
  return [
    '# Nothing lost, and anyone can check it',
    '',
    'Made by `node proof/report.ts` of what the runs left; the figures are in [proof.json](proof.json). How backups were tried is in',
    '[backup.md](backup.md), how long a fault keeps anyone waiting in [liveness.md](liveness.md).',
    '',
    `Page made at commit ${commit}, on ${machine}, which other work shared.`,
    '',
    '## What is promised',
    '',
    '`proof/check.ts` reads what callers sent and heard, and what lists, feed and histories say in the end. It shares no code with',
    'the service. A call that was not answered may have happened or not.',
    '',
    '| rule | promise | broken in the runs below |',
    '|---|---|---|',
    ...rules.map(({ name, promise }) => `| ${name} | ${promise} | ${broken.get(name) ?? 0} |`),
    '',
    '`npm run proof -- --minutes 5`, `npm run proof -- --messages` and `npm run planted` make the runs again;',
    '`node proof/check.ts data/proof/history.jsonl` checks what the last one recorded once more.',
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
    ...linesOfPlanted(planted),
    '',
    '## What is not tried here',
    '',
    'A network that is slow, silent or cut is tried by [liveness.md](liveness.md), full disks too. A clock that is set, a failover to a standby,',
    'a disk that loses what it acknowledged, a restore and an upgrade in the middle of the load, an import, and a distributed database are',
    'not. Of webhooks it is checked that all arrives and in order, not that it is signed. An erased person is none of the records.',
    '',
  ].join('\n')
}

function linesOfLoad(load: NonNullable<Figures['load']>): string[] {
  return [
    `Seed ${load.seed}, ${load.seconds} s: ${load.calls} calls of two companies, of which ${load.unanswered} were not answered; ${load.changes} changes;`,
    `${load.faults} times a fault or two at once; ${load.rotations} rotations of a token. The callers write the same few records in every way, two`,
    'follow the feed of each company, and a receiver of webhooks fails now and then. The picture counts the calls that were under way',
    'when a fault began.',
    '',
    '![How often each fault met each operation](faults.svg)',
  ]
}

function linesOfMessages({ trials, seconds }: NonNullable<Figures['messages']>): string[] {
  const missing = messageOperations.filter((name) => !trials.some(({ operation }) => operation === name))
  return [
    `Each message of a write between service and PostgreSQL failed once in each way: ${trials.length} trials in ${seconds} s, of which`,
    `${trials.filter((trial) => trial.wrong !== null).length} went wrong. A cell says what the caller heard when the message was ${messageFaults.join(', ')}: the code`,
    'of a 503, or a status. A retry with the key then had a result, and all that was heard was checked. Messages by which a connection is',
    `opened are not among them. Not tried for this page: ${missing.join(', ') || 'none'}.`,
    '',
    ...tableOf(trials),
  ]
}

function linesOfPlanted(runs: readonly PlantedRun[]): string[] {
  const clean = runs.filter(({ rule }) => rule === 'none')
  const bugs = planted.map((one) => ({ ...one, run: runs.findLast(({ bug }) => bug === one.bug) }))
  const found = bugs.filter(({ rule, run }) => run?.found[rule] !== undefined)
  const isClean = clean.every((one) => Object.keys(one.found).length === 0)
  return [
    `Each bug is planted in a copy of the service, which then runs for a short time. Of ${bugs.length}, ${bugs.filter(({ run }) => run).length} were run; ${found.length} of these were found by the rule that has`,
    `to find them. The service as it is was found ${isClean ? 'clean' : 'BROKEN'} by the same run, ${clean.length} times.`,
    '',
    '| bug | found by | calls of the run |',
    '|---|---|---|',
    ...bugs.map(({ bug, rule, run }) => {
      if (!run) return `| ${bug} | not run for this page | |`
      const names = Object.keys(run.found).toSorted((one, other) => Number(other === rule) - Number(one === rule))
      return `| ${bug} | ${run.found[rule] === undefined ? '**missed**; ' : ''}${names.join(', ')} | ${run.calls} |`
    }),
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
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="#fff"/>${[...cells, ...rows, ...columns].join('')}</svg>\n`
}
