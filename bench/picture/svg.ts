/** A few shapes of SVG. Medium greys without a background are readable on light and on dark pages. */

export const grey = '#808080'
export const pale = '#80808055'
export const colours = ['#2f81c7', '#c9792b', '#3d9c5a', '#b0568f', '#8a7bd1', '#a3922f'] as const

export function svg(width: number, height: number, title: string, shapes: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="system-ui, sans-serif" font-size="12">`,
    `<title>${escapeText(title)}</title>`,
    ...shapes,
    '</svg>',
    '',
  ].join('\n')
}

type SvgPoint = { x: number; y: number }

export function text(
  { x, y }: SvgPoint,
  words: string,
  { anchor = 'start', size = 12, fill = grey, bold = false } = {},
): string {
  const weight = bold ? ' font-weight="600"' : ''
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" font-size="${size}" fill="${fill}"${weight}>${escapeText(words)}</text>`
}

export const box = ({ x, y }: SvgPoint, width: number, height: number, fill: string): string =>
  `<rect x="${round(x)}" y="${round(y)}" width="${round(Math.max(0, width))}" height="${height}" rx="2" fill="${fill}"/>`

export const line = (from: SvgPoint, to: SvgPoint, stroke: string, dashes = ''): string =>
  `<line x1="${round(from.x)}" y1="${round(from.y)}" x2="${round(to.x)}" y2="${round(to.y)}" stroke="${stroke}"${dashes && ` stroke-dasharray="${dashes}"`}/>`

export const path = (places: readonly SvgPoint[], stroke: string): string =>
  `<polyline points="${places.map(({ x, y }) => `${round(x)},${round(y)}`).join(' ')}" fill="none" stroke="${stroke}" stroke-width="2"/>`

export const dot = ({ x, y }: SvgPoint, fill: string): string =>
  `<circle cx="${round(x)}" cy="${round(y)}" r="3" fill="${fill}"/>`

const round = (number: number): number => Math.round(number * 10) / 10

const escapeText = (words: string): string =>
  words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
