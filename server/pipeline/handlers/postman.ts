import { jsonBytes } from '#derive/json-bytes.ts'
import { postman as made } from '#derive/postman.ts'
import type { DocumentHandler } from '../handler.ts'

export const postman: DocumentHandler = ({ all, about }) => ({ body: Buffer.concat(jsonBytes(made(all, about))) })
