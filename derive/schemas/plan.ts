import type { Definition } from '#registry/definition.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { idMax, plannedChangesMax } from '#registry/limits.ts'
import type { PlannedChange, Preview } from '#registry/refusals.ts'
import { registry } from '#registry/resources/index.ts'
import { eventActions } from '#registry/webhooks.ts'
import { exampleId, recordExample } from '../examples.ts'
import {
  answerSchema,
  enumType,
  groups,
  idSchema,
  integer,
  listSchema,
  orNull,
  recordsType,
  refTo,
} from './envelopes.ts'

/** Schemas of a dry-run's preview. */

export const planSchemas: JsonObject = {
  WritePlan: answerSchema('What the call would do. Of a dry-run, and of a plan that is no longer true.', {
    hash: {
      type: 'string',
      pattern: '^sha256-[A-Za-z0-9_-]{43}$',
      description:
        'Stands for all that the call would do and what that rests on. Send it in If-Plan, in quotes, and the call does this or nothing.',
    },
    total: integer('int64', 0, idMax, 'How many records would change.'),
    changes: listSchema(
      refTo('PlannedChange'),
      plannedChangesMax,
      `What would happen to each, the first ${plannedChangesMax} at most.`,
    ),
    would_delete: groups('RecordGroup', 'Records that would be deleted along with what is deleted.'),
    would_keep: groups('KeptGroup', 'Records that refer to what would be deleted, and would stay.'),
  }),
  PlannedChange: answerSchema(
    'What would happen to a record.',
    {
      records: refTo('PlannedRecords'),
      id: orNull(idSchema, 'Id of the record. Null of one that would be created.'),
      action: refTo('PlannedAction'),
    },
    { fields: refTo('PlannedFields') },
  ),
  PlannedFields: {
    type: 'object',
    description:
      'The fields that would change, each with its old and its new value; of a new record those that would have one. Absent where the token may not see the resource.',
    additionalProperties: refTo('FieldChange'),
  },
  ...recordsType('PlannedRecords', registry),
  ...enumType('PlannedAction', eventActions, '`deleted` can be restored, `erased` is gone for good.'),
}

export function planExample(
  definition = registry[0] as Definition,
  action: PlannedChange['action'],
): Preview & JsonObject {
  const title = recordExample(definition)[definition.title] ?? null
  const values: { readonly [action: string]: Json } = { created: [null, title], updated: [`${title} (draft)`, title] }
  const fields: JsonObject = values[action] === undefined ? {} : { [definition.title]: values[action] }
  return {
    hash: `sha256-${'Xq2mO0c1w9hY7bT5rNfKdA'.repeat(2).slice(0, 43)}`,
    total: 1,
    changes: [{ records: definition.name, id: action === 'created' ? null : exampleId, action, fields }],
    would_delete: [],
    would_keep: [],
  }
}
