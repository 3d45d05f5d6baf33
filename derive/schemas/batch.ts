import type { JsonObject } from '#registry/json.ts'
import { batchNameLengthMax, batchOperationsMax } from '#registry/limits.ts'
import { servedResources } from '#registry/resources/index.ts'
import { batchModes } from '../batch.ts'
import { type BatchOp, batchOperations, batchOps } from '../batch-operation.ts'
import { aOne, capital, schemaName } from '../words.ts'
import {
  answerSchema,
  dryRun,
  enumType,
  envelopeOf,
  idSchema,
  integer,
  listSchema,
  oneWord,
  recordsType,
  refTo,
} from './envelopes.ts'

/** Schemas of a batch's request and response. */

const count = (description: string): JsonObject => integer('int32', 0, batchOperationsMax, description)
const name: JsonObject = {
  type: 'string',
  minLength: 1,
  maxLength: batchNameLengthMax,
  pattern: '^[A-Za-z0-9_.-]+$',
}
const givenName: JsonObject = { ...name, description: 'The name that it was given.' }
const n = integer('int32', 0, batchOperationsMax - 1, 'Which operation: the first is 0.')
const status = (least: number): JsonObject =>
  integer('int32', least, 599, 'The status that a call of its own would have had.')

/** The reference of an operation on an existing record. */
const externalRef: JsonObject = { type: 'string', minLength: 1, maxLength: 120 }
const targets = {
  either: { id: idSchema, external_ref: externalRef },
  reference: { external_ref: externalRef },
}
const ifMatch: JsonObject = { type: 'string', maxLength: 8192 }

/** Returns `ProjectUpdateOperation` and similar types of a batch's operations. */
function operationType(op: BatchOp, records: JsonObject, body: string | null, about: string): JsonObject {
  const { names } = batchOperations[op]
  return {
    type: 'object',
    description: about,
    properties: {
      op: oneWord(op),
      records,
      ...(names === null ? {} : { ...targets[names], if_match: ifMatch }),
      ...(body === null ? {} : { body: refTo(body) }),
      as: name,
    },
    required: ['op', 'records', ...(names === 'reference' ? ['external_ref'] : []), ...(body === null ? [] : ['body'])],
    additionalProperties: false,
  }
}

/** An operation with a body has a type for each resource, any other has one for all. */
const operationTypes: JsonObject = Object.fromEntries(
  batchOps.flatMap((op): [string, JsonObject][] => {
    const { sends, names } = batchOperations[op]
    const suffix = `${capital(op)}Operation`
    if (!sends) return [[suffix, operationType(op, refTo('BatchRecords'), null, `${capital(op)} a record.`)]]
    return servedResources.map((definition) => {
      const body = `Batch${schemaName(definition)}${names === null ? 'Create' : 'Update'}`
      const about = `${capital(op)} ${aOne(definition)}.`
      return [`${schemaName(definition)}${suffix}`, operationType(op, oneWord(definition.name), body, about)]
    })
  }),
)

export const batchSchemas: JsonObject = {
  BatchInput: {
    type: 'object',
    description: 'Operations, and how they stand together.',
    properties: {
      mode: refTo('BatchMode'),
      operations: {
        type: 'array',
        items: refTo('BatchOperationInput'),
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
    description: [
      'One operation, as `op` and `records` say:',
      '',
      '- `id`, `external_ref`: the record to update or to delete, by one of the two; an upsert has `external_ref`, whose capitals do not count.',
      '- `if_match`: the ETag of the record as you know it. Where it has changed since, the operation is refused.',
      '- `body`: that of the call of its own.',
      '- `as`: a name by which later operations refer to this one.',
    ].join('\n'),
    oneOf: Object.keys(operationTypes).map((type) => refTo(type)),
  },
  ...operationTypes,
  BatchId: {
    description: 'A record: one that there is, or that of an earlier operation.',
    oneOf: [idSchema, refTo('BatchReference')],
  },
  BatchReference: {
    type: 'object',
    description: 'The record of an earlier operation, by the name that it has in `as`.',
    // Not as a property, which orval takes for a reference inside the document, and not by `additionalProperties`, of
    // which openapi-generator makes Java that does not compile.
    propertyNames: { enum: ['$ref'] },
    patternProperties: { '^[$]ref$': name },
    minProperties: 1,
    maxProperties: 1,
  },
  ...recordsType('BatchRecords', servedResources),
  BatchDone: answerSchema('What became of a batch.', {
    mode: refTo('BatchMode'),
    dry_run: dryRun,
    done: count('How many operations were done; in a dry-run, would be.'),
    refused: count('How many were refused.'),
    operations: listSchema(refTo('BatchOutcome'), batchOperationsMax, 'One entry an operation, in their order.'),
  }),
  BatchEnvelope: envelopeOf('BatchDone', 'What became of a batch.'),
  BatchOutcome: answerSchema(
    'What became of one operation.',
    { n, status: status(200) },
    {
      as: givenName,
      etag: { type: 'string', maxLength: 80, description: 'ETag of the record as it is now.' },
      data: refTo('BatchData'),
      problem: refTo('Problem'),
    },
  ),
  BatchData: {
    type: 'object',
    description: 'What the call of its own would have answered as `data`. Absent where it was refused.',
    additionalProperties: true,
  },
  RefusedOperation: answerSchema(
    'An operation that was refused.',
    { n, status: status(400), problem: refTo('Problem') },
    { as: givenName },
  ),
}
