import type { Definition } from '#registry/definition.ts'
import { referenceOf } from '#registry/fields/index.ts'
import type { JsonObject } from '#registry/json.ts'
import { batchBytesMax, batchOperationsMax, batchValuesMax } from '#registry/limits.ts'
import { Refusal } from '#registry/refusals.ts'
import { definitionOf, servedResources } from '#registry/resources/index.ts'
import { batchModes, batchNeeds, readBatch } from '../batch.ts'
import { exampleId, refusedExample } from '../examples.ts'
import { checkBody } from '../input.ts'
import { batchRefused, rowProblems, rowRefusal } from '../refusals.ts'
import { batchSchemas } from '../schemas/batch.ts'
import { inCollection } from './collection.ts'
import type { DataOperation, OwnOperation, ResponseSpec } from './operation.ts'
import { jsonTypes, refusalOf, writeHeaders } from './record.ts'

const [first, second] = servedResources as unknown as [Definition, Definition]
/** A served resource, its reference, and the served resource that it refers to. */
const [referring, field, referred] = servedResources
  .flatMap((definition) =>
    Object.entries(definition.fields).flatMap(([name, field]) => {
      const to = definitionOf(servedResources, referenceOf(field)?.to ?? '')
      return to && to !== definition ? [[definition, name, to] as const] : []
    }),
  )
  .at(0) ?? [first, first.title, second]

export const batch: OwnOperation<DataOperation<'write'>> = (base) => {
  const path = `${base}/batch`
  return {
    method: 'POST',
    path,
    section: {
      name: 'Batch',
      about: 'Many creates, updates, upserts and deletes in one call, of any resources.',
    },
    summary: 'Write many records',
    description: [
      `Does up to ${batchOperationsMax} operations in their order, each as the call of its own would. The body has at most ${batchBytesMax / 1024 / 1024} MiB.`,
      '`mode: "all"`: all of them or none. Where any is refused, nothing is done, and the answer names every operation that is refused. `mode: "each"`: every operation stands by itself; what is refused leaves the others done. A retry with the same Idempotency-Key does what is left.',
      '`{"$ref": "name"}` in a field that refers to a record stands for the id of an earlier operation that has `"as": "name"`.',
      'Every scope and add-on that the operations need is needed for the call. It is counted as one call.',
    ],
    scope: null,
    needs: batchNeeds,
    body: {
      description: 'The operations, in the order in which they are done.',
      schema: 'BatchInput',
      types: jsonTypes,
      examples: {
        all: {
          summary: 'Records that stand or fall together',
          description: 'The first has a name, by which fields of later operations can stand for its id.',
          value: named,
        },
        each: {
          summary: 'Records that have nothing to do with each other',
          description: 'One that is refused does not keep the other from being done.',
          value: {
            mode: 'each',
            operations: [createExample(first), createExample(second)],
          },
        },
      },
      sent: leavingNothing,
      sampled: example,
      bytesMax: batchBytesMax,
      valuesMax: batchValuesMax,
    },
    refusals: ['validation_failed', 'batch_refused'],
    refused: {
      insufficient_scope: () =>
        new Refusal('insufficient_scope', { required_scope: `${second.name.toUpperCase()}_EDIT` }),
      validation_failed: () => refusalOf(() => readBatch({ mode: 'some', operations: [createExample(first)] })),
      batch_refused: refusalExample,
    },
    answer: done,
    schemas: batchSchemas,
    collection: inCollection('makes', {
      sends: ['Idempotency-Key'],
      offers: ['X-Dry-Run'],
      title: 'Every operation has its answer',
      checks: [
        "pm.expect(data).to.have.all.keys('mode', 'dry_run', 'done', 'refused', 'operations')",
        'pm.expect(data.operations).to.have.lengthOf(2)',
      ],
    }),
  }
}

function createExample({ name, title, one }: Definition, more: JsonObject = {}): JsonObject {
  return { op: 'create', records: name, body: { [title]: `Another ${one}`, ...more } }
}

const created: JsonObject = { ...createExample(referred), as: 'new' }

/** For the document itself, because its readers take any member `$ref` for a reference of theirs. */
const named: JsonObject = { mode: batchModes[0], operations: [created, createExample(second)] }

const example: JsonObject = {
  mode: batchModes[0],
  operations: [created, createExample(referring, { [field]: { $ref: 'new' } })],
}

/** A record that is created and deleted again, so that the call can be repeated. */
const reference = 'BATCH-1'
const leavingNothing: JsonObject = {
  mode: batchModes[0],
  operations: [
    createExample(first, { external_ref: reference }),
    { op: 'delete', records: first.name, external_ref: reference },
  ],
}

const tag = '"1-Xq2mO0c1w9hY7bT5rNfKdA"'

const done: ResponseSpec = {
  description: 'What became of each operation, in their order.',
  headers: writeHeaders,
  schema: 'BatchEnvelope',
  examples: {
    all: {
      summary: 'All done',
      description: 'Each operation has the status and the data that a call of its own would have had.',
      value: {
        data: {
          mode: 'all',
          dry_run: false,
          done: 2,
          refused: 0,
          operations: [
            { n: 0, as: 'new', status: 201, etag: tag, data: { id: exampleId, created: true, dry_run: false } },
            { n: 1, status: 201, etag: tag, data: { id: exampleId + 1, created: true, dry_run: false } },
          ],
        },
      },
    },
    dry_run: {
      summary: 'Dry-run',
      description: 'Nothing is refused, and nothing was written.',
      value: {
        data: {
          mode: 'all',
          dry_run: true,
          done: 1,
          refused: 0,
          operations: [{ n: 0, status: 200, data: { id: null, created: false, dry_run: true } }],
        },
      },
    },
  },
}

const refusalExample = (): Refusal =>
  batchRefused(2, [
    { n: 1, as: undefined, refusal: rowRefusal(rowProblems(checkBody(first, refusedExample(first), null).problems)) },
  ])
