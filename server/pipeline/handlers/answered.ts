import type { Definition } from '#registry/definition.ts'
import type { Json } from '#registry/json.ts'
import type { Written } from '../../records/write-set.ts'
import { type Answer, envelope, recordTag } from '../answer.ts'

export const answer = (status: number, data: { [member: string]: Json }, headers: Answer['headers'] = {}): Answer => ({
  status,
  code: null,
  headers,
  body: envelope(data),
})

/** The record as a write leaves it, for its answer. */
export const leaves = (definition: Definition, { id, version, json }: Written) =>
  json === null ? { tag: {}, unread: { definition, id } } : { tag: { ETag: recordTag(version, json) }, record: json }
