import { llms as made } from '#derive/llms.ts'
import type { DocumentHandler } from '../handler.ts'

export const llms: DocumentHandler = ({ all, about }) => ({ body: made(all, about) })
