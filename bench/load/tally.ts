import { createHistogram, type Histogram, quantile, record } from '../histogram.ts'
import type { Phase } from './arrivals.ts'
import { type ReadResponse, wrongWith } from './response-reader.ts'
import type { BenchShot } from './volley.ts'

/** The result of a phase. Milliseconds count from the due time of a request, and so include every wait in a queue. */
export type PhaseResult = Phase & {
  arrivals: number
  answered: number
  /** Refused as overloaded. */
  turnedAway: number
  /** Accepted and then given up: 503 after waiting. */
  unavailable: number
  p50: number
  p99: number
  most: number
  turnedAwayP50: number
  turnedAwayP99: number
  /** Delay of sent requests: the generator's own part of the measured time. */
  leftP50: number
  leftP99: number
  slices: Slice[]
}

/** A tenth of a second by arrival, with the slowest and the sum of the milliseconds of accepted requests. */
export type Slice = { answered: number; turnedAway: number; slowest: number; milliseconds: number }

export const sliceMilliseconds = 100

/** The counts of a running phase. */
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

/** Counts an answer. Throws if it is neither the expected one nor 503 with the code of a service under pressure. */
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
  answered: answered.count,
  turnedAway: turnedAway.count,
  p50: quantile(answered, 0.5),
  p99: quantile(answered, 0.99),
  most: quantile(answered, 1),
  turnedAwayP50: quantile(turnedAway, 0.5),
  turnedAwayP99: quantile(turnedAway, 0.99),
  leftP50: quantile(left, 0.5),
  leftP99: quantile(left, 0.99),
  slices,
})
