import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { pageSizeDefault } from '#registry/limits.ts'
import { recordExample } from '../examples.ts'
import type { DataRoute } from '../routes.ts'
import { schemaName } from '../words.ts'
import { exactly, refTo } from './envelopes.ts'
import { type HeaderComponent, headersOf } from './headers.ts'

/** The answers of an operation that was not refused, by status. Decisions, Replies. */
export function successes({ operation, definition, success }: DataRoute): JsonObject {
  switch (operation) {
    case 'list':
      return { [success]: page(definition), 304: unchanged }
    case 'fetch':
      return { [success]: one(definition), 304: unchanged }
    case 'create':
      return { [success]: created(definition), 200: createPreview }
    case 'update':
      return { [success]: updated(definition) }
    case 'delete':
      return { [success]: deleted(definition) }
  }
}

const readHeaders: HeaderComponent[] = ['RequestId', 'ETag', 'CacheControl', 'Vary']
const writeHeaders: HeaderComponent[] = ['RequestId', 'Replayed', 'OriginalRequestId']

const page = (definition: Definition): JsonObject =>
  response(
    'A page of records, and how many match in all.',
    [...readHeaders, 'Links'],
    exactly({
      data: { type: 'array', items: refTo('schemas', schemaName(definition)) },
      meta: refTo('schemas', 'Page'),
    }),
    { 'The first page': { data: [recordExample(definition)], meta: { total: 1, limit: pageSizeDefault, offset: 0 } } },
  )

const one = (definition: Definition): JsonObject =>
  response('The record.', readHeaders, exactly({ data: refTo('schemas', schemaName(definition)) }), {
    'All fields': { data: recordExample(definition) },
  })

const unchanged: JsonObject = {
  description: 'Nothing has changed since one of the ETags in If-None-Match. There is no body.',
  headers: headersOf(readHeaders),
}

const created = (definition: Definition): JsonObject =>
  response(
    'The record was created.',
    [...writeHeaders, 'Location', 'ETag'],
    exactly({ data: refTo('schemas', 'Created') }),
    { Created: { data: { id: idOf(definition), created: true, dry_run: false } } },
  )

const createPreview: JsonObject = response(
  'The dry-run found nothing wrong.',
  ['RequestId'],
  exactly({ data: refTo('schemas', 'CreatePreview') }),
  { 'Dry-run': { data: { id: null, created: false, dry_run: true } } },
)

function updated(definition: Definition): JsonObject {
  const [id, changed] = [idOf(definition), [definition.title]]
  return response(
    'What changed; in a dry-run, what would.',
    [...writeHeaders, 'NewETag'],
    exactly({ data: refTo('schemas', 'Updated') }),
    {
      Updated: { data: { id, updated: true, dry_run: false, changed } },
      'Nothing differed': { data: { id, updated: false, dry_run: false, changed: [] } },
      'Dry-run': { data: { id, updated: false, dry_run: true, changed } },
    },
  )
}

function deleted(definition: Definition): JsonObject {
  const { hardWhen, relations } = definition.removal
  const [id, mode] = [idOf(definition), hardWhen ? 'hard' : 'soft']
  const going = relations.find(({ goes, rest }) => goes || rest === 'goes')
  const staying = relations.find(({ rest }) => rest === 'unlinked' || rest === 'kept')
  const along = going ? [{ records: going.records, count: 2, ids: [17, 18] }] : []
  const stay = staying ? [{ records: staying.records, count: 1, ids: [5], effect: staying.rest }] : []
  return response(
    'What was deleted; in a dry-run, what would be.',
    writeHeaders,
    exactly({ data: { oneOf: [refTo('schemas', 'Deleted'), refTo('schemas', 'DeletePreview')] } }),
    {
      Deleted: { data: { id, deleted: true, dry_run: false, mode, deleted_with: along, kept: stay } },
      'Dry-run': { data: { id, deleted: false, dry_run: true, mode, would_delete: along, would_keep: stay } },
    },
  )
}

const idOf = (definition: Definition) => recordExample(definition).id as number

/** A response with its examples by their summaries. */
function response(
  description: string,
  headers: HeaderComponent[],
  schema: JsonObject,
  examples: { [summary: string]: JsonObject },
): JsonObject {
  const named = Object.entries(examples).map(([summary, value]) => [
    summary.toLowerCase().replaceAll(/\W/g, '_'),
    { summary, value },
  ])
  return {
    description,
    headers: headersOf(headers),
    content: { 'application/json': { schema, examples: Object.fromEntries(named) } },
  }
}
