import type { Definition } from '#registry/definition.ts'
import { invalidFields, type Refusal } from '#registry/refusals.ts'
import { isPlanLimited, planLimit, planNames, type SubscriptionPlan } from '#registry/subscription.ts'
import { createExamples, exampleId, refusedExample, repeatableExample } from '../examples.ts'
import { checkBody } from '../input.ts'
import { planIsFull } from '../refusals.ts'
import { planExample } from '../schemas/plan.ts'
import { aOne, formatName, planWords, schemaName } from '../words.ts'
import { idVariable, inCollection } from './collection.ts'
import type { ResourceOperation, ResponseSpec } from './operation.ts'
import { collectionPath, commonFacts, jsonTypes, namingFields, rateHeaders, writeHeaders } from './record.ts'

/** Creates a record. */
export const create: ResourceOperation<'write'> = (definition, base) => {
  const { name, one, title } = definition
  const path = collectionPath(definition, base)
  const plan = planWords(definition)
  const examples = createExamples(definition)
  return {
    ...commonFacts(definition, 'EDIT'),
    needs: namingFields(definition),
    method: 'POST',
    path,
    makes: 'record',
    represents: true,
    success: 201,
    summary: `Create ${aOne(definition)}`,
    description: [
      `Creates ${aOne(definition)}. Only \`${title}\` is required. The answer has the new id; its path is in \`Location\`.`,
      ...(plan ? [`The plan of the company limits how many ${formatName(name)} there can be: ${plan}.`] : []),
      'A dry-run answers 200 with `id` null.',
    ],
    body: {
      description: `The new ${one}: \`${title}\`, and whatever else is known of it.`,
      schema: `${schemaName(definition)}Create`,
      types: jsonTypes,
      examples,
      sent: repeatableExample(definition),
    },
    refusals: ['validation_failed', ...(isPlanLimited(name) ? ['plan_limit_reached' as const] : [])],
    refused: {
      validation_failed: () => invalidFields(checkBody(definition, refusedExample(definition), null).problems),
      plan_limit_reached: () => planReached(name),
    },
    answer: createdResponse(definition),
    otherAnswers: { 200: preview(definition) },
    collection: inCollection('makes', {
      sends: ['Idempotency-Key'],
      offers: ['X-Dry-Run'],
      title: `A new ${one} has an id`,
      checks: [
        "pm.expect(data).to.have.all.keys('id', 'created', 'dry_run')",
        'pm.expect(data.created).to.equal(true)',
        `pm.expect(pm.response.headers.get('Location')).to.equal('${path}/' + data.id)`,
        `pm.collectionVariables.set('${idVariable(definition)}', data.id)`,
      ],
    }),
  }
}

/** Both responses have one type, because generators read one type for all successes. */
const createdResponse = (definition: Definition): ResponseSpec => ({
  description: `The ${definition.one} exists now, and has this id.`,
  headers: [...writeHeaders, 'PreferenceApplied', 'Location', 'ETag'],
  schema: `${schemaName(definition)}CreatedEnvelope`,
  examples: {
    created: {
      summary: 'Created',
      description: 'A retry with the same Idempotency-Key gets the same answer.',
      value: { data: { id: exampleId, created: true, dry_run: false } },
    },
  },
})

const preview = (definition: Definition): ResponseSpec => ({
  description: 'Of a dry-run: nothing is wrong with the body, and nothing was written.',
  headers: ['RequestId', ...rateHeaders],
  schema: `${schemaName(definition)}CreatedEnvelope`,
  examples: {
    dry_run: {
      summary: 'Dry-run',
      description: 'There is no record, so there is no id. The plan says what it would be.',
      value: { data: { id: null, created: false, dry_run: true }, plan: planExample(definition, 'created') },
    },
  },
})

function planReached(name: string): Refusal {
  const limit = planLimit(planNames[0] as SubscriptionPlan, name) ?? 0
  return planIsFull(name, limit, limit)
}
