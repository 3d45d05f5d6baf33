import type { JsonObject } from '#registry/json.ts'
import { idMax } from '#registry/limits.ts'
import { Refusal } from '#registry/refusals.ts'
import { exampleId, writeIdExample } from '../examples.ts'
import { planIsFull } from '../refusals.ts'
import { answerSchema, dryRun, envelopeOf, flag, integer } from '../schemas/envelopes.ts'
import { planExample } from '../schemas/plan.ts'
import { inCollection } from './collection.ts'
import type { DataOperation, OwnOperation } from './operation.ts'
import { writeHeaders } from './record.ts'

const count = (description: string): JsonObject => integer('int64', 0, idMax, description)

export const undo: OwnOperation<DataOperation<'write'>> = (base) => ({
  method: 'POST',
  path: `${base}/writes/{write_id}/undo`,
  section: {
    name: 'Writes',
    about: 'What was written, whichever records it was about, by the id that its answer had in `X-Write-Id`.',
  },
  summary: 'Take a write back',
  description: [
    'Takes back all that a write did, the newest first: what it changed gets the old values where it has the new ones still, what it created is deleted where it is as the write left it and nothing else refers to it, what it deleted comes back with its id.',
    'It is a write like any other: judged by the rules of the records, with a key, a dry-run, a plan and an `X-Write-Id` of its own, by which it can be taken back in turn. Where one record cannot be taken back nothing is done.',
    'It needs the scope and the add-on of the inverse for every resource that it touches: `_EDIT` and `_VIEW` to change back, `_EDIT` to restore, `_DELETE` to delete what was created. A token takes back what tokens wrote, and nothing that was done in the web interface.',
    'One call takes back about 1,000 records; while `remaining` is not 0 the next call, with a new key, goes on.',
  ],
  scope: null,
  pathParameters: [
    {
      name: 'write_id',
      is: {
        about: 'The `X-Write-Id` of the answer, or `write_id` of a change.',
        schema: { type: 'string', format: 'uuid', maxLength: 36 },
        example: writeIdExample,
        write: true,
      },
      sent: { value: '{{write_id}}', about: 'The X-Write-Id of a write; the last delete sets it.' },
    },
  ],
  refusals: [
    'not_found',
    'insufficient_scope',
    'protected',
    'undo_conflict',
    'validation_failed',
    'plan_limit_reached',
  ],
  refused: {
    insufficient_scope: () => new Refusal('insufficient_scope', { required_scope: 'CLIENTS_DELETE' }),
    protected: () => new Refusal('protected', { blocked_by: [{ records: 'estimates', count: 1, ids: [exampleId] }] }),
    undo_conflict: () =>
      new Refusal('undo_conflict', { conflicts: [{ records: 'clients', id: exampleId, fields: ['name'] }] }),
    validation_failed: () => new Refusal('validation_failed', { errors: [notUnique] }),
    plan_limit_reached: () => planIsFull('projects', 25, 25),
  },
  answer: {
    description: 'What was taken back; in a dry-run, what would be.',
    headers: writeHeaders,
    schema: 'UndoneEnvelope',
    examples: {
      undone: {
        summary: 'Taken back',
        description: 'All of it.',
        value: { data: { write_id: writeIdExample, undone: true, dry_run: false, records: 3, remaining: 0 } },
      },
      dry_run: {
        summary: 'Dry-run',
        description: 'Nothing is in the way, and the plan says what would be done.',
        value: {
          data: { write_id: writeIdExample, undone: false, dry_run: true, records: 1, remaining: 0 },
          plan: planExample(undefined, 'updated'),
        },
      },
    },
  },
  schemas: {
    Undone: answerSchema('What was taken back of a write, or would be.', {
      write_id: { type: 'string', format: 'uuid', description: 'The write that was taken back.' },
      undone: flag('Whether it was. False in a dry-run.'),
      dry_run: dryRun,
      records: count('How many records this call took back.'),
      remaining: count('How many are left for the next call.'),
    }),
    UndoneEnvelope: envelopeOf('Undone', 'What was taken back.'),
  },
  collection: inCollection('uses', {
    suffix: ', preview',
    sends: ['X-Dry-Run'],
    offers: ['Idempotency-Key'],
    title: 'The preview takes nothing back',
    checks: ['pm.expect(data.undone).to.equal(false)'],
  }),
})

const notUnique = {
  field: 'code',
  code: 'not_unique',
  message: 'is "A-1", which another project has meanwhile; change it there first',
} as const
