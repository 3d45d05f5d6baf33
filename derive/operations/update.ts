import type { Definition } from '#registry/definition.ts'
import { invalidFields } from '#registry/refusals.ts'
import { exampleId, refusedExample, updateExamples } from '../examples.ts'
import { checkBody } from '../input.ts'
import { protectionWords } from '../protection.ts'
import { planExample } from '../schemas/plan.ts'
import { aOne, schemaName } from '../words.ts'
import { inCollection } from './collection.ts'
import type { ResourceOperation, ResponseSpec } from './operation.ts'
import { commonFacts, idOf, namingFields, patchTypes, recordPath, writeHeaders } from './record.ts'

/** Changes members of a record. */
export const update: ResourceOperation<'write'> = (definition, base) => {
  const examples = updateExamples(definition)
  return {
    ...commonFacts(definition, 'EDIT'),
    needs: namingFields(definition),
    method: 'PATCH',
    path: recordPath(definition, base),
    represents: true,
    summary: `Update ${aOne(definition)}`,
    description: [
      `Changes the members that are sent and no others (JSON Merge Patch, RFC 7396). \`null\` clears a field; an array replaces the whole array. The rules are checked on the ${definition.one} as it would be.`,
      ...protectionWords(definition),
    ],
    pathParameters: [idOf(definition)],
    body: {
      description: 'The members to change, and no others.',
      schema: `${schemaName(definition)}Update`,
      types: patchTypes,
      examples,
      sent: examples.change.value,
    },
    refusals: ['not_found', 'precondition_failed', 'validation_failed'],
    refused: {
      validation_failed: () => invalidFields(checkBody(definition, refusedExample(definition), {}).problems),
    },
    answer: updatedResponse(definition),
    collection: inCollection('uses', {
      offers: ['Idempotency-Key', 'X-Dry-Run', 'If-Match'],
      title: 'What changed is listed',
      checks: [
        "pm.expect(data).to.have.all.keys('id', 'updated', 'dry_run', 'changed')",
        `pm.expect(data.changed).to.include('${definition.title}')`,
      ],
    }),
  }
}

function updatedResponse(definition: Definition): ResponseSpec {
  const [id, changed] = [exampleId, [definition.title]]
  return {
    description: 'What changed; in a dry-run, what would.',
    headers: [...writeHeaders, 'PreferenceApplied', 'NewETag'],
    schema: `${schemaName(definition)}UpdatedEnvelope`,
    examples: {
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
        value: { data: { id, updated: false, dry_run: true, changed }, plan: planExample(definition, 'updated') },
      },
    },
  }
}
