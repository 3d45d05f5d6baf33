import { jsonBytes } from '#derive/json-bytes.ts'
import { llms as formatLlms } from '#derive/llms.ts'
import { openapi as createOpenapi } from '#derive/openapi.ts'
import { postman as createCollection } from '#derive/postman.ts'
import { referencePage, referencePolicy } from '#derive/reference-page.ts'
import type { View } from '#derive/schemas/envelopes.ts'
import type { DocumentHandler } from '../handler.ts'

export const docs: DocumentHandler = ({ about, script }) => ({
  body: referencePage({ ...about, asset: script }),
  headers: { 'Content-Security-Policy': referencePolicy },
})

export const llms: DocumentHandler = ({ all, about }) => ({ body: formatLlms(all, about) })

export const openapi = handlerOf('all')
export const openapiClient = handlerOf('client')

function handlerOf(view: View): DocumentHandler {
  return ({ all, about }) => ({ body: Buffer.concat(jsonBytes(createOpenapi(all, { ...about, view }))) })
}

export const postman: DocumentHandler = ({ all, about }) => ({ body: JSON.stringify(createCollection(all, about)) })
