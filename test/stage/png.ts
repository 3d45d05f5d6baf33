import { crc32, deflateSync } from 'node:zlib'

type PngOptions = { bits?: number; color?: number; interlace?: number; data?: Buffer }

/** Returns a PNG of this size, gray and black unless it is said otherwise. `mark` is the gray of its first pixel. */
export function makePng(width: number, height: number, mark = 0, options: PngOptions = {}): Buffer {
  const { bits = 8, color = 0, interlace = 0, data = rows(width, height, mark) } = options
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  header.set([bits, color, 0, 0, interlace], 8)
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  const packed = deflateSync(data)
  const half = Math.ceil(packed.length / 2)
  const parts = [packed.subarray(0, half), packed.subarray(half)].map((part) => chunk('IDAT', part))
  return Buffer.concat([signature, chunk('IHDR', header), ...parts, chunk('IEND', Buffer.alloc(0))])
}

function rows(width: number, height: number, mark: number): Buffer {
  const data = Buffer.alloc(height * (width + 1))
  data[1] = mark
  return data
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const around = Buffer.alloc(8)
  around.writeUInt32BE(data.length)
  around.writeUInt32BE(crc32(named), 4)
  return Buffer.concat([around.subarray(0, 4), named, around.subarray(4)])
}
