import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { PDFDocument } from 'pdfkit'
import { escapeHtml } from '#derive/html.ts'
import type { PaperBlocks, PaperRow } from '#derive/paper.ts'
import { languages } from '#registry/words/index.ts'
import { eachWithin } from '../wait/wait.ts'
import {
  heading,
  large,
  laterOf,
  lineHeight,
  margin,
  millimetre,
  openWriter,
  plain,
  type Style,
  small,
  strong,
  type Writer,
} from './writer.ts'

/** The drawing of papers as tagged PDF 1.7 (ISO 32000-1, 14.8). Decisions, Papers. */

export type PaperJob = {
  blocks: PaperBlocks
  /** The image of the letterhead, PNG or JPEG. */
  logo: Uint8Array | null
  /** When the paper was made; the file says so. */
  at: Date
}

/** The place of the addressee behind the window of an envelope, and the end of that window. */
const addressWindow = { top: 52 * millimetre, bottom: 90 * millimetre }
const columnGap = 8 * millimetre
const logoSize: [number, number] = [65 * millimetre, 28 * millimetre]
/** The share of a table’s width that a column of figures takes at most. */
const figuresShareMax = 0.24
const cellPadding = { x: 6, y: 4 }

const { resolve } = createRequire(import.meta.url)
const readFont = (file: string): Buffer => readFileSync(resolve(`@expo-google-fonts/noto-sans/${file}`))
const fonts = {
  regular: readFont('400Regular/NotoSans_400Regular.ttf'),
  bold: readFont('600SemiBold/NotoSans_600SemiBold.ttf'),
}

/** Draws a paper. */
export async function drawPaper({ blocks, logo, at }: PaperJob): Promise<Buffer> {
  const document = new PaperDocument({
    size: blocks.size,
    margin: 0,
    pdfVersion: '1.7',
    lang: languages[blocks.language].locale,
    tagged: true,
    displayTitle: true,
    bufferPages: true,
    autoFirstPage: false,
    font: null,
    info: { Title: blocks.title, Author: blocks.letterhead.name, Creator: 'Plumbline', CreationDate: at },
  })
  for (const [name, bytes] of Object.entries(fonts)) document.registerFont(name, bytes)
  drawBlocks(document, blocks, logo)
  document.end()
  const pieces: Buffer[] = []
  for await (const piece of eachWithin<Buffer>({ ms: 20_000, of: 'a part of a paper' }, document)) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** A document whose texts are escaped in its metadata, which are XML; pdfkit writes them as they are. */
class PaperDocument extends PDFDocument {
  override endMetadata(): void {
    for (const [name, text] of Object.entries(this.info))
      if (typeof text === 'string') this.info[name] = escapeHtml(text)
    super.endMetadata()
  }
}

function drawBlocks(document: PDFDocument, blocks: PaperBlocks, logo: Uint8Array | null): void {
  const { letterhead, addressee, facts, title, subject, table, totals, texts, bank, footer, across } = blocks
  const { page, bank: bankTitle } = languages[blocks.language].catalogue.paper
  const writer = openWriter(document, across)
  const { root, width } = writer
  const whole = { x: margin.side, width }
  const left = { x: margin.side, width: (width - columnGap) / 2 }
  const right = { x: margin.side + left.width + columnGap, width: left.width }

  if (logo)
    writer.element(root, 'Figure', { alt: letterhead.name }, () =>
      document.image(logo, margin.side, margin.top, { fit: logoSize }),
    )
  writer.paragraphs(root, [letterhead.name], large, right)
  writer.paragraphs(root, letterhead.lines, small, right)
  const belowLetterhead = writer.moveDown(6 * millimetre)

  // The facts stand beside the addressee.
  const windowTop = { page: 0, y: addressWindow.top }
  writer.moveTo(windowTop)
  writer.paragraphs(root, addressee, plain, left)
  const belowAddressee = laterOf(writer.place(), { page: 0, y: addressWindow.bottom })
  writer.moveTo(laterOf(belowLetterhead, windowTop))
  writer.pairs(facts, right)
  writer.moveTo(laterOf(writer.place(), belowAddressee))

  writer.moveDown(6 * millimetre)
  writer.paragraphs(root, [title], heading, whole, 'H1')
  if (subject !== null) writer.paragraphs(root, [subject], strong, whole)
  writer.moveDown(4 * millimetre)
  drawTable(writer, table)
  writer.moveDown(2 * millimetre)
  writer.pairs(totals, right, { isSum: true })
  for (const { label, lines } of texts) {
    drawTitle(label)
    writer.paragraphs(root, lines, plain, whole)
  }
  if (bank.length > 0) drawTitle(bankTitle)
  writer.pairs(bank, left)
  writer.moveDown(5 * millimetre)
  writer.paragraphs(root, footer, small, whole)
  writer.numberPages(page)

  /** Draws the title of a part, never as the last line of a page. */
  function drawTitle(text: string): void {
    writer.moveDown(5 * millimetre)
    writer.keep(4 * lineHeight(strong))
    writer.paragraphs(root, [text], strong, whole, 'H2')
  }
}

/** Draws the lines of a record. Their head stands on each page, and no line is divided between two. */
function drawTable(writer: Writer, { head, rows }: PaperBlocks['table']): void {
  const { width, place } = writer
  const figures = ([1, 2, 3] as const).map((column) => {
    const widths = [writer.widthOf(head[column], strong), ...rows.map((row) => writer.widthOf(row[column], plain))]
    return Math.min(width * figuresShareMax, widths.reduce((one, other) => Math.max(one, other)) + 2 * cellPadding.x)
  })
  const widths = [width - figures.reduce((sum, each) => sum + each, 0), ...figures]

  const layOut = (row: PaperRow, style: Style) => {
    let x = margin.side
    const cells = row.map((text, n) => {
      const column = { x: x + cellPadding.x, width: (widths[n] as number) - 2 * cellPadding.x }
      x += widths[n] as number
      return { text, column, lines: writer.wrap(text, style, column), isFigure: n > 0 }
    })
    const most = cells.reduce((max, { lines }) => Math.max(max, lines.length), 0)
    return { cells, style, height: most * lineHeight(style) + 2 * cellPadding.y }
  }
  type Row = ReturnType<typeof layOut>
  const draw = ({ cells, style, height }: Row, drawCell: (text: string, drawLines: () => void) => void): void => {
    const y = place().y + cellPadding.y
    for (const { text, column, lines, isFigure } of cells)
      drawCell(text, () => writer.drawLines(lines, style, column, y, isFigure))
    writer.moveDown(height)
    writer.rule({ x: margin.side, width })
  }

  const table = writer.element(writer.root, 'Table')
  const titles = layOut(head, strong)
  const all = rows.map((row) => layOut(row, plain))
  writer.keep(titles.height + (all[0]?.height ?? 0))
  const headRow = writer.element(table, 'TR')
  draw(titles, (text, drawLines) => writer.element(headRow, 'TH', { scope: 'Column', text }, drawLines))
  for (const row of all) {
    if (writer.keep(row.height)) draw(titles, (_, drawLines) => writer.artifact('Pagination', drawLines))
    const element = writer.element(table, 'TR')
    draw(row, (text, drawLines) => writer.element(element, 'TD', { text }, drawLines))
  }
}
