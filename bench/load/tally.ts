import { createHistogram, type Histogram, quantile, record } from '../histogram.ts'
import type { Phase } from './arrivals.ts'
import { type ReadResponse, wrongWith } from './response-reader.ts'
import type { BenchShot } from './volley.ts'

/** Milliseconds are counted from the moment at which a request should have left, and so hold every wait for its turn. */
export type PhaseResult = Phase & {
  arrivals: number
  answered: number
  /** Refused as overloaded. */
  turnedAway: number
  /** Let in, and given up: 503 after waiting. */
  unavailable: number
  p50: number
  p99: number
  most: number
  turnedAwayP50: number
  turnedAwayP99: number
  /** How late requests left: the generator's own part in what is measured. */
  leftP50: number
  leftP99: number
  slices: Slice[]
}

/** A tenth of a second, by arrival; milliseconds of those that were let in, the slowest and all together. */
export type Slice = { answered: number; turnedAway: number; slowest: number; milliseconds: number }

export const sliceMilliseconds = 100

/** What is counted of a phase while it runs. */
export type Tally = {
  phase: Phase
  arrivals: number
  unavailable: number
  answered: Histogram
  turnedAway: Histogram
  left: Histogram
  slices: Slice[]
}

export const tallyOf = (phase: Phase): Tally => ({
  ...{
    phase,
    arrivals: 0,
    unavailable: 0,
    answered: createHistogram(),
    turnedAway: createHistogram(),
    left: createHistogram(),
  },
  slices: Array.from({ length: Math.ceil(phase.milliseconds / sliceMilliseconds) }, () => ({
    ...{ answered: 0, turnedAway: 0, slowest: 0, milliseconds: 0 },
  })),
})

/** Counts an answer; throws where it is neither what was expected nor 503 with the code of a service under pressure. */
export function count(tally: Tally, within: number, shot: BenchShot, answer: ReadResponse, milliseconds: number): void {
  const slice = tally.slices[Math.floor(within / sliceMilliseconds)] as Slice
  if (answer.status === 503 && answer.body.includes('"code":"overloaded"')) {
    slice.turnedAway++
    record(tally.turnedAway, milliseconds)
    return
  }
  if (answer.status === 503 && answer.body.includes('"code":"unavailable"')) {
    tally.unavailable++
    return
  }
  const wrong = wrongWith(answer, shot.expect)
  if (wrong) throw new Error(wrong)
  slice.answered++
  slice.milliseconds += milliseconds
  slice.slowest = Math.max(slice.slowest, milliseconds)
  record(tally.answered, milliseconds)
}

export const pouredOf = ({ phase, arrivals, unavailable, answered, turnedAway, left, slices }: Tally): PhaseResult => ({
  ...phase,
  arrivals,
  unavailable,
  answered: answered.total,
  turnedAway: turnedAway.total,
  p50: quantile(answered, 0.5),
  p99: quantile(answered, 0.99),
  most: answered.most,
  turnedAwayP50: quantile(turnedAway, 0.5),
  turnedAwayP99: quantile(turnedAway, 0.99),
  leftP50: quantile(left, 0.5),
  leftP99: quantile(left, 0.99),
  slices,
})
