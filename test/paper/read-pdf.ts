import { getDocument, type PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs'

export type PdfPage = { width: number; height: number; texts: string[]; tags: string[] }
export type PdfFile = { title: string; language: string; isTagged: boolean; pages: PdfPage[] }

/** Reads a PDF back: its title and language, and the texts and the tags of each page in their order. */
export async function readPdf(bytes: Uint8Array): Promise<PdfFile> {
  const loading = getDocument({ data: new Uint8Array(bytes), useSystemFonts: false, verbosity: 0 })
  const document = await loading.promise
  const { info } = (await document.getMetadata()) as { info: { Title: string; Language: string } }
  const markInfo = (await document.getMarkInfo()) as unknown as ReadonlyMap<string, boolean> | null
  const pages: PdfPage[] = []
  for (let page = 1; page <= document.numPages; page++) pages.push(await readPage(document, page))
  await loading.destroy()
  return { title: info.Title, language: info.Language, isTagged: markInfo?.get('Marked') === true, pages }
}

async function readPage(document: PDFDocumentProxy, number: number): Promise<PdfPage> {
  const page = await document.getPage(number)
  const { width, height } = page.getViewport({ scale: 1 })
  const { items } = await page.getTextContent()
  const tree = (await page.getStructTree()) as Node | null
  return {
    width: Math.round(width),
    height: Math.round(height),
    texts: items.flatMap((item) => ('str' in item && item.str.trim() !== '' ? [item.str] : [])),
    tags: tree ? tagsOf(tree) : [],
  }
}

type Node = { role?: string; children?: Node[] }

const tagsOf = ({ role, children = [] }: Node): string[] => [
  ...(role === undefined || role === 'Root' ? [] : [role]),
  ...children.flatMap(tagsOf),
]
