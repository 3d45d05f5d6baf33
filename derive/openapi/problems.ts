import { addOns } from '#registry/add-ons.ts'
import { fieldCodes } from '#registry/field-codes.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { type Plan, planLimit, planNames } from '#registry/plans.ts'
import { invalidFields, problemBody, Refusal, type RefusalCode, refusals } from '#registry/refusals.ts'
import { refusedExample, strangeName } from '../examples.ts'
import { checkBody } from '../input.ts'
import { readDryRun, readFields, readListing, readQuery } from '../parameters.ts'
import type { DataRoute } from '../routes.ts'
import { plain } from '../words.ts'
import { exactly, refTo } from './envelopes.ts'

/** Refusals: the schema of their body, and for each an example that the service's own code has made. */

export function problemSchemas(routes: readonly DataRoute[]): JsonObject {
  const statuses = [...new Set(Object.values(refusals).map(({ status }) => status))]
  const scopes = [...new Set(routes.map(({ scope }) => scope))]
  const required = {
    type: { type: 'string', format: 'uri-reference', description: 'Address of the section that explains the code.' },
    title: { type: 'string', description: 'The refusal in a few words, always the same for a code.' },
    status: { type: 'integer', enum: statuses, description: 'The status of the response.' },
    detail: { type: 'string', description: 'What went wrong here and what to do, for people.' },
    code: {
      type: 'string',
      enum: Object.keys(refusals),
      description: 'The refusal, for programs. Never renamed or reused.',
    },
    request_id: {
      type: 'string',
      format: 'uuid',
      description:
        'The same as in X-Request-Id; in a replay that of the first request, as in Idempotency-Original-Request-Id.',
    },
  }
  return {
    Problem: {
      type: 'object',
      description: 'Why a request was refused (RFC 9457). The members beyond `request_id` come where they apply.',
      properties: {
        ...required,
        errors: {
          type: 'array',
          items: refTo('schemas', 'FieldProblem'),
          description: 'With `validation_failed`: all that is wrong.',
        },
        required_scope: {
          type: 'string',
          enum: scopes,
          description: 'With `insufficient_scope`: the scope that is needed.',
        },
        feature: { type: 'string', enum: [...addOns], description: 'With `feature_off`: the add-on that is missing.' },
        limit: {
          type: 'integer',
          minimum: 0,
          description: 'With `plan_limit_reached`: how many records the plan holds.',
        },
        used: { type: 'integer', minimum: 0, description: 'With `plan_limit_reached`: how many there are.' },
        blocked_by: {
          type: 'array',
          items: refTo('schemas', 'RecordGroup'),
          description: 'With `delete_blocked`: the protected records that refer to this one.',
        },
      },
      required: Object.keys(required),
      additionalProperties: false,
    },
    FieldProblem: exactly(
      {
        field: { type: 'string', description: 'The field, as in `lines[2].quantity`; empty for the body as a whole.' },
        code: {
          type: 'string',
          enum: Object.keys(fieldCodes),
          description: Object.entries(fieldCodes)
            .map(([code, meaning]) => `- \`${code}\`: ${meaning}`)
            .join('\n'),
        },
        message: { type: 'string', description: 'What is wrong, to be read after the name of the field.' },
      },
      'What is wrong with one field.',
    ),
  }
}

/** The examples of refusals that read the same on every route. */
export function sharedProblemExamples(routes: readonly DataRoute[], errorsPage: string): JsonObject {
  const used = new Set(routes.flatMap((route) => route.refusals))
  const shared = [...used].filter((code) => !(code in ofRoute))
  return Object.fromEntries(shared.map((code) => [code, exampleOf(ofAll[code]?.() ?? new Refusal(code), errorsPage)]))
}

/** One named example a code. */
export const problemExamples = (codes: readonly RefusalCode[], route: DataRoute, errorsPage: string): JsonObject =>
  Object.fromEntries(
    codes.map((code): [string, Json] => {
      const make = ofRoute[code]
      return [code, make ? exampleOf(make(route), errorsPage) : refTo('examples', code)]
    }),
  )

/** The request that the examples are about. */
export const requestId = 'b7c0ce2e-4d37-4f2f-9a7b-0f1d5c0a5d11'

const exampleOf = (refusal: Refusal, errorsPage: string): JsonObject => ({
  summary: refusals[refusal.code].title,
  value: problemBody(refusal, requestId, errorsPage) as JsonObject,
})

/** Refusals with more to say than their advice. */
const ofAll: { readonly [code in RefusalCode]?: () => Refusal } = {
  invalid_header: () => new Refusal('invalid_header', { detail: 'authorization is given 2 times; send it once.' }),
  invalid_dry_run: () => refusalOf(() => readDryRun('yes', 'X-Dry-Run')),
  malformed_json: () => new Refusal('malformed_json', { detail: 'The body has the member "name" twice.' }),
}

/** Refusals that differ from route to route. */
const ofRoute: { readonly [code in RefusalCode]?: (route: DataRoute) => Refusal } = {
  insufficient_scope: ({ scope }) => new Refusal('insufficient_scope', { required_scope: scope }),
  feature_off: ({ addOn }) => new Refusal('feature_off', { feature: addOn }),
  unknown_parameter: (route) => refusalOf(() => readQuery(`${strangeName(route.definition)}=red`, route)),
  invalid_parameter: (route) =>
    refusalOf(() => {
      const { operation, definition } = route
      if (operation === 'list') readListing(new Map([['limit', '0']]), definition)
      else if (operation === 'fetch') readFields(new Map([['fields', strangeName(definition)]]), definition)
      else readQuery('dry_run=1&dry_run=1', route)
    }),
  validation_failed: ({ definition, operation }) =>
    invalidFields(checkBody(definition, refusedExample(definition), operation === 'create' ? null : {}).problems),
  plan_limit_reached: ({ definition: { name } }) => {
    const limit = planLimit(planNames[0] as Plan, name) ?? 0
    const detail = `The plan holds ${limit} ${plain(name)} and ${limit} are in use. Delete some, or move to a larger plan.`
    return new Refusal('plan_limit_reached', { detail, limit, used: limit })
  },
  delete_blocked: ({ definition: { name, one, removal } }) => {
    const related = removal.relations.find(({ blocks, rest }) => blocks || rest === 'blocks')
    const [group, what] =
      removal.protectedWhen || !related
        ? [{ records: name, count: 1, ids: [4711] }, `1 ${one}`]
        : [{ records: related.records, count: 2, ids: [17, 18] }, `2 ${plain(related.records)}`]
    const detail = `The ${one} is protected by history (${what}). Instead, ${removal.instead}.`
    return new Refusal('delete_blocked', { detail, blocked_by: [group] })
  },
}

/** The refusal that the code of the service gives in that case. */
function refusalOf(work: () => unknown): Refusal {
  try {
    work()
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
  throw new Error('an example of a refusal was not refused')
}
