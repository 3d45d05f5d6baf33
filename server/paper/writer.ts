import { LineWrapper, type PDFDocument, type StructureElement } from 'pdfkit'
import type { LabelledText } from '#derive/paper.ts'
import { charactersWithoutGlyph } from '#derive/paper-font.ts'

/** Writes text into a document from top to bottom, page by page, with its structure. Lengths are points. */

export type Style = { font: 'regular' | 'bold'; size: number; color: string }
/** The left edge and the width of a column. */
export type Column = { x: number; width: number }
/** A page, counted from 0, and the distance from its top. */
export type Place = { page: number; y: number }
export type Writer = ReturnType<typeof openWriter>

export const millimetre = 72 / 25.4
export const margin = { top: 15 * millimetre, side: 20 * millimetre, bottom: 22 * millimetre }

const [ink, faint, ruleColor, acrossColor] = ['#1c1c1c', '#5a5a5a', '#b5b5b5', '#e6e6e6']
export const plain: Style = { font: 'regular', size: 9.5, color: ink }
export const strong: Style = { ...plain, font: 'bold' }
export const small: Style = { ...plain, size: 8.5, color: faint }
export const large: Style = { ...strong, size: 13 }
const total: Style = { ...strong, size: 11 }
export const heading: Style = { ...strong, size: 16 }

export const lineHeight = ({ size }: Style): number => size * 1.36

/** Returns the place that comes later in reading. */
export const laterOf = (one: Place, other: Place): Place =>
  one.page > other.page || (one.page === other.page && one.y > other.y) ? one : other

/** Opens the first page. The text `across` stands behind the others on each page, and is read once. */
export function openWriter(document: PDFDocument, across: string | null) {
  const use = ({ font, size, color }: Style): PDFDocument => document.font(font, size).fillColor(color)
  let place: Place = { page: 0, y: margin.top }
  let pages = 0
  const root = document.struct('Document')
  document.addStructure(root)
  addPage()
  const width = document.page.width - 2 * margin.side

  function addPage(): void {
    document.addPage()
    pages++
    if (across === null) return
    if (pages === 1) element(root, 'P', {}, () => drawAcross(across))
    else artifact('Pagination', () => drawAcross(across))
  }

  function drawAcross(text: string): void {
    const { width, height } = document.page
    const size = 96
    use({ ...strong, size, color: acrossColor })
    const length = document.widthOfString(text)
    document.save().rotate(-45, { origin: [width / 2, height / 2] })
    document.text(text, (width - length) / 2, (height - size) / 2, { lineBreak: false }).restore()
  }

  function moveTo(next: Place): Place {
    place = next
    if (place.page < pages) document.switchToPage(place.page)
    else addPage()
    return place
  }
  const moveDown = (height: number): Place => moveTo({ ...place, y: place.y + height })

  /** Begins a new page if this one has no room left. Returns whether it did. */
  function keep(height: number): boolean {
    if (place.y + height <= document.page.height - margin.bottom || place.y <= margin.top) return false
    moveTo({ page: place.page + 1, y: margin.top })
    return true
  }

  /** Adds an element to the structure, and draws its content. A text with characters that are drawn as boxes goes along. */
  function element(parent: StructureElement, type: string, options: Options = {}, draw?: () => void): StructureElement {
    const { text, ...rest } = options
    const isWhole = text === undefined || charactersWithoutGlyph(text).length === 0
    const added = document.struct(type, isWhole ? rest : { ...rest, actual: text })
    parent.add(added)
    if (draw) added.add(draw)
    return added
  }

  /** Draws what is no part of the text. */
  function artifact(type: 'Layout' | 'Pagination', draw: () => void): void {
    document.markContent('Artifact', { type })
    draw()
    document.endMarkedContent()
  }

  /** Divides a text into the lines of a width. A word that is longer than a line is divided too. */
  function wrap(text: string, style: Style, { width }: Pick<Column, 'width'>): string[] {
    use(style)
    const lines: string[] = []
    new LineWrapper(document, { width, height: Number.POSITIVE_INFINITY })
      .on('line', (line) => void lines.push(line.trimEnd()))
      .wrap(text, {})
    return lines.length === 0 ? [''] : lines
  }

  function widthOf(text: string, style: Style): number {
    use(style)
    return document.widthOfString(text)
  }

  function drawLines(lines: readonly string[], style: Style, { x, width }: Column, y: number, isRight = false): void {
    lines.forEach((line, n) => {
      const from = isRight ? x + width - widthOf(line, style) : x
      use(style).text(line, from, y + n * lineHeight(style), { lineBreak: false })
    })
  }

  /** Writes texts one below the other, each as an element; a long one goes on on the next page. */
  function paragraphs(
    parent: StructureElement,
    texts: readonly string[],
    style: Style,
    column: Column,
    type = 'P',
  ): void {
    for (const text of texts) {
      const added = element(parent, type, { text })
      for (const part of wrap(text, style, column)) {
        keep(lineHeight(style))
        added.add(() => drawLines([part], style, column, place.y))
        moveDown(lineHeight(style))
      }
    }
  }

  /** Writes labels with their texts beside them, as a table on one page. The last of sums is the total. */
  function pairs(list: readonly LabelledText[], column: Column, { isSum = false } = {}): void {
    if (list.length === 0) return
    const half = { x: column.x, width: column.width * 0.42 }
    const rest = { x: column.x + half.width, width: column.width - half.width }
    const rows = list.map(({ label, text }, n) => {
      const style = isSum && n === list.length - 1 ? total : plain
      const cells = [
        { type: 'TH', scope: 'Row', text: label, box: half, lines: wrap(label, style, half) },
        { type: 'TD', text, box: rest, lines: wrap(text, style, rest), isRight: isSum },
      ] as const
      return { cells, style, height: Math.max(...cells.map(({ lines }) => lines.length)) * lineHeight(style) }
    })
    keep(rows.reduce((sum, { height }) => sum + height, 0))
    const table = element(root, 'Table')
    for (const { cells, style, height } of rows) {
      keep(height)
      const { y } = place
      const row = element(table, 'TR')
      for (const { type, lines, box, ...options } of cells)
        element(row, type, options, () => {
          drawLines(lines, style, box, y, 'isRight' in options && options.isRight)
        })
      moveDown(height)
    }
  }

  /** Draws a thin line across a column. */
  function rule({ x, width }: Column): void {
    artifact('Layout', () => {
      document.lineWidth(0.5).strokeColor(ruleColor)
      document
        .moveTo(x, place.y)
        .lineTo(x + width, place.y)
        .stroke()
    })
  }

  /** Writes the number of each page, when there are no more to come. */
  function numberPages(format: (page: number, pages: number) => string): void {
    for (let page = 0; page < pages; page++) {
      document.switchToPage(page)
      const column = { x: margin.side, width }
      artifact('Pagination', () =>
        drawLines(
          [format(page + 1, pages)],
          small,
          column,
          document.page.height - margin.bottom / 2 - small.size,
          true,
        ),
      )
    }
  }

  return {
    root,
    width,
    place: (): Place => place,
    moveTo,
    moveDown,
    keep,
    element,
    artifact,
    wrap,
    widthOf,
    drawLines,
    paragraphs,
    pairs,
    rule,
    numberPages,
  }
}

type Options = { scope?: 'Column' | 'Row'; alt?: string; text?: string }
