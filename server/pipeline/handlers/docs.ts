import { referencePage, referencePolicy } from '#derive/reference-page.ts'
import type { DocumentHandler } from '../handler.ts'

export const docs: DocumentHandler = ({ about, script }) => ({
  body: referencePage({ ...about, asset: script }),
  headers: { 'Content-Security-Policy': referencePolicy },
})
