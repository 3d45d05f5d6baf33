import type { DocumentOperation, OwnOperation } from './operation.ts'
import { documents } from './section.ts'

export const openapi: OwnOperation<DocumentOperation> = (base) => ({
  method: 'GET',
  path: `${base}/openapi.json`,
  access: 'public',
  section: documents,
  summary: 'This API as an OpenAPI 3.1 document',
  type: 'application/json',
  checks: ['pm.expect(pm.response.json().openapi).to.match(/^3\\.1\\./)'],
})
