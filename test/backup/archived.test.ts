import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkArchive, checkEnd } from '#server/backup/archived-segments.ts'
import type { Manifest } from '#server/backup/manifest.ts'
import { segmentBytes, segmentName, segmentOf } from '#server/backup/segment.ts'

const systemId = '7711173149374308816'
const pageBytes = 8192

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'plumbline-archived-'))
})
afterAll(() => rm(root, { recursive: true }))

type Header = { timeline: number; segment: number; systemId: string; left: number; bytes: number; isLong: boolean }

/** A segment with nothing but the header of its first page. */
function segment(header: Partial<Header>, length = segmentBytes): Buffer {
  const { timeline = 1, segment = 4, left = 0, bytes = segmentBytes, isLong = true } = header
  const content = Buffer.alloc(length)
  content.writeUInt16LE(0xd118, 0)
  content.writeUInt16LE(isLong ? 2 : 0, 2)
  content.writeUInt32LE(timeline, 4)
  content.writeBigUInt64LE(BigInt(segment) * BigInt(segmentBytes), 8)
  content.writeUInt32LE(left, 16)
  content.writeBigUInt64LE(BigInt(header.systemId ?? systemId), 24)
  content.writeUInt32LE(bytes, 32)
  content.writeUInt32LE(pageBytes, 36)
  return gzipSync(content, { level: 1 })
}

type Files = { [name: string]: Buffer }

const segments = (timeline: number, from: number, to: number): Files =>
  Object.fromEntries(
    Array.from({ length: to - from + 1 }, (_, index) => from + index).map((number) => [
      segmentName(timeline, number),
      segment({ timeline, segment: number }),
    ]),
  )

const history = (...lines: string[]): Buffer => gzipSync(lines.map((line) => `${line}\tno recovery target\n`).join(''))

/** A backup of timeline 1 in segment 3. */
const manifest = {
  postgres: { major: '18', version: '18.0', system_id: systemId },
  log: { timeline: 1, start: '0/3000028', stop: '0/3000158' },
} as Manifest

async function archive(files: Files): Promise<string> {
  const folder = await mkdtemp(join(root, 'archive-'))
  await mkdir(join(folder, systemId))
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, systemId, `${name}.gz`), bytes)
  return folder
}

const check = async (files: Files) =>
  (await checkArchive(await archive(files), manifest)).segments.map(({ name }) => name)

const four = segmentName(1, 4)

describe('A segment of the archive is refused by name where', () => {
  test.each<[string, Files, RegExp]>([
    [
      'it is another part of the log',
      { [four]: segment({ segment: 5 }) },
      /holds another part of the log \(segment 5, not 4\)/,
    ],
    [
      'it is of another database',
      { [four]: segment({ systemId: '42' }) },
      /is of another database \(number 42, not 77/,
    ],
    [
      'it is of a later timeline',
      { [four]: segment({ timeline: 2 }) },
      /is of a later timeline than its name says \(2, not 1\)/,
    ],
    ['segments have another size', { [four]: segment({ bytes: 1024 * 1024 }) }, /is damaged or cut off/],
    ['its first page is none', { [four]: segment({ isLong: false }) }, /is damaged or cut off/],
    ['it is too short', { [four]: segment({}, segmentBytes - pageBytes) }, /is damaged or cut off/],
    ['it is too long', { [four]: segment({}, segmentBytes + 1) }, /is damaged or cut off/],
    ['it is empty', { [four]: Buffer.alloc(0) }, /is damaged or cut off/],
    ['it is cut off', { [four]: segment({}).subarray(0, 100) }, /is damaged or cut off/],
    ['it is not compressed', { [four]: Buffer.alloc(segmentBytes) }, /is damaged or cut off/],
    ['it is missing', segments(1, 5, 6), new RegExp(`${four}\\.gz is missing`)],
    [
      'it is one that the backup has, too',
      { [segmentName(1, 3)]: segment({ segment: 9 }), ...segments(1, 4, 4) },
      /segment 9, not 3/,
    ],
    [
      'it is missing on the timeline that is followed',
      { ...segments(1, 4, 9), '00000002.history': history('1\t0/5000100'), ...segments(2, 5, 5), ...segments(2, 7, 7) },
      new RegExp(`${segmentName(2, 6)}\\.gz is missing`),
    ],
    [
      'the history of its timeline is damaged',
      { '00000002.history': Buffer.from('x') },
      /00000002\.history\.gz is damaged/,
    ],
  ])('%s', async (_, files, says) => {
    await expect(check(files)).rejects.toThrow(says)
  })
})

describe('The segments that are replayed', () => {
  test.each<[string, Files, string[]]>([
    ['are none where nothing was archived', {}, []],
    ['are those behind the backup', segments(1, 2, 5), [segmentName(1, 4), segmentName(1, 5)]],
    [
      'are those of the newest timeline from where it begins, whatever its forerunner went on with',
      { ...segments(1, 4, 5), ...segments(1, 8, 8), '00000002.history': history('1\t0/5000100'), ...segments(2, 5, 6) },
      [segmentName(1, 4), segmentName(2, 5), segmentName(2, 6)],
    ],
    [
      'go through every timeline in between',
      {
        ...segments(1, 4, 4),
        '00000002.history': history('1\t0/5000100'),
        ...segments(2, 5, 5),
        '00000003.history': history('1\t0/5000100', '2\t0/6000100'),
        ...segments(3, 6, 6),
      },
      [segmentName(1, 4), segmentName(2, 5), segmentName(3, 6)],
    ],
    [
      'end at the first number that has no history, as PostgreSQL counts them',
      { ...segments(1, 4, 4), '00000003.history': history('1\t0/4000100'), ...segments(3, 4, 5) },
      [segmentName(1, 4)],
    ],
    [
      'are those in which a change begins',
      { ...segments(1, 4, 4), [segmentName(1, 5)]: segment({ segment: 5, left: segmentBytes }) },
      [segmentName(1, 4)],
    ],
    [
      'may begin on the timeline before',
      { '00000002.history': history('1\t0/4000100'), [segmentName(2, 4)]: segment({ timeline: 1, segment: 4 }) },
      [segmentName(2, 4)],
    ],
  ])('%s.', async (_, files, names) => {
    expect(await check(files)).toEqual(names)
  })
})

describe('A recovery', () => {
  const archived = {
    folder: '/archive',
    segments: [4, 5, 6].map((number) => ({ name: segmentName(1, number), segment: number })),
  }

  test.each(['0/6000028', '0/7000028'])('that ends at %s has brought everything.', (position) => {
    expect(checkEnd(archived, position)).toBeUndefined()
    expect(checkEnd({ folder: '/archive', segments: [] }, position)).toBeUndefined()
  })

  test.each([
    ['0/3000158', segmentName(1, 4)],
    ['0/5FFFFF8', segmentName(1, 6)],
  ])('that ends at %s has stopped before %s, and both ends are named.', (position, next) => {
    expect(() => checkEnd(archived, position)).toThrow(
      new RegExp(
        `^PostgreSQL recovered to ${position} .* ${next}\\.gz, though /archive .* up to ${segmentName(1, 6)}\\.gz`,
      ),
    )
  })
})

test.each([
  ['0/3000028', 3, '000000010000000000000003'],
  ['1/FF000000', 511, '0000000100000001000000FF'],
  ['A/0', 2560, '000000010000000A00000000'],
])('The position %s is in segment %i.', (position, number, name) => {
  expect(segmentOf(position)).toBe(number)
  expect(segmentName(1, number)).toBe(name)
})
