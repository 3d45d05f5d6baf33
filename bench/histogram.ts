import { createHistogram as createBuckets, type RecordableHistogram } from 'node:perf_hooks'

/** Durations in microseconds, in buckets that are a thousandth wide: ten million take the memory of ten. */
export type Histogram = RecordableHistogram

/** About two minutes. Longer durations count as this one. */
const microsecondsMax = 2 ** 27

export const createHistogram = (): Histogram => createBuckets({ lowest: 1, highest: microsecondsMax, figures: 3 })

export const record = (histogram: Histogram, milliseconds: number): void =>
  histogram.record(Math.min(Math.max(1, Math.ceil(milliseconds * 1000)), microsecondsMax))

/** Returns the milliseconds that this share of the durations does not exceed. Returns 0 if there are none. */
export const quantile = (histogram: Histogram, share: number): number => histogram.percentile(share * 100) / 1000
