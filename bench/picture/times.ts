import { formatNumber } from '../table.ts'
import { colours, line, pale, path, svg, text } from './svg.ts'

/** A panel over the common axis of time. Panels stand one below the other, and each begins at 0. */
export type Panel = { about: string; series: readonly Series[] }
export type Series = { name: string; points: readonly { x: number; y: number }[] }

const left = 70
const width = 520
const height = 130
const legend = 140
const head = 40
const between = 40
/** Least length of an axis, for panels without values. */
const least = 0.001

export function timesPicture(title: string, unit: string, panels: readonly Panel[]): string {
  const ends = panels.flatMap(({ series }) => series.flatMap(({ points }) => points.map(({ x }) => x)))
  const end = Math.max(...ends, least)
  const bottom = head + panels.length * (height + between)
  return svg(left + width + legend, bottom + 24, title, [
    text({ x: 8, y: 20 }, title, { size: 13, bold: true }),
    ...panels.flatMap((panel, index) => drawPanel(panel, end, head + index * (height + between) + 20)),
    ...[0, 0.25, 0.5, 0.75, 1].map((share) =>
      text({ x: left + share * width, y: bottom }, formatNumber(share * end), { anchor: 'middle', size: 11 }),
    ),
    text({ x: left + width / 2, y: bottom + 16 }, unit, { anchor: 'middle', size: 11 }),
  ])
}

function drawPanel({ about, series }: Panel, end: number, top: number): string[] {
  const most = roundUp(Math.max(...series.flatMap(({ points }) => points.map(({ y }) => y)), least))
  const place = (x: number, y: number) => ({ x: left + (width * x) / end, y: top + height * (1 - y / most) })
  return [
    text({ x: left, y: top - 6 }, about, { size: 11 }),
    ...[0, 0.5, 1].flatMap((share) => [
      line(place(0, share * most), place(end, share * most), pale),
      text({ x: left - 8, y: place(0, share * most).y + 4 }, formatNumber(share * most), { anchor: 'end', size: 11 }),
    ]),
    ...series.flatMap(({ name, points }, index) => {
      const colour = colours[index % colours.length] as string
      const y = top + 12 + index * 18
      return [
        path(
          points.map((point) => place(point.x, point.y)),
          colour,
        ),
        line({ x: left + width + 8, y: y - 4 }, { x: left + width + 22, y: y - 4 }, colour),
        text({ x: left + width + 26, y }, name, { size: 11 }),
      ]
    }),
  ]
}

/** Rounds up to a number that is easily halved. */
function roundUp(value: number): number {
  const decade = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 4, 6, 8, 10].find((step) => step * decade >= value) ?? 10) * decade
}
