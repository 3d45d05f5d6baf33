import { parseArgs } from 'node:util'
import { freshWorks } from './fresh/works.ts'
import { BenchProblem } from './problem.ts'
import { type WorkName, workNames } from './works.ts'

const kinds = [
  ...(['profile', 'writes', 'growth', 'fresh', 'plans', 'pressure', 'endurance', 'processes', 'distributed'] as const),
  'first-second',
] as const

type BenchCommand = 'works' | (typeof kinds)[number]

/** The options of a run. */
export type Options = {
  help: boolean
  /** The kind of run: compare, or another one. */
  about: BenchCommand
  /** The floor's profile instead of the product's. */
  profileFloor: boolean
  works: readonly WorkName[]
  records: readonly number[]
  connections: readonly number[]
  rounds: number
  seconds: number
  /** Minutes of endurance. Its rate, which the first second uses too, is null for the usual one. */
  minutes: number
  rate: number | null
  /** Numbers of processes of the product, measured in turn. */
  processes: readonly number[]
  against: { url: string; adapter: string } | null
  /** The binary of the Go backend with which writes are compared. */
  peer: string | null
  /** The file of the JSON; the picture has the same name. Null means the usual file of the kind of run. */
  output: string | null
}

export function readOptions(words: readonly string[]): Options {
  const { values } = parseOptions(words)
  const quick = values.quick ?? false
  const asked = kinds.filter((kind) => values[kind])
  if (asked.length > 1)
    throw new BenchProblem(`${asked.map((kind) => `--${kind}`).join(' and ')} are several runs: ask for one of them.`)
  if ((values.against === undefined) !== (values.adapter === undefined)) {
    throw new BenchProblem(
      '--against and --adapter belong together: give the address of the other system and the file that knows how to ask it.',
    )
  }
  const [about = 'works'] = asked
  const { sizes, works, connections, rounds, seconds } = { ...usual, ...usualOf[about] }
  return {
    help: values.help ?? false,
    about,
    profileFloor: values.floor ?? false,
    works: values.only?.split(',').map(readWork) ?? works,
    records: readNumbers(values.records, '--records') ?? (quick ? sizes.filter((size) => size <= 10_000) : sizes),
    connections: readNumbers(values.connections, '--connections') ?? (quick ? [32] : connections),
    rounds: readNumber(values.rounds, '--rounds', 1, 1000) ?? (quick ? 3 : rounds),
    seconds: readNumber(values.seconds, '--seconds', 0.1, 3600) ?? (quick ? Math.min(1, seconds) : seconds),
    minutes: readNumber(values.minutes, '--minutes', 1, 10_000) ?? 60,
    rate: readNumber(values.rate, '--rate', 1, 1_000_000) ?? null,
    processes: readNumbers(values.processes, '--processes') ?? [1, 2],
    against: values.against === undefined ? null : { url: readUrl(values.against), adapter: values.adapter as string },
    peer: values.peer ?? null,
    output: values.output ?? null,
  }
}

type DefaultOptions = Pick<Options, 'works' | 'connections' | 'rounds' | 'seconds'> & {
  /** Records of a kind over 1,000 companies. */
  sizes: readonly number[]
}

const usual: DefaultOptions = {
  sizes: [10_000, 1_000_000],
  works: workNames,
  connections: [1, 32, 128],
  ...{ rounds: 5, seconds: 2 },
}

/** The defaults that differ for other kinds of run. */
const usualOf: { readonly [about in BenchCommand]: Partial<DefaultOptions> } = {
  works: {},
  growth: { sizes: [1000, 10_000, 100_000, 1_000_000] },
  // Short, so that it grows as fast as callers create records: PostgreSQL analyzes new tables once a minute.
  fresh: {
    works: freshWorks,
    sizes: [1000, 2000, 5000, 10_000, 20_000, 50_000],
    connections: [32],
    rounds: 1,
    seconds: 1,
  },
  writes: { rounds: 5, seconds: 2 },
  plans: { sizes: [1_000_000] },
  // The works whose time is of interest.
  profile: { sizes: [10_000], works: ['fetch', 'list', 'create-keyed'], connections: [32], seconds: 5 },
  pressure: { sizes: [10_000], connections: [32], rounds: 3, seconds: 10 },
  endurance: { sizes: [10_000], connections: [32], rounds: 3, seconds: 5 },
  processes: { sizes: [10_000], works: ['fetch', 'list'], connections: [32] },
  'first-second': { sizes: [10_000], rounds: 3, seconds: 60 },
  distributed: { works: ['fetch', 'list', 'create-keyed'], connections: [16], rounds: 3, seconds: 4 },
}

