import type { JsonObject } from '#registry/json.ts'
import { batchNameLengthMax, batchOperationsMax } from '#registry/limits.ts'
import { servedResources } from '#registry/resources/index.ts'
import { batchModes } from '../batch.ts'
import { batchOps } from '../batch-operation.ts'
import { enumType } from './enums.ts'
import { answer, idSchema, integer, refTo } from './envelopes.ts'

/** What a batch asks, and what it answers. */

const count = (description: string): JsonObject => integer('int32', 0, batchOperationsMax, description)
const name: JsonObject = {
  type: 'string',
  minLength: 1,
  maxLength: batchNameLengthMax,
  pattern: '^[A-Za-z0-9_.-]+$',
}
const n = integer('int32', 0, batchOperationsMax - 1, 'Which operation: the first is 0.')

export const batchSchemas: JsonObject = {
  BatchInput: {
    type: 'object',
    description: 'Operations, and how they stand together.',
    properties: {
      mode: refTo('schemas', 'BatchMode'),
      operations: {
        type: 'array',
        items: refTo('schemas', 'BatchOperationInput'),
        minItems: 1,
        maxItems: batchOperationsMax,
        description: 'What to do, in this order.',
      },
    },
    required: ['mode', 'operations'],
    additionalProperties: false,
  },
  ...enumType('BatchMode', batchModes, '`all`: all operations or none. `each`: every operation by itself.'),
  BatchOperationInput: {
    type: 'object',
    description:
      'One operation. An update and a delete name their record by `id` or by `external_ref`, an upsert by `external_ref`.',
    properties: {
      op: refTo('schemas', 'BatchOp'),
      records: refTo('schemas', 'BatchRecords'),
      id: { ...idSchema, description: 'Id of the record to update or to delete; not of an upsert.' },
      external_ref: {
        ...{ type: 'string', minLength: 1, maxLength: 120 },
        description: 'Or its external reference; capitals do not count.',
      },
      if_match: {
        ...{ type: 'string', maxLength: 8192 },
        description: 'The ETag of the record as you know it. Where it has changed since, the operation is refused.',
      },
      body: refTo('schemas', 'BatchBody'),
      as: { ...name, description: 'A name by which later operations refer to this one.' },
    },
    required: ['op', 'records'],
    additionalProperties: false,
  },
  BatchBody: {
    type: 'object',
    description:
      'As the body of the call of its own. In a field that refers to a record, `{"$ref": "name"}` is the id of an earlier operation.',
    additionalProperties: true,
  },
  ...enumType('BatchOp', batchOps, 'What to do with the record.'),
  ...enumType(
    'BatchRecords',
    servedResources.map(({ name }) => name),
    'The resource.',
  ),
  BatchDone: answer('What became of a batch.', {
    mode: refTo('schemas', 'BatchMode'),
    dry_run: { type: 'boolean', description: 'Whether this was a dry-run, which writes nothing.' },
    done: count('How many operations were done; in a dry-run, would be.'),
    refused: count('How many were refused.'),
    operations: {
      type: 'array',
      items: refTo('schemas', 'BatchResult'),
      maxItems: batchOperationsMax,
      description: 'One entry an operation, in their order.',
    },
  }),
  BatchEnvelope: answer(
    'What became of a batch.',
    { data: refTo('schemas', 'BatchDone') },
    { plan: refTo('schemas', 'WritePlan') },
  ),
  BatchResult: answer(
    'What became of one operation.',
    { n, status: integer('int32', 200, 599, 'The status that a call of its own would have had.') },
    {
      as: { ...name, description: 'The name that it was given.' },
      etag: { type: 'string', maxLength: 80, description: 'ETag of the record as it is now.' },
      data: refTo('schemas', 'BatchData'),
      problem: refTo('schemas', 'Problem'),
    },
  ),
  BatchData: {
    type: 'object',
    description: 'What the call of its own would have answered as `data`. Absent where it was refused.',
    additionalProperties: true,
  },
  RefusedOperation: answer(
    'An operation that was refused.',
    {
      n,
      status: integer('int32', 400, 599, 'The status that a call of its own would have had.'),
      problem: refTo('schemas', 'Problem'),
    },
    { as: { ...name, description: 'The name that it was given.' } },
  ),
}
