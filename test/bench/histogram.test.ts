import { expect, test } from 'vitest'
import { createHistogram, quantile, record } from '../../bench/histogram.ts'

test('percentiles are within two hundredths of the exact ones, from a microsecond to a minute', () => {
  for (const scale of [0.001, 0.05, 1, 40, 900, 60_000]) {
    const histogram = createHistogram()
    for (let number = 1; number <= 1000; number++) record(histogram, (scale * number) / 1000)
    for (const share of [0.01, 0.5, 0.9, 0.99]) {
      const exact = scale * share
      const most = Math.max(exact * 1.02, exact + 0.001)
      expect(quantile(histogram, share), `${share} of ${scale} ms`).toBeGreaterThanOrEqual(exact * 0.999)
      expect(quantile(histogram, share), `${share} of ${scale} ms`).toBeLessThanOrEqual(most)
    }
    expect(Math.abs(quantile(histogram, 1) - scale), `the longest of ${scale} ms`).toBeLessThanOrEqual(
      Math.max(scale * 0.002, 0.001),
    )
  }
})

test('an empty histogram has no percentiles, and what is out of range is kept in the last bucket', () => {
  const histogram = createHistogram()
  expect(quantile(histogram, 0.99)).toBe(0)
  record(histogram, 10 ** 9)
  record(histogram, -1)
  expect(histogram.count).toBe(2)
  expect(quantile(histogram, 0.5)).toBeLessThan(0.01)
  expect(quantile(histogram, 1)).toBeGreaterThan(100_000)
})
