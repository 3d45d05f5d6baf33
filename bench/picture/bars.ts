import { type ReportRow, verdict } from '../report.ts'
import { formatNumber } from '../table.ts'
import { box, colours, grey, line, pale, svg, text } from './svg.ts'

const left = 130
const full = 400
const right = 190
const rowHeight = 30
const panelHead = 44

/** Draws the product's rate as a share of the floor's for each work, with the required share. */
export function barsPicture(rows: readonly ReportRow[]): string {
  const panels = panelsOf(rows)
  const shapes: string[] = []
  let y = 0
  for (const panel of panels) {
    shapes.push(text({ x: 8, y: y + 20 }, panel.title, { size: 13, bold: true }))
    shapes.push(
      text({ x: left, y: y + 38 }, 'requests a second; the pale bar is the floor, the dashes are what is asked', {
        size: 11,
      }),
    )
    panel.rows.forEach((row, index) => {
      shapes.push(...bar(row, rows, y + panelHead + index * rowHeight))
    })
    y += panelHead + panel.rows.length * rowHeight + 12
  }
  return svg(left + full + right, y, 'Plumbline beside its floor', shapes)
}

type Panel = { title: string; rows: ReportRow[] }

/** Returns a panel for each size, at the number of connections nearest to 32. */
function panelsOf(rows: readonly ReportRow[]): Panel[] {
  const connections = rows
    .map((row) => row.connections)
    .sort((one, other) => Math.abs(one - 32) - Math.abs(other - 32))[0]
  const chosen = rows.filter((row) => row.connections === connections && row.systems.product)
  return [...new Set(chosen.map(({ records }) => records))].map((records) => ({
    title: `${formatNumber(records)} records of a kind, ${connections} connections`,
    rows: chosen.filter((row) => row.records === records),
  }))
}

function bar(row: ReportRow, rows: readonly ReportRow[], y: number): string[] {
  const { ratio, of, asked } = verdict(row, rows)
  const { product, floor } = row.systems
  // Without a floor, the base is another work of the product. Without that there is nothing to draw.
  const share = ratio ?? 0
  const scale = full / Math.max(1, share)
  const base = floor ? `of ${formatNumber(floor.perSecond)}` : ratio === null ? '' : `of ${of}`
  return [
    text({ x: left - 8, y: y + 15 }, row.work, { anchor: 'end' }),
    ...(ratio === null
      ? []
      : [box({ x: left, y }, scale, 22, pale), box({ x: left, y: y + 4 }, share * scale, 14, colours[0])]),
    ...(asked === null
      ? []
      : [line({ x: left + asked * scale, y: y - 2 }, { x: left + asked * scale, y: y + 24 }, grey, '3 2')]),
    text(
      { x: left + full + 8, y: y + 15 },
      `${formatNumber(product?.perSecond)} ${base}${ratio === null ? '' : ` = ${ratio.toFixed(2)}`}`,
    ),
  ]
}