export const help = `Measures Plumbline beside the floor: the least that any server on this stack could do.

  npm run bench                    everything: about twenty minutes after the first load
  npm run bench -- --quick         10,000 records and 32 connections: under two minutes
  npm run bench -- --growth        what calls cost as the data grow
  npm run bench -- --fresh         a new installation as it grows, beside an analysed one: about five minutes
  npm run bench -- --plans         whether statements go the ways they go in a new database
  npm run bench -- --profile       where the product's time goes; with --floor the floor's
  npm run bench -- --pressure      half of what can be served, twice, and half again: under two minutes
  npm run bench -- --endurance     a steady load for an hour; --minutes N, and --rate N for so many requests a second
  npm run bench -- --processes 1,2 the same works served by one process and by several
  npm run bench -- --writes        what writes of one company cost: about five minutes; --peer FILE for a Go backend beside it
  npm run bench -- --first-second  what writes cost a new process, and what they cost it a minute later
  npm run bench -- --distributed   one server beside a coordinator with one worker and two, on the cluster of CITUS_URL

  --only LIST          some of ${workNames.join(', ')}
  --records LIST       records of a kind, over 1,000 companies; with --fresh, of one
  --connections LIST   connections that are kept busy
  --rounds N           runs of each system, in turn; the median counts
  --seconds N          length of a run
  --against URL        another system to measure as well, asked as
  --adapter FILE       says; see bench/README.md
  --peer FILE          the binary of PocketBase, to hold keyed creates against its own
  --output FILE        where the figures go, as JSON, and a picture beside it; otherwise data/figures
                       and docs/speed (data/bench/profiles for profiles)
  --help               this text
`

function parseOptions(words: readonly string[]) {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  try {
    return parseArgs({
      args: [...words],
      options: {
        ...{
          growth: flag,
          fresh: flag,
          profile: flag,
          writes: flag,
          plans: flag,
          pressure: flag,
          endurance: flag,
          processes: text,
          distributed: flag,
          'first-second': flag,
        },
        ...{ quick: flag, floor: flag, minutes: text, rate: text, help: { ...flag, short: 'h' } as const },
        ...{ only: text, records: text, connections: text, rounds: text, seconds: text },
        ...{ against: text, adapter: text, peer: text, output: text },
      },
    })
  } catch (error) {
    throw new BenchProblem(`${(error as Error).message.split('. ')[0]}. See --help.`)
  }
}

function readWork(word: string): WorkName {
  const name = workNames.find((known) => known === word.trim())
  if (name) return name
  throw new BenchProblem(`--only has ${JSON.stringify(word)}; there are ${workNames.join(', ')}.`)
}

function readNumbers(list: string | undefined, name: string): number[] | undefined {
  return list?.split(',').map((word) => readWhole(word, name))
}

function readWhole(word: string, name: string): number {
  const number = /^\d{1,8}$/.test(word.trim()) ? Number(word) : 0
  if (number >= 1) return number
  throw new BenchProblem(`${name} must be whole numbers from 1, separated by commas, and not ${JSON.stringify(word)}.`)
}

function readNumber(word: string | undefined, name: string, least: number, most: number): number | undefined {
  if (word === undefined) return undefined
  const number = /^\d+(\.\d+)?$/.test(word) ? Number(word) : Number.NaN
  if (number >= least && number <= most) return number
  throw new BenchProblem(`${name} must be a number from ${least} to ${most}, and not ${JSON.stringify(word)}.`)
}

function readUrl(word: string): string {
  const url = URL.canParse(word) ? new URL(word) : undefined
  // Load must never be sent to another machine.
  if (url?.protocol === 'http:' && /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])$/.test(url.hostname))
    return word.replace(/\/+$/, '')
  throw new BenchProblem(
    `--against must be an address of this machine like http://127.0.0.1:8080, and not ${JSON.stringify(word)}.`,
  )
}
