import { exampleId } from '../examples.ts'
import { aOne, schemaName } from '../words.ts'
import { referenceOf, referencePath } from './by-reference.ts'
import { inCollection } from './collection.ts'
import { create } from './create.ts'
import type { ResourceOperation, ResponseSpec } from './operation.ts'
import { commonFacts, jsonTypes, namingFields, writeHeaders } from './record.ts'
import { update } from './update.ts'

/** Changes the record with the caller’s own reference, or creates it. */
export const upsert: ResourceOperation<'write'> = (definition, base) => {
  const [made, changed] = [create(definition, base), update(definition, base)]
  const updated: ResponseSpec = {
    description: 'What changed; in a dry-run, what would, and whether there would be a new record.',
    headers: [...writeHeaders, 'PreferenceApplied', 'NewETag'],
    schema: `${schemaName(definition)}UpsertedEnvelope`,
    examples: {
      updated: {
        summary: 'Updated',
        description: 'There was one with the reference.',
        value: { data: { id: exampleId, created: false, updated: true, dry_run: false, changed: [definition.title] } },
      },
    },
  }
  return {
    ...commonFacts(definition, 'EDIT'),
    needs: namingFields(definition),
    method: 'PUT',
    path: referencePath(definition, base),
    makes: 'record',
    represents: true,
    success: 201,
    summary: `Create or update ${aOne(definition)} by your reference`,
    description: [
      `Merges the members that are sent into the live ${definition.one} with this \`external_ref\`, as an update does, and answers 200. Where there is none, creates it with the reference, and answers 201; then \`${definition.title}\` is required.`,
      '`If-None-Match: *` creates only, `If-Match: *` updates only; else the answer is 412. Of several callers at once with one reference, one creates and the others update.',
      'A value of another unique field that a different record has is a 422, and no merge.',
    ],
    pathParameters: [referenceOf(definition)],
    body: {
      description: `The members of the ${definition.one}. \`external_ref\` may be left out, or be the one in the path.`,
      schema: `${schemaName(definition)}Update`,
      types: jsonTypes,
      examples: { minimal: (made.body as NonNullable<typeof made.body>).examples.minimal as never },
      sent: (changed.body as NonNullable<typeof changed.body>).sent,
    },
    refusals: [
      'precondition_failed',
      'validation_failed',
      ...made.refusals.filter((code) => code !== 'validation_failed'),
      'reference_conflict',
    ],
    refused: { ...made.refused, ...changed.refused },
    answer: {
      ...updated,
      description: `The ${definition.one} exists now, and has this id.`,
      headers: [...updated.headers, 'Location'],
      examples: {
        created: {
          summary: 'Created',
          description: 'There was none with the reference.',
          value: { data: { id: exampleId, created: true, updated: false, dry_run: false, changed: [] } },
        },
      },
    },
    otherAnswers: { 200: updated },
    collection: inCollection('makes', {
      sends: ['Idempotency-Key'],
      offers: ['X-Dry-Run', 'If-Match', 'If-None-Match'],
      title: 'It is there by this reference',
      checks: ["pm.expect(data).to.have.all.keys('id', 'created', 'updated', 'dry_run', 'changed')"],
    }),
  }
}
