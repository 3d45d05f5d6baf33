/** The part of pdfkit 0.20 that draws papers; the package has no types of its own. */
declare module 'pdfkit' {
  import type { Readable } from 'node:stream'

  type StructureOptions = { scope?: 'Column' | 'Row'; alt?: string; actual?: string }
  export type StructureElement = { add(child: StructureElement | (() => void)): StructureElement }

  type DocumentOptions = {
    size: string
    /** Points; nothing is placed by margins here. */
    margin: number
    pdfVersion: '1.7'
    lang: string
    tagged: boolean
    displayTitle: boolean
    bufferPages: boolean
    autoFirstPage: boolean
    /** No font is needed before ours is registered. */
    font: null
    info: { [name: string]: string | Date }
  }

  export class PDFDocument extends Readable {
    constructor(options: DocumentOptions)
    info: { [name: string]: string | Date }
    page: { width: number; height: number }
    addPage(): this
    switchToPage(page: number): this
    registerFont(name: string, source: Uint8Array): this
    font(name: string, size: number): this
    fillColor(color: string): this
    text(text: string, x: number, y: number, options: { lineBreak: false }): this
    /** Points. */
    widthOfString(text: string): number
    currentLineHeight(includesGap: boolean): number
    image(source: Uint8Array, x: number, y: number, options: { fit: [width: number, height: number] }): this
    openImage(source: Uint8Array): { width: number; height: number }
    save(): this
    restore(): this
    rotate(degrees: number, options: { origin: [x: number, y: number] }): this
    lineWidth(points: number): this
    strokeColor(color: string): this
    moveTo(x: number, y: number): this
    lineTo(x: number, y: number): this
    stroke(): this
    struct(type: string, options?: StructureOptions): StructureElement
    addStructure(element: StructureElement): this
    markContent(tag: 'Artifact', options: { type: 'Layout' | 'Pagination' }): this
    endMarkedContent(): this
    /** Writes the metadata, with the texts of `info`. */
    endMetadata(): void
    end(): void
  }

  /** Breaks a text into lines (UAX 14). */
  export class LineWrapper {
    constructor(document: PDFDocument, options: { width: number; height: number })
    on(event: 'line', receive: (line: string) => void): this
    wrap(text: string, options: object): void
  }
}
