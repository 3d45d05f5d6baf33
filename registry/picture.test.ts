import { describe, expect, test } from 'vitest'
import { type PictureType, pictureSize } from './picture.ts'

const bytes = (...parts: (number[] | string)[]): Uint8Array =>
  Uint8Array.from(
    parts.flatMap((part) => (typeof part === 'string' ? [...part].map((sign) => sign.charCodeAt(0)) : part)),
  )
const u16 = (value: number) => [value >> 8, value & 255]
const u32 = (value: number) => [...u16(value >>> 16), ...u16(value & 0xffff)]
const png = (width: number, height: number) =>
  bytes([0x89], 'PNG\r\n\x1a\n', u32(13), 'IHDR', u32(width), u32(height), [8, 6, 0, 0, 0])
const frame = (marker: number, width: number, height: number) => [
  0xff,
  marker,
  ...u16(17),
  8,
  ...u16(height),
  ...u16(width),
  3,
  ...Array.from({ length: 9 }, () => 0),
]
const jfif = [0xff, 0xe0, ...u16(16), ...Array.from({ length: 14 }, () => 0)]
const tables = [0xff, 0xc4, ...u16(6), 1, 2, 3, 4]

describe('The size of a picture is the one that its first bytes state.', () => {
  const rows: [string, PictureType, Uint8Array, object | undefined][] = [
    ['a PNG', 'image/png', png(640, 200), { width: 640, height: 200 }],
    ['a PNG of many pixels', 'image/png', png(70_000, 1), { width: 70_000, height: 1 }],
    ['a JPEG', 'image/jpeg', bytes([0xff, 0xd8], jfif, frame(0xc0, 320, 90)), { width: 320, height: 90 }],
    ['a progressive JPEG', 'image/jpeg', bytes([0xff, 0xd8], frame(0xc2, 5, 7)), { width: 5, height: 7 }],
    ['a JPEG with tables first', 'image/jpeg', bytes([0xff, 0xd8], tables, frame(0xc1, 9, 8)), { width: 9, height: 8 }],
    ['a JPEG with fill bytes', 'image/jpeg', bytes([0xff, 0xd8, 0xff], frame(0xc0, 3, 4)), { width: 3, height: 4 }],
    ['a PNG without width', 'image/png', png(0, 200), undefined],
    ['a PNG that is cut off', 'image/png', png(640, 200).slice(0, 23), undefined],
    [
      'a PNG that begins with another chunk',
      'image/png',
      bytes([0x89], 'PNG\r\n\x1a\n', u32(13), 'tEXt', u32(1), u32(1)),
      undefined,
    ],
    ['a JPEG without a frame', 'image/jpeg', bytes([0xff, 0xd8], jfif, [0xff, 0xd9]), undefined],
    [
      'a JPEG that is cut off in its frame',
      'image/jpeg',
      bytes([0xff, 0xd8], frame(0xc0, 320, 90).slice(0, 7)),
      undefined,
    ],
    [
      'a JPEG whose segment has no length',
      'image/jpeg',
      bytes([0xff, 0xd8, 0xff, 0xe0, 0, 0, 1, 2, 3, 4, 5, 6]),
      undefined,
    ],
    ['a JPEG called PNG', 'image/png', bytes([0xff, 0xd8], frame(0xc0, 3, 4)), undefined],
    ['a PNG called JPEG', 'image/jpeg', png(640, 200), undefined],
    ['an SVG', 'image/png', bytes('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'), undefined],
    ['a GIF', 'image/jpeg', bytes('GIF89a', [1, 0, 1, 0]), undefined],
    ['nothing', 'image/png', bytes(), undefined],
  ]
  test.each(rows)('%s', (_, type, picture, size) => {
    expect(pictureSize(type, picture)).toEqual(size)
  })

  test('A view in the middle of a buffer is read from its own beginning.', () => {
    const whole = new Uint8Array([1, 2, 3, ...png(12, 34)])
    expect(pictureSize('image/png', whole.subarray(3))).toEqual({ width: 12, height: 34 })
  })
})
