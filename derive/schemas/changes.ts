import type { Definition } from '#registry/definition.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { pageSizeMax } from '#registry/limits.ts'
import { eventActions } from '#registry/webhooks.ts'
import { recordExample, writeIdExample } from '../examples.ts'
import { aOne, formatName, schemaName } from '../words.ts'
import { answerSchema, enumType, flag, idSchema, listSchema, oneWord, orNull, recordsType, refTo } from './envelopes.ts'

/** A change in the feed and in the history of a record. */

const channels = ['api', 'console', 'command'] as const

const text = (maxLength: number): JsonObject => ({ type: 'string', maxLength })

/** The description of the union states these once. */
const members = {
  event: ['The resource and what happened to it, as in `projects.updated`.', text(80)],
  id: ['Names the change for good, wherever and whenever it is told.', text(60)],
  at: ['When its write began.', { type: 'string', format: 'date-time' }],
  records: ['The resource.', {}],
  record_id: ['Id of the record.', idSchema],
  version: [
    'Orders the changes of one record: what is not newer than what you have is known already. Null of what happened before versions were kept.',
    orNull(idSchema),
  ],
  action: ['What happened to the record.', refTo('ChangeAction')],
  changes: [
    'Of an update: the fields that changed, each with its old and its new value. Else null.',
    { type: ['object', 'null'], additionalProperties: refTo('FieldChange') },
  ],
  record: [
    'The record as it is now, so it may be newer than the change. Null where it is gone since; of a deletion, the record as it last was, null where that was not kept.',
    {},
  ],
  by: ['Who made it, and with what.', refTo('ChangeAuthor')],
  write_id: [
    'Names the write, which may have changed more than this, as its `X-Write-Id` did. Null of what happened before writes had names.',
    orNull({ type: 'string', format: 'uuid' }),
  ],
  removal_id: ['What was deleted or restored together has the same. Else null.', orNull(idSchema)],
} as const satisfies { [member: string]: readonly [about: string, schema: JsonObject] }

/** The members that a thin message lacks. */
const thickMembers: readonly string[] = ['changes', 'record']

const typesOfMembers: JsonObject = Object.fromEntries(
  Object.entries(members).map(([name, [, schema]]) => [name, schema]),
)

const changesOf = (type: string): JsonObject => listSchema(refTo(type), pageSizeMax, 'The changes of this page.')

/** Returns `ProjectChange`, and the page of them in a history. */
export function changeTypesOf(definition: Definition): JsonObject {
  const name = schemaName(definition)
  return {
    [`${name}Change`]: answerSchema(`One change of ${aOne(definition)}. \`Change\` says what its members are.`, {
      ...typesOfMembers,
      ...withExamples(definition),
      records: oneWord(definition.name),
      record: orNull(refTo(name)),
    }),
    [`${name}HistoryPage`]: answerSchema(`Changes of ${aOne(definition)}, the newest first.`, {
      data: changesOf(`${name}Change`),
      meta: refTo('PageMeta'),
    }),
  }
}

/** Adds examples to members whose type alone is not clear. */
function withExamples(definition: Definition): JsonObject {
  const example = changeExample(definition)
  const shown = ['event', 'id', 'record_id', 'version', 'action', 'changes']
  return Object.fromEntries(
    shown.map((name) => [name, { ...(typesOfMembers[name] as JsonObject), examples: [example[name] as Json] }]),
  )
}

/** Returns the schemas of the changes of these resources. */
export const changeSchemas = (definitions: readonly Definition[]): JsonObject => ({
  Change: {
    description: [
      'One change of one record, of the type that `records` names:',
      '',
      ...Object.entries(members).map(([name, [about]]) => `- \`${name}\`: ${about}`),
    ].join('\n'),
    oneOf: definitions.map((definition) => changeRef(definition)),
    discriminator: {
      propertyName: 'records',
      mapping: Object.fromEntries(
        definitions.map((definition) => [definition.name, changeRef(definition).$ref as string]),
      ),
    },
  },
  ThinChange: answerSchema('A change without its `changes` and its `record`.', {
    ...Object.fromEntries(Object.entries(typesOfMembers).filter(([name]) => !thickMembers.includes(name))),
    records: refTo('ChangeRecords'),
  }),
  FieldChange: {
    ...{ type: 'array', items: {}, minItems: 2, maxItems: 2 },
    description: 'The old and the new value of a field.',
  },
  ...recordsType('ChangeRecords', definitions),
  ChangeAuthor: {
    ...answerSchema('Who made a change, and with what.', {
      channel: refTo('ChangeChannel'),
      account_id: orNull(idSchema, 'The account that acted; null where the operator did.'),
      token_id: orNull(idSchema, 'The token it acted by; null of the web interface and of the command.'),
      request_id: orNull(text(200), 'The `X-Request-Id` of the call.'),
      idempotency_key: orNull(text(255), 'The Idempotency-Key of the call, by which you know your own writes.'),
      preview_id: orNull(text(36), 'The preview that an agent applied at `/mcp`; null of every other write.'),
    }),
    examples: definitions.slice(0, 1).map((definition) => changeExample(definition).by as Json),
  },
  ...enumType('ChangeAction', eventActions, '`deleted` can be restored, `erased` is gone for good.'),
  ...enumType('ChangeChannel', channels, 'This API, the web interface, or the operator’s command.'),
  ChangesPage: answerSchema('Changes in the order of their commits.', {
    data: changesOf('Change'),
    meta: refTo('ChangesMeta'),
  }),
  ChangesMeta: answerSchema('Where to go on.', {
    next: {
      type: 'string',
      maxLength: 200,
      description: 'The cursor to send as `after` next time. Keep it together with the effect of the changes.',
    },
    more: flag('Whether to call again at once. A page can be empty and have more behind it.'),
    records: listSchema(
      refTo('ChangeRecords'),
      50,
      'The resources that were looked at: those asked for, or all that the token may read.',
    ),
  }),
})

const changeRef = (definition: Definition): JsonObject => refTo(`${schemaName(definition)}Change`)

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
      idempotency_key: `${formatName(schemaName(definition)).toLowerCase()}-17`,
      preview_id: null,
    },
    write_id: writeIdExample,
    removal_id: null,
  }
}
