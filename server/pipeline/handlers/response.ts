import type { Definition } from '#registry/definition.ts'
import type { Json } from '#registry/json.ts'
import type { WriteResult } from '../../records/write-set.ts'
import { envelope, type StoredResponse } from '../stored-response.ts'

export const createResponse = (
  status: number,
  data: { [member: string]: Json },
  headers: StoredResponse['headers'] = {},
): StoredResponse => ({
  status,
  code: null,
  headers,
  body: envelope(data),
})

/** Returns the written record, or its ETag, for the answer. */
export const recordOfWrite = (definition: Definition, { id, json, tag }: WriteResult) =>
  json === null
    ? { tag: {}, unread: { definition, id } }
    : { tag: tag === undefined ? {} : { ETag: tag }, record: json }
