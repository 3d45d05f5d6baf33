import singleByteTables from 'iconv-lite/encodings/sbcs-data-generated.js'
import type { CellProblem, Encoding, EncodingQuestion, FileRow } from '#derive/import/file.ts'

/** Decides the encoding of a text by its bytes, or offers the possible ones. Decisions, Import. */

/** The characters of the bytes from 0x80 on. Of the platforms some know no CP 850. */
const upperHalves: { readonly [encoding in Encoding]?: string } = {
  'windows-1252': singleByteTables.windows1252.chars,
  'windows-1250': singleByteTables.windows1250.chars,
  'windows-1253': singleByteTables.windows1253.chars,
  // The euro sign took the place of the currency sign in 1998.
  macintosh: singleByteTables.macroman.chars.replace('¤', '€'),
  cp850: singleByteTables.cp850.chars,
}

const marks: readonly [Encoding, readonly number[]][] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
]

/** Returns the encoding of a byte order mark. */
const findMark = (bytes: Uint8Array): Encoding | undefined =>
  marks.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte))?.[0]

/** Returns the encoding that the bytes decide, else the one that was chosen, else the possible ones. */
export function decideEncoding(
  bytes: Uint8Array,
  { chosen, last }: { chosen: Encoding | undefined; last: Encoding | undefined },
): Encoding | EncodingQuestion {
  const decided = findMark(bytes) ?? chosen
  if (decided) return decided
  const { sequences, broken } = scanUtf8(bytes)
  if (broken.length === 0 || sequences > broken.length) return 'utf-8'
  return last ?? { candidates: listCandidates(bytes) }
}

/** Decodes a text without its byte order mark. A byte that is not UTF-8 becomes a stand-in, which `nameBytes` names. */
export function decodeText(bytes: Uint8Array, encoding: Encoding): { text: string; broken: readonly number[] } {
  const upperHalf = upperHalves[encoding]
  if (upperHalf) {
    const codes = Uint16Array.from(bytes, (byte) => (byte < 0x80 ? byte : upperHalf.charCodeAt(byte - 0x80)))
    return { text: new TextDecoder('utf-16le', { ignoreBOM: true }).decode(codes), broken: [] }
  }
  if (encoding !== 'utf-8') return { text: new TextDecoder(encoding).decode(bytes), broken: [] }
  const { broken } = scanUtf8(bytes)
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const pieces = [...broken, bytes.length].map((end, index) => {
    const before = broken[index - 1]
    const standIn = before === undefined ? '' : String.fromCodePoint(standIns + (bytes[before] as number))
    return standIn + decoder.decode(bytes.subarray(before === undefined ? 0 : before + 1, end))
  })
  return { text: pieces.join('').replace(/^\ufeff/, ''), broken }
}

/** Private characters at the end of Unicode, which no text has, and which outlive the parser. */
const standIns = 0x10_ff00
const standIn = /[\u{10ff80}-\u{10ffff}]/gu

/** Names the broken bytes of rows, which are in the order of the file, by value and offset. */
export function nameBytes(rows: readonly FileRow[], broken: readonly number[]): FileRow[] {
  const offsets = broken.values()
  return rows.map((row) => {
    const problems: CellProblem[] = []
    const cells = row.cells.map((cell, index) =>
      cell.replaceAll(standIn, (one) => {
        const byte = `0x${((one.codePointAt(0) as number) - standIns).toString(16).toUpperCase()}`
        const offset = String(offsets.next().value)
        const message = `has the byte ${byte} at offset ${offset} of the file, which is not UTF-8`
        problems.push({ index, code: 'broken_byte', message, told: [byte, offset] })
        return '\ufffd'
      }),
    )
    return problems.length === 0 ? row : { ...row, cells, problems }
  })
}

/** Returns the count of sequences of several bytes that are UTF-8 (RFC 3629 4), and the offsets of bytes that are not. */
function scanUtf8(bytes: Uint8Array): { sequences: number; broken: number[] } {
  const broken: number[] = []
  let sequences = 0
  for (let at = 0; at < bytes.length; at++) {
    const lead = bytes[at] as number
    if (lead < 0x80) continue
    const [length, least, most] = sequenceOf(lead)
    const second = bytes[at + 1] ?? 0
    const isWhole =
      second >= least &&
      second <= most &&
      bytes.subarray(at + 2, at + length).every((byte) => byte >= 0x80 && byte <= 0xbf) &&
      at + length <= bytes.length
    if (length > 0 && isWhole) {
      sequences++
      at += length - 1
    } else broken.push(at)
  }
  return { sequences, broken }
}

