import type { DocumentOperation, OwnOperation } from './operation.ts'
import { documents } from './section.ts'

export const postman: OwnOperation<DocumentOperation> = (base) => ({
  method: 'GET',
  path: `${base}/postman.json`,
  access: 'public',
  section: documents,
  summary: 'This API as a Postman collection, format v2.1',
  type: 'application/json',
  checks: ["pm.expect(pm.response.json().info.schema).to.include('/v2.1.0/')"],
})
