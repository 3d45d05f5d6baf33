import { readFile } from '../../client/ask.ts'

const type = 'application/pdf'

/** Returns whether the browser hands files to other programs. */
export const canShareFiles = (): boolean =>
  navigator.canShare?.({ files: [new File([], 'paper.pdf', { type })] }) === true

/** Hands a PDF to a program that the person chooses. Closing the choice does nothing. */
export async function sharePdf(address: string, name: string): Promise<void> {
  const bytes = await readFile(address)
  await navigator.share({ files: [new File([bytes], name, { type })], title: name }).catch((error: DOMException) => {
    if (error.name !== 'AbortError') throw error
  })
}
