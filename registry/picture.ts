/** Pictures that a company may put on its papers. No SVG: it is a document that can load others and run scripts. */

export const pictureTypes = ['image/png', 'image/jpeg'] as const
export type PictureType = (typeof pictureTypes)[number]

/** Most bytes of a logo, and most pixels of each of its sides. */
export const logoBytesMax = 256 * 1024
export const logoSideMax = 2000

export type PictureSize = { width: number; height: number }

/** Returns the size in pixels that the bytes of a picture state; undefined if they do not begin as the type does. */
export const pictureSize = (type: PictureType, bytes: Uint8Array): PictureSize | undefined => {
  const size = (type === 'image/png' ? pngSize : jpegSize)(bytes)
  return size && size.width > 0 && size.height > 0 ? size : undefined
}

const pngSignature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
/** The length and the name of the first chunk, IHDR. */
const pngHeader = [0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]

/** PNG (third edition, 5.2 and 11.2.1): the signature, and then the chunk with width and height. */
function pngSize(bytes: Uint8Array): PictureSize | undefined {
  if (bytes.length < 24 || ![...pngSignature, ...pngHeader].every((byte, at) => bytes[at] === byte)) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  return { width: view.getUint32(16), height: view.getUint32(20) }
}

/** JPEG (ITU-T T.81, B.1 and B.2.2): segments of a marker and a length, up to the one of the frame with height and width. */
function jpegSize(bytes: Uint8Array): PictureSize | undefined {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return undefined
  const two = (at: number): number => ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; at += bytes[at + 1] === 0xff ? 1 : 2 + two(at + 2))
    if (isFrame(bytes[at + 1] ?? 0)) return { height: two(at + 5), width: two(at + 7) }
  return undefined
}

/** Markers from C0 to CF begin a frame, but for those of tables and of an extension. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