/** Returns the length of the sequence that a byte begins, and the bounds of its second byte. */
function sequenceOf(lead: number): [length: number, least: number, most: number] {
  if (lead < 0xc2 || lead > 0xf4) return [0, 0, 0]
  if (lead < 0xe0) return [2, 0x80, 0xbf]
  if (lead < 0xf0) return [3, lead === 0xe0 ? 0xa0 : 0x80, lead === 0xed ? 0x9f : 0xbf]
  return [4, lead === 0xf0 ? 0x90 : 0x80, lead === 0xf4 ? 0x8f : 0xbf]
}

/** Returns the encodings that give different texts, the likeliest first, each with the cells that differ. */
function listCandidates(bytes: Uint8Array): EncodingQuestion['candidates'] {
  const cells = cellsWithUpperBytes(bytes)
  const used = [...new Set(bytes)].filter((byte) => byte >= 0x80)
  const scored = Object.entries(upperHalves).map(([encoding, upperHalf]) => {
    const samples = cells.map((cell) => decodeText(cell, encoding as Encoding).text.trim())
    const characters = used.map((byte) => upperHalf[byte - 0x80]).join('')
    return { encoding: encoding as Encoding, samples, characters, score: scoreOf(samples) }
  })
  // An encoding without a character for a byte of the file is none of its encodings, unless all are.
  const whole = scored.filter(({ characters }) => !characters.includes('\ufffd'))
  const possible = whole.length > 0 ? whole : scored
  return possible
    .filter(({ characters }, index) => possible.findIndex((one) => one.characters === characters) === index)
    .toSorted((one, other) => other.score - one.score)
    .map(({ encoding, samples }) => ({ encoding, samples: samples.slice(0, samplesShown) }))
}

const samplesShown = 3
const samplesScored = 200
const sampleBytes = 60

/** Returns cells in which bytes above ASCII stand, first those with bytes that none before has. */
function cellsWithUpperBytes(bytes: Uint8Array): Uint8Array[] {
  const seen = new Set<number>()
  const cells: { cell: Uint8Array; fresh: number }[] = []
  for (let at = 0; at < bytes.length && cells.length < samplesScored; at++) {
    if ((bytes[at] as number) < 0x80) continue
    const from =
      at -
      bytes
        .subarray(Math.max(0, at - sampleBytes), at)
        .toReversed()
        .findIndex(endsCell)
    const until = bytes.subarray(at, at + sampleBytes).findIndex(endsCell)
    const start = from > at ? Math.max(0, at - sampleBytes) : from
    const end = until < 0 ? Math.min(bytes.length, at + sampleBytes) : at + until
    const cell = bytes.subarray(start, end)
    const upper = [...cell].filter((byte) => byte >= 0x80)
    cells.push({ cell, fresh: upper.filter((byte) => !seen.has(byte)).length })
    for (const byte of upper) seen.add(byte)
    at = end
  }
  return cells.toSorted((one, other) => other.fresh - one.fresh).map(({ cell }) => cell)
}

const cellEnds: ReadonlySet<number> = new Set(Array.from('\r\n,;|\t"', (sign) => sign.charCodeAt(0)))
const endsCell = (byte: number): boolean => cellEnds.has(byte)

/** Scores texts by how usual their characters are beside each other. */
function scoreOf(texts: readonly string[]): number {
  return texts
    .flatMap((text) => text.match(/[\p{L}\p{M}\p{N}\p{P}\p{S}\p{C}]+/gu) ?? [])
    .reduce((score, word) => score + scoreOfWord(word), 0)
}

function scoreOfWord(word: string): number {
  const count = (pattern: RegExp): number => word.match(pattern)?.length ?? 0
  const greek = count(/\p{Script=Greek}/gu)
  const foreign = count(/[^\p{ASCII}\p{Script=Greek}]/gu)
  // Greek words are Greek as a whole. Words of other languages have few letters above ASCII, and no signs between letters.
  return (
    (greek > 1 && count(/[a-z]/gi) === 0 ? greek : -2 * greek) +
    count(/[äöüßÄÖÜàâçéèêëîïñóôùûáíúåæøœ]/gu) * 1.5 +
    count(/[^\p{ASCII}\p{Script=Greek}\p{S}\p{P}\p{C}\p{N}]/gu) -
    3 * count(/[\p{C}\ufffd\u2500-\u259f]/gu) -
    2 * count(/(?<=\p{L})[^\p{ASCII}\p{L}\p{M}’‑–](?=\p{L})/gu) -
    2 * count(/(?<=\p{L})(?=\P{ASCII})[\p{S}\p{N}]|(?=\P{ASCII})[\p{S}\p{N}](?=\p{L})/gu) -
    2 * count(/(?<=\p{Ll})\p{Lu}/gu) -
    (foreign > 2 && foreign > word.length / 2 ? 2 * foreign : 0)
  )
}
