import type { DocumentOperation, OwnOperation } from './operation.ts'
import { documents } from './section.ts'

export const docs: OwnOperation<DocumentOperation> = (base) => ({
  method: 'GET',
  path: `${base}/docs`,
  access: 'public',
  section: documents,
  summary: 'The reference page, on which every call can be tried',
  type: 'text/html; charset=utf-8',
  checks: [],
})
