/** Growth is computed here from samples over time. */

export type Point = { x: number; y: number }

/** Returns the growth of `y` for each `x`, by the method of least squares. */
export function slopeOf(points: readonly Point[]): number {
  const middle = { x: mean(points.map(({ x }) => x)), y: mean(points.map(({ y }) => y)) }
  const spread = points.reduce((sum, { x }) => sum + (x - middle.x) ** 2, 0)
  const along = points.reduce((sum, { x, y }) => sum + (x - middle.x) * (y - middle.y), 0)
  return spread === 0 ? 0 : along / spread
}

/** Returns the mean of the last third divided by that of the first. */
export function lastToFirst(values: readonly number[]): number {
  const third = Math.max(1, Math.floor(values.length / 3))
  return mean(values.slice(-third)) / mean(values.slice(0, third))
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
