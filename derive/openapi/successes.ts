import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { pageSizeDefault } from '#registry/limits.ts'
import { recordExample } from '../examples.ts'
import type { DataRoute } from '../routes.ts'
import { plain, schemaName } from '../words.ts'
import { refTo } from './envelopes.ts'
import { type HeaderComponent, headersOf, rateHeaders } from './headers.ts'

/** The answers of an operation that was not refused, by status. Decisions, Replies. */
export function successes({ operation, definition, success }: DataRoute): JsonObject {
  switch (operation) {
    case 'list':
      return { [success]: page(definition), 304: unchanged }
    case 'fetch':
      return { [success]: one(definition), 304: unchanged }
    case 'create':
      // As a range it comes after 201, in a language that orders members by number and on the page: what is real is first.
      return { [success]: created(definition), '2XX': createPreview }
    case 'update':
      return { [success]: updated(definition) }
    case 'delete':
      return { [success]: deleted(definition) }
  }
}

const readHeaders: HeaderComponent[] = ['RequestId', 'ETag', 'CacheControl', 'Vary', ...rateHeaders]
const writeHeaders: HeaderComponent[] = ['RequestId', 'Replayed', 'OriginalRequestId', ...rateHeaders]

type Shown = { summary: string; description: string; value: JsonObject }

const page = (definition: Definition): JsonObject =>
  response(
    `Up to a page of ${plain(definition.name)}, and how many match in all.`,
    [...readHeaders, 'Links'],
    `${schemaName(definition)}Page`,
    {
      first_page: {
        summary: 'The first page',
        description: 'All that match fit on one page: `total` is the number of records in `data`.',
        value: { data: [recordExample(definition)], meta: { total: 1, limit: pageSizeDefault, offset: 0 } },
      },
    },
  )

const one = (definition: Definition): JsonObject =>
  response(`The ${definition.one} with that id.`, readHeaders, `${schemaName(definition)}Envelope`, {
    all_fields: {
      summary: 'All fields',
      description: 'Without the parameter `fields`.',
      value: { data: recordExample(definition) },
    },
  })

const unchanged: JsonObject = {
  description: 'Nothing has changed since one of the ETags in If-None-Match. There is no body.',
  headers: headersOf(readHeaders),
}

/** Both answers of a create are of one type: generators that know one type for a success read both. */
const created = (definition: Definition): JsonObject => ({
  ...response(
    `The ${definition.one} exists now, and has this id.`,
    [...writeHeaders, 'Location', 'ETag'],
    'CreatedEnvelope',
    {
      created: {
        summary: 'Created',
        description: 'A retry with the same Idempotency-Key gets the same answer.',
        value: { data: { id: idOf(definition), created: true, dry_run: false } },
      },
    },
  ),
  links: linksOf(definition),
})

const createPreview: JsonObject = response(
  '200, of a dry-run: nothing is wrong with the body, and nothing was written.',
  ['RequestId', ...rateHeaders],
  'CreatedEnvelope',
  {
    dry_run: {
      summary: 'Dry-run',
      description: 'There is no record, so there is no id.',
      value: { data: { id: null, created: false, dry_run: true } },
    },
  },
)

function updated(definition: Definition): JsonObject {
  const [id, changed] = [idOf(definition), [definition.title]]
  return response('What changed; in a dry-run, what would.', [...writeHeaders, 'NewETag'], 'UpdatedEnvelope', {
    updated: {
      summary: 'Updated',
      description: 'The new ETag is in the header.',
      value: { data: { id, updated: true, dry_run: false, changed } },
    },
    nothing_differed: {
      summary: 'Nothing differed',
      description: 'The record has what was sent already; its ETag and `updated_at` stay.',
      value: { data: { id, updated: false, dry_run: false, changed: [] } },
    },
    dry_run: {
      summary: 'Dry-run',
      description: 'The body is acceptable and would change this.',
      value: { data: { id, updated: false, dry_run: true, changed } },
    },
  })
}

function deleted(definition: Definition): JsonObject {
  const { hardWhen, relations } = definition.removal
  const [id, mode] = [idOf(definition), hardWhen ? 'hard' : 'soft']
  const going = relations.find(({ goes, rest }) => goes || rest === 'goes')
  const staying = relations.find(({ rest }) => rest === 'unlinked' || rest === 'kept')
  const along = going ? [{ records: going.records, count: 2, ids: [17, 18] }] : []
  const stay = staying ? [{ records: staying.records, count: 1, ids: [5], effect: staying.rest }] : []
  return response('What was deleted; in a dry-run, what would be.', writeHeaders, 'DeletedEnvelope', {
    deleted: {
      summary: 'Deleted',
      description: 'With what went along and what stays.',
      value: { data: { id, deleted: true, dry_run: false, mode, deleted_with: along, kept: stay } },
    },
    dry_run: {
      summary: 'Dry-run',
      description: 'Nothing refuses the deletion, and this is what it would do.',
      value: { data: { id, deleted: false, dry_run: true, mode, would_delete: along, would_keep: stay } },
    },
  })
}

/** Where to go with the id of a new record. */
function linksOf({ name, one }: Definition): JsonObject {
  const ways = { fetch: 'Fetches', update: 'Changes', delete: 'Deletes' }
  return Object.fromEntries(
    Object.entries(ways).map(([way, does]) => [
      way,
      {
        operationId: `${name}.${way}`,
        parameters: { id: '$response.body#/data/id' },
        description: `${does} the new ${one}.`,
      },
    ]),
  )
}

const idOf = (definition: Definition) => recordExample(definition).id as number

function response(
  description: string,
  headers: HeaderComponent[],
  schema: string,
  examples: { [name: string]: Shown },
): JsonObject {
  return {
    description,
    headers: headersOf(headers),
    content: { 'application/json': { schema: refTo('schemas', schema), examples } },
  }
}
