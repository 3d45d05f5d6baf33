import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { pageSizeMax } from '#registry/limits.ts'
import { eventActions } from '#registry/webhooks.ts'
import { recordExample, writeIdExample } from '../examples.ts'
import { plain, schemaName } from '../words.ts'
import { enumType } from './enums.ts'
import { answer, idSchema, refTo } from './envelopes.ts'

/** A change as it is told, by the feed and by the history of a record. */

const channels = ['api', 'console', 'command'] as const

const orNull = (schema: JsonObject, description: string): JsonObject => ({
  ...schema,
  type: [schema.type as string, 'null'],
  description,
})
const text = (maxLength: number): JsonObject => ({ type: 'string', maxLength })
const anything = (description: string): JsonObject => ({
  type: ['object', 'null'],
  description,
  additionalProperties: true,
})

const changes: JsonObject = {
  type: 'array',
  items: refTo('schemas', 'Change'),
  maxItems: pageSizeMax,
  description: 'The changes of this page.',
}

export const changeSchemas: JsonObject = {
  Change: answer('One change of one record.', {
    event: { ...text(80), description: 'The resource and what happened to it.', examples: ['projects.updated'] },
    id: { ...text(60), description: 'Names the change for good, wherever and whenever it is told.' },
    at: { type: 'string', format: 'date-time', description: 'When its write began.' },
    records: { ...text(63), description: 'The resource.', examples: ['projects'] },
    record_id: { ...idSchema, description: 'Id of the record.' },
    version: orNull(
      { ...idSchema },
      'Orders the changes of one record: what is not newer than what you have is known already. Null of what happened before versions were kept.',
    ),
    action: refTo('schemas', 'ChangeAction'),
    changes: anything('Of an update: the fields that changed, each with its old and its new value. Else null.'),
    record: anything(
      'The record as it is now, so it may be newer than the change. Null where it is gone since; of a deletion, the record as it last was, null where that was not kept.',
    ),
    by: refTo('schemas', 'ChangeAuthor'),
    write_id: orNull(
      { type: 'string', format: 'uuid' },
      'Names the write, which may have changed more than this, as its `X-Write-Id` did. Null of what happened before writes had names.',
    ),
    removal_id: orNull({ ...idSchema }, 'What was deleted or restored together has the same. Else null.'),
  }),
  ChangeAuthor: answer('Who made a change, and with what.', {
    channel: refTo('schemas', 'ChangeChannel'),
    account_id: orNull({ ...idSchema }, 'The account that acted; null where the operator did.'),
    token_id: orNull({ ...idSchema }, 'The token it acted by; null of the web interface and of the command.'),
    request_id: orNull(text(200), 'The `X-Request-Id` of the call.'),
    idempotency_key: orNull(text(255), 'The Idempotency-Key of the call, by which you know your own writes.'),
  }),
  ...enumType('ChangeAction', eventActions, '`deleted` can be restored, `erased` is gone for good.'),
  ...enumType('ChangeChannel', channels, 'This API, the web interface, or the operator’s command.'),
  ChangesPage: answer('Changes in the order of their commits.', {
    data: changes,
    meta: refTo('schemas', 'ChangesMeta'),
  }),
  ChangesMeta: answer('Where to go on.', {
    next: {
      type: 'string',
      maxLength: 200,
      description: 'The cursor to send as `after` next time. Keep it together with the effect of the changes.',
    },
    more: {
      type: 'boolean',
      description: 'Whether to call again at once. A page can be empty and have more behind it.',
    },
    records: {
      type: 'array',
      items: text(63),
      maxItems: 50,
      description: 'The resources that were looked at: those asked for, or all that the token may read.',
    },
  }),
  HistoryPage: answer('Changes of one record, the newest first.', {
    data: changes,
    meta: refTo('schemas', 'PageMeta'),
  }),
}

/** An update, as it is told. */
export function changeExample(definition: Definition): JsonObject {
  const record = recordExample(definition)
  const title = record[definition.title] ?? null
  return {
    event: `${definition.name}.updated`,
    id: 'evt_1_90210',
    at: record.updated_at ?? null,
    records: definition.name,
    record_id: record.id ?? null,
    version: 2,
    action: 'updated',
    changes: { [definition.title]: [`${title} (draft)`, title] },
    record,
    by: {
      channel: 'api',
      account_id: 3,
      token_id: 5,
      request_id: '8f14e45f-ceea-467f-a8d9-2a4d7b1c9e10',
      idempotency_key: `${plain(schemaName(definition)).toLowerCase()}-17`,
    },
    write_id: writeIdExample,
    removal_id: null,
  }
}
