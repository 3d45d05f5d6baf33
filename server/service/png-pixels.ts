import { inflateSync } from 'node:zlib'

/** The pixels of a PNG, as far as it takes to know that a program which draws them does not fail on them. */

/** Channels of a color type, and the bits that each may have (PNG, third edition, 11.2.1). */
const colors: { readonly [type: number]: { channels: number; bits: readonly number[] } } = {
  0: { channels: 1, bits: [1, 2, 4, 8, 16] },
  2: { channels: 3, bits: [8, 16] },
  3: { channels: 1, bits: [1, 2, 4, 8] },
  4: { channels: 2, bits: [8, 16] },
  6: { channels: 4, bits: [8, 16] },
}

/** The seven passes of an interlaced picture (8.1): the first column and row, and the steps between. */
const passes = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const

/**
 * Returns whether the data of a PNG are the rows that its header states, and no more: they are unpacked up to that length.
 * The header is read already, and the size is one that a logo may have.
 */
export function hasPixels(png: Buffer): boolean {
  const [width, height, bits = 0, color = -1, , , interlace = 0] = [
    png.readUInt32BE(16),
    png.readUInt32BE(20),
    ...png.subarray(24, 29),
  ]
  const { channels, bits: allowed } = colors[color] ?? { channels: 0, bits: [] }
  if (!allowed.includes(bits)) return false
  const rows = (interlace === 0 ? [[0, 0, 1, 1] as const] : passes).flatMap(([x, y, dx, dy]): number[] => {
    const columns = Math.ceil((width - x) / dx)
    const length = 1 + Math.ceil((columns * channels * bits) / 8)
    return columns > 0 ? Array.from({ length: Math.max(0, Math.ceil((height - y) / dy)) }, () => length) : []
  })
  const length = rows.reduce((sum, row) => sum + row, 0)
  try {
    const data = inflateSync(Buffer.concat(dataOf(png)), { maxOutputLength: length })
    if (data.length !== length) return false
    let at = 0
    for (const row of rows) {
      if ((data[at] as number) > lastFilter) return false
      at += row
    }
    return true
  } catch {
    return false
  }
}

/** Each row begins with the number of its filter (9.2). */
const lastFilter = 4

/** Returns the parts of the data, which stand in chunks of their own. */
function dataOf(png: Buffer): Buffer[] {
  const parts: Buffer[] = []
  for (let at = 8; at + 12 <= png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
  return parts
}
