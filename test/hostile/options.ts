import { parseArgs } from 'node:util'
import { BenchProblem } from '../../bench/problem.ts'
import type { Attack } from './attack.ts'
import { attacks } from './attacks/index.ts'

/** What the long form is asked to do. */
export type Options = {
  help: boolean
  minutes: number
  attacks: readonly Attack[]
  /** Only the run in which all attacks meet the same process. */
  isSeriesOnly: boolean
  /** Where the table and the figures go, without an ending; null: nowhere. */
  output: string | null
}

const defaultMinutes = 20
/** Shorter than this there are too few answers for a p99. */
const secondsEachMin = 10

export const help = `Attacks Plumbline, and measures what everybody else has of it.

  npm run hostile                      every attack: about ${defaultMinutes} minutes
  npm run hostile -- --minutes N       the same in N minutes; at least ${secondsEachMin} seconds go to each attack
  npm run hostile -- --only LIST       some of them; nothing is written unless --output says where

  npm run hostile -- --series          only the run in which one process meets all of them; writes its part

  --output FILE        where the table (FILE.md) and the figures (FILE.json) go; docs/security/hostile otherwise
  --help               this text

Attacks:
${attacks.map(({ name, about }) => `  ${name.padEnd(26)} ${about}`).join('\n')}
`

export function readOptions(words: readonly string[], usual: string): Options {
  const { help: isHelp = false, minutes, only, output, series: isSeriesOnly = false } = parsed(words)
  const chosen = only?.split(',').map(named) ?? attacks
  return {
    help: isHelp,
    minutes: readMinutes(minutes) ?? (defaultMinutes * chosen.length) / attacks.length,
    attacks: chosen,
    isSeriesOnly,
    output: output?.replace(/\.(md|json)$/, '') ?? (only === undefined ? usual : null),
  }
}

/** Seconds that each attack of the series gets, besides what it takes to begin and to end. */
export const seriesSecondsEach = 6

/** Seconds that each attack gets. */
export const secondsEach = ({ minutes, attacks: chosen }: Options): number =>
  Math.max(secondsEachMin, (minutes * 60) / chosen.length)

function parsed(words: readonly string[]) {
  const text = { type: 'string' } as const
  try {
    return parseArgs({
      args: [...words],
      options: {
        minutes: text,
        only: text,
        output: text,
        series: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values
  } catch (error) {
    throw new BenchProblem(`${(error as Error).message.split('. ')[0]}. See --help.`)
  }
}

function named(word: string): Attack {
  const attack = attacks.find(({ name }) => name === word.trim())
  if (attack) return attack
  throw new BenchProblem(`--only has ${JSON.stringify(word)}; there are ${attacks.map(({ name }) => name).join(', ')}.`)
}

function readMinutes(word: string | undefined): number | undefined {
  if (word === undefined) return undefined
  const number = /^\d+(\.\d+)?$/.test(word) ? Number(word) : Number.NaN
  if (number >= 0.1 && number <= 1440) return number
  throw new BenchProblem(`--minutes must be a number from 0.1 to 1440, and not ${JSON.stringify(word)}.`)
}
