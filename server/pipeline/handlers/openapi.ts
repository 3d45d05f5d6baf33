import { jsonBytes } from '#derive/json-bytes.ts'
import { openapi as made } from '#derive/openapi.ts'
import type { View } from '#derive/schemas/envelopes.ts'
import type { DocumentHandler } from '../handler.ts'

export const openapi = handlerOf('all')
export const openapiClient = handlerOf('client')

function handlerOf(view: View): DocumentHandler {
  return ({ all, about }) => ({ body: Buffer.concat(jsonBytes(made(all, { ...about, view }))) })
}
