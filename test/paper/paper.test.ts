import { createRequire } from 'node:module'
import { deflateSync } from 'node:zlib'
import { describe, expect, test, vi } from 'vitest'
import { type PaperBlocks, paperBlocks } from '#derive/paper.ts'
import { charactersWithoutGlyph, glyphRanges } from '#derive/paper-font.ts'
import type { Line } from '#registry/fields/lines.ts'
import { drawPaper } from '#server/paper/draw-paper.ts'
import { openPaperQueue } from '#server/paper/paper-queue.ts'
import { openPaperThread } from '#server/paper/paper-thread.ts'
import { contentOf, definitions, german, line } from './contents.ts'
import { readPdf } from './read-pdf.ts'

/** Papers are read back from the PDF that is drawn of them. Decisions, Papers. */

const at = new Date('2026-03-31T12:00:00Z')
const { invoices, estimates } = definitions
const blocksOf = (content = contentOf(), across: string | null = null) => paperBlocks(invoices, content, across)
const read = async (blocks: PaperBlocks) => readPdf(await drawPaper({ blocks, logo: null, at }))
const many = (count: number): Line[] => Array.from({ length: count }, (_, n) => line(`Course ${n + 1}`))

/** All texts of blocks in the order of reading, without the empty ones. */
function textsOf({
  across,
  letterhead,
  addressee,
  facts,
  title,
  subject,
  table,
  totals,
  texts,
  bank,
  footer,
}: PaperBlocks): string[] {
  const pairs = (list: readonly { label: string; text: string }[]) => list.flatMap(({ label, text }) => [label, text])
  return [
    across ?? '',
    ...[letterhead.name, ...letterhead.lines],
    ...addressee,
    ...pairs(facts),
    ...[title, subject ?? ''],
    ...[table.head, ...table.rows].flat(),
    ...pairs(totals),
    ...texts.flatMap(({ label, lines }) => [label, ...lines]),
    ...(bank.length > 0 ? ['Bank details', ...pairs(bank)] : []),
    ...footer,
  ].filter((text) => text !== '')
}

describe('The PDF of a paper', () => {
  test('has the title, the language, the size and all texts of the blocks in their order, and a number on each page.', async () => {
    const blocks = blocksOf()
    const { title, language, isTagged, pages } = await read(blocks)
    expect({ title, language, isTagged }).toEqual({ title: 'Invoice INV-000051', language: 'en-GB', isTagged: true })
    expect(pages).toMatchObject([{ width: 612, height: 792 }])
    expect(pages[0]?.texts).toEqual([...textsOf(blocks), 'Page 1 of 1'])
    expect(await read(paperBlocks(estimates, contentOf({ letterhead: german }), 'DRAFT'))).toMatchObject({
      title: 'Angebot INV-000051',
      language: 'de-DE',
      pages: [{ width: 595, height: 842, texts: expect.arrayContaining(['ENTWURF', 'Seite 1 von 1']) }],
    })
  })

  test('tells readers of a screen what is a heading, a paragraph and a cell of a table.', async () => {
    const { pages } = await read(blocksOf(contentOf({ lines: many(2) }), 'VOID'))
    const cells = (head: string, count: number) => Array.from({ length: count }, () => ['TR', head, 'TD']).flat()
    expect(pages[0]?.tags.filter((tag) => tag !== 'P')).toEqual([
      'Document',
      ...['Table', ...cells('TH', 4)],
      'H1',
      ...['Table', 'TR', 'TH', 'TH', 'TH', 'TH', ...['TR', 'TD', 'TD', 'TD', 'TD'], ...['TR', 'TD', 'TD', 'TD', 'TD']],
      ...['Table', ...cells('TH', 4)],
      'H2',
      'H2',
      ...['Table', ...cells('TH', 2)],
    ])
  })

  test('goes on on further pages, each with the head of the table, the state across it and its number, and loses no line.', async () => {
    const { pages } = await read(blocksOf(contentOf({ lines: many(90) }), 'VOID'))
    expect(pages).toHaveLength(4)
    for (const [n, { texts }] of pages.entries()) {
      expect(texts).toEqual(expect.arrayContaining(['VOID', `Page ${n + 1} of 4`]))
      if (n < 3) expect(texts).toEqual(expect.arrayContaining(['Description', 'Quantity', 'Unit price', 'Amount']))
    }
    const courses = pages.flatMap(({ texts }) => texts.filter((text) => text.startsWith('Course')))
    expect(courses).toEqual(many(90).map(({ description }) => description))
  })

  test('divides texts of any length into the lines of its width and the pages of its size.', async () => {
    const long = (letter: string, length: number): string => letter.repeat(length)
    const lines = [
      line(long('W', 500), { quantity: 999_999_999.9999, unit: long('M', 20), unit_price_minor: 9_007_199 }),
    ]
    const changes = {
      lines,
      addressee: { name: long('A', 200), contact_name: long('B', 160) },
      letterhead: { name: long('N', 200), footer: 'F\n'.repeat(120), website: `https://${long('z', 1_900)}` },
      record: { title: long('T', 200), note: 'K\n'.repeat(120) },
    }
    const { pages } = await read(paperBlocks(invoices, contentOf(changes), null))
    const letters = pages.flatMap(({ texts }) => texts).join('')
    const count = (letter: string): number => letters.split(letter).length - 1
    expect([count('W'), count('z')]).toEqual([500, 1_900])
    expect(count('N')).toBeGreaterThanOrEqual(200)
    expect(count('K')).toBeGreaterThanOrEqual(120)
    expect(count('F')).toBeGreaterThanOrEqual(120)
  })

  test('has a box for a character that the font lacks, beside the text for readers of a screen.', async () => {
    const drawn = await drawPaper({ blocks: blocksOf(contentOf({ lines: [line('Mauer 墙')] })), logo: null, at })
    const { pages } = await readPdf(drawn)
    expect(pages[0]?.texts.some((text) => text.startsWith('Mauer'))).toBe(true)
    const utf16 = Buffer.from('Mauer 墙', 'utf16le').swap16()
    expect(drawn.includes(Buffer.concat([Buffer.from('/ActualText (\xfe\xff', 'latin1'), utf16]))).toBe(true)
    expect(charactersWithoutGlyph('Mauer 墙墙, Größe ß €')).toEqual(['墙'])
  })

  test('has metadata that are XML, whatever the names are.', async () => {
    const drawn = await drawPaper({
      blocks: blocksOf(contentOf({ letterhead: { name: 'A & B <x>' } })),
      logo: null,
      at,
    })
    expect(drawn.toString('latin1')).toContain('<rdf:li>A &amp; B &lt;x&gt;</rdf:li>')
  })

  test('is the same for the same content.', async () => {
    const [one, other] = [
      await drawPaper({ blocks: blocksOf(), logo: null, at }),
      await drawPaper({ blocks: blocksOf(), logo: null, at }),
    ]
    expect(one.equals(other)).toBe(true)
  })

  test('has the logo, whether its picture is transparent or not, with the name of the company instead of it.', async () => {
    for (const channels of [3, 4]) {
      const drawn = await drawPaper({ blocks: blocksOf(), logo: png(channels), at })
      expect(drawn.toString('latin1')).toMatch(/\/Subtype \/Image/)
      expect((await readPdf(drawn)).pages[0]?.tags).toContain('Figure')
    }
  })
})

