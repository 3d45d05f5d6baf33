import type { Definition } from '#registry/definition.ts'
import type { Refusal } from '#registry/refusals.ts'
import { exampleId } from '../examples.ts'
import { deleteBlocked } from '../refusals.ts'
import { planExample } from '../schemas/plan.ts'
import { aOne, removalWords } from '../words.ts'
import { idVariable, inCollection, tagVariable } from './collection.ts'
import type { ResourceOperation, ResponseSpec } from './operation.ts'
import { commonFacts, idOf, recordPath, writeHeaders } from './record.ts'

/** Deletes a record: hides or erases it, with the records that go along. */
export const remove: ResourceOperation<'write'> = (definition, base) => ({
  ...commonFacts(definition, 'DELETE'),
  method: 'DELETE',
  path: recordPath(definition, base),
  summary: `Delete ${aOne(definition)}`,
  description: [
    `Deletes ${aOne(definition)}, unless protected history refers to it. A dry-run answers what would happen.`,
    removalWords(definition)
      .map((sentence) => `- ${sentence}`)
      .join('\n'),
  ],
  pathParameters: [idOf(definition)],
  refusals: [
    'not_found',
    'precondition_failed',
    ...(definition.protection || findBlockingRelation(definition) ? ['delete_blocked' as const] : []),
  ],
  refused: { delete_blocked: () => blockedRefusal(definition) },
  answer: deletedResponse(definition),
  collection: inCollection(
    'removes',
    {
      suffix: ', preview',
      sends: ['X-Dry-Run'],
      offers: ['If-Match'],
      title: 'The preview deletes nothing',
      checks: [
        "pm.expect(data).to.have.all.keys('id', 'deleted', 'dry_run', 'mode', 'would_delete', 'would_keep')",
        'pm.expect(data.deleted).to.equal(false)',
        'pm.expect(data.dry_run).to.equal(true)',
      ],
    },
    {
      offers: ['Idempotency-Key', 'X-Dry-Run', 'If-Match'],
      title: `The ${definition.one} is deleted`,
      checks: [
        "pm.expect(data).to.have.all.keys('id', 'deleted', 'dry_run', 'mode', 'deleted_with', 'kept')",
        'pm.expect(data.deleted).to.equal(true)',
        "pm.collectionVariables.set('write_id', pm.response.headers.get('X-Write-Id'))",
        `pm.collectionVariables.unset('${idVariable(definition)}')`,
        `pm.collectionVariables.unset('${tagVariable(definition)}')`,
      ],
    },
  ),
})

/** Returns the first relation whose records can refuse a deletion. */
const findBlockingRelation = ({ removal }: Definition) =>
  removal.relations.find(({ onDelete: { restrict, otherwise } }) => restrict || otherwise === 'restrict')

function blockedRefusal(definition: Definition): Refusal {
  const { name } = definition
  const related = findBlockingRelation(definition)
  return deleteBlocked(definition, [
    definition.protection || !related
      ? { records: name, count: 1, ids: [exampleId] }
      : { records: related.records, count: 2, ids: [17, 18] },
  ])
}

function deletedResponse(definition: Definition): ResponseSpec {
  const { hardWhen, relations } = definition.removal
  const [id, mode] = [exampleId, hardWhen ? 'hard' : 'soft']
  const going = relations.find(({ onDelete: { cascade, otherwise } }) => cascade || otherwise === 'cascade')
  const staying = relations.find(({ onDelete: { otherwise } }) => otherwise === 'unlinked' || otherwise === 'kept')
  const along = going ? [{ records: going.records, count: 2, ids: [17, 18] }] : []
  const stay = staying ? [{ records: staying.records, count: 1, ids: [5], effect: staying.onDelete.otherwise }] : []
  return {
    description: 'What was deleted; in a dry-run, what would be.',
    headers: writeHeaders,
    schema: 'DeletedEnvelope',
    examples: {
      deleted: {
        summary: 'Deleted',
        description: 'With what went along and what stays.',
        value: { data: { id, deleted: true, dry_run: false, mode, deleted_with: along, kept: stay } },
      },
      dry_run: {
        summary: 'Dry-run',
        description: 'Nothing refuses the deletion, and this is what it would do.',
        value: {
          data: { id, deleted: false, dry_run: true, mode, would_delete: along, would_keep: stay },
          plan: {
            ...planExample(definition, mode === 'hard' ? 'erased' : 'deleted'),
            would_delete: along,
            would_keep: stay,
          },
        },
      },
    },
  }
}
