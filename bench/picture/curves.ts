import { formatNumber } from '../table.ts'
import { colours, dot, line, pale, path, svg, text } from './svg.ts'

/** The cost of a call at each size. */
export type Curve = { name: string; points: readonly { records: number; milliseconds: number }[] }

const left = 60
const top = 50
const width = 420
const height = 260
const legend = 170

/** Draws curves on logarithmic axes: a constant cost is a level line, and a growing one is steep. */
export function curvesPicture(title: string, curves: readonly Curve[]): string {
  const points = curves.flatMap((curve) => curve.points)
  const sizes = [...new Set(points.map(({ records }) => records))].sort((one, other) => one - other)
  const decades = decadesOf(points.map(({ milliseconds }) => milliseconds))
  const [least, most] = [decades[0] as number, decades.at(-1) as number]
  const x = (records: number): number =>
    left +
    (width * Math.log10(records / (sizes[0] as number))) /
      Math.max(Math.log10((sizes.at(-1) as number) / (sizes[0] as number)), 1)
  const y = (milliseconds: number): number =>
    top + height - (height * Math.log10(Math.max(milliseconds, least) / least)) / Math.max(Math.log10(most / least), 1)
  return svg(left + width + legend, top + height + 40, title, [
    text({ x: 8, y: 20 }, title, { size: 13, bold: true }),
    text({ x: left - 8, y: top - 14 }, 'ms', { anchor: 'end', size: 11 }),
    ...decades.flatMap((value) => [
      line({ x: left, y: y(value) }, { x: left + width, y: y(value) }, pale),
      text({ x: left - 8, y: y(value) + 4 }, String(value), { anchor: 'end', size: 11 }),
    ]),
    ...sizes.map((size) =>
      text({ x: x(size), y: top + height + 18 }, formatNumber(size), { anchor: 'middle', size: 11 }),
    ),
    text({ x: left + width / 2, y: top + height + 34 }, 'records of a kind', { anchor: 'middle', size: 11 }),
    ...curves.flatMap(({ name, points: own }, index) => {
      const colour = colours[index % colours.length] as string
      const places = own.map(({ records, milliseconds }) => ({ x: x(records), y: y(milliseconds) }))
      const end = places.at(-1)
      return [
        path(places, colour),
        ...places.map((place) => dot(place, colour)),
        ...(end ? [text({ x: left + width + 26, y: top + 14 + index * 18 }, name, { size: 11 })] : []),
        line(
          { x: left + width + 8, y: top + 10 + index * 18 },
          { x: left + width + 22, y: top + 10 + index * 18 },
          colour,
        ),
      ]
    }),
  ])
}

/** Returns the powers of ten around all values. */
function decadesOf(values: readonly number[]): number[] {
  const least = Math.floor(Math.log10(Math.min(...values)))
  const most = Math.max(least + 1, Math.ceil(Math.log10(Math.max(...values))))
  return Array.from({ length: most - least + 1 }, (_, index) => 10 ** (least + index)).map((value) =>
    Number(value.toPrecision(1)),
  )
}