test('The characters of papers are those of the font in both weights.', () => {
  const require = createRequire(import.meta.url)
  const fontkit = require('fontkit') as { openSync(path: string): { characterSet: number[] } }
  for (const file of ['400Regular/NotoSans_400Regular.ttf', '600SemiBold/NotoSans_600SemiBold.ttf']) {
    const { characterSet } = fontkit.openSync(require.resolve(`@expo-google-fonts/noto-sans/${file}`))
    expect(rangesOf(characterSet)).toBe(glyphRanges)
  }
})

function rangesOf(codes: readonly number[]): string {
  const ranges: [number, number][] = []
  for (const code of codes.toSorted((one, other) => one - other)) {
    const last = ranges.at(-1)
    if (last && last[1] === code - 1) last[1] = code
    else ranges.push([code, code])
  }
  return ranges.map(([from, to]) => [...new Set([from, to])].map((code) => code.toString(16)).join('-')).join(' ')
}

/** Returns a picture of 2 by 2 pixels (PNG, 8 bits a channel). */
function png(channels: number): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(data.length)
    return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)])
  }
  const header = Buffer.from([0, 0, 0, 2, 0, 0, 0, 2, 8, channels === 4 ? 6 : 2, 0, 0, 0])
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(2 * channels, 90)])
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat([row, row]))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

describe('The thread that draws papers', () => {
  const job = { blocks: blocksOf(), logo: null, at }

  test('draws what would be drawn here, also after a paper that could not be drawn.', async () => {
    const draw = openPaperThread()
    await expect(draw({ ...job, logo: Buffer.from('no picture') })).rejects.toThrow('Unknown image format')
    // Pixels that cannot be decoded end the thread.
    const broken = png(4).fill(0xff, 45, 50)
    await expect(draw({ ...job, logo: broken })).rejects.toThrow()
    const here = await drawPaper(job)
    for (let count = 0; count < 3; count++) expect((await draw(job)).equals(here)).toBe(true)
  })
})

test('Sixteen papers wait. Companies take turns, and the newest of the company with the most gives way to another.', async () => {
  const gates: (() => void)[] = []
  const { draw } = openPaperQueue(() => new Promise((resolve) => void gates.push(() => resolve(Buffer.alloc(0)))))
  const job = { blocks: blocksOf(), logo: null, at }
  const first = Array.from({ length: 17 }, () => draw(1, job))
  const refused = { code: 'unavailable', particulars: { headers: { 'Retry-After': '2' } } }
  await expect(draw(1, job)).rejects.toMatchObject(refused)
  const second = draw(2, job)
  await expect(first[16]).rejects.toMatchObject(refused)
  const order: string[] = []
  const all = [...first.slice(0, 16).map((one) => ['first', one] as const), ['second', second] as const]
  const ends = all.map(([name, one]) => one.then(() => order.push(name)))
  for (let n = 0; n < 17; n++) {
    await vi.waitFor(() => expect(gates.length).toBe(n + 1))
    gates[n]?.()
  }
  await Promise.all(ends)
  expect(order.indexOf('second')).toBe(2)
})
