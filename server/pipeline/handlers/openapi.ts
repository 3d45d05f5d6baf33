import { jsonBytes } from '#derive/json-bytes.ts'
import { openapi as made } from '#derive/openapi.ts'
import type { DocumentHandler } from '../handler.ts'

export const openapi: DocumentHandler = ({ all, about }) => ({ body: Buffer.concat(jsonBytes(made(all, about))) })
