import { apiFieldCodes, fieldCodes } from '#registry/field-codes.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { batchOperationsMax, conflictsMax } from '#registry/limits.ts'
import { fieldPermissions } from '#registry/permissions.ts'
import { problemBody, Refusal, type RefusalCode, refusals } from '#registry/refusals.ts'
import { registry } from '#registry/resources/index.ts'
import { addOns } from '#registry/subscription.ts'
import { requestId, strangeName } from '../examples.ts'
import { refusalOf } from '../operations/record.ts'
import { readDryRun, readQuery } from '../query.ts'
import { givenTwice, memberTwice } from '../refusals.ts'
import { type DataRoute, refusalsUnder, unreadableRefusals } from '../routes.ts'
import {
  answerSchema,
  enumType,
  fieldsMax,
  groups,
  idSchema,
  integer,
  listSchema,
  refTo,
} from '../schemas/envelopes.ts'
import { planExample } from '../schemas/plan.ts'

/** Returns the schema of refusals. The service's own code creates an example of each. */

export function problemSchemas(routes: readonly DataRoute[]): JsonObject {
  const scopes = [...new Set(routes.flatMap((route) => route.scopes))]
  const codes = refusalsUnder(routes)
  const count = (description: string): JsonObject => integer('int32', 0, 2 ** 31 - 1, description)
  return {
    Problem: answerSchema(
      'Why a request was refused (RFC 9457). The members beyond `request_id` come where they apply.',
      {
        type: {
          type: 'string',
          format: 'uri-reference',
          description: 'Address of the section that explains the code.',
        },
        title: { type: 'string', description: 'The refusal in a few words, always the same for a code.' },
        status: integer('int32', 400, 599, 'The status of the response.'),
        detail: { type: 'string', description: 'What went wrong here and what to do, for people.' },
        code: refTo('ProblemCode'),
        request_id: {
          ...{ type: 'string', format: 'uuid' },
          description:
            'The same as in X-Request-Id; in a replay that of the first request, as in Idempotency-Original-Request-Id.',
        },
      },
      {
        errors: {
          type: 'array',
          items: refTo('FieldProblem'),
          description: 'With `validation_failed`: all that is wrong.',
        },
        required_scope: refTo('Scope'),
        feature: refTo('AddOn'),
        limit: count('With `plan_limit_reached`: how many records the plan holds.'),
        used: count('With `plan_limit_reached`: how many there are.'),
        blocked_by: groups(
          'RecordGroup',
          'With `delete_blocked` and `protected`: the protected records that refer to this one, or the record itself.',
        ),
        ...(codes.includes('batch_refused')
          ? {
              refused: listSchema(
                refTo('RefusedOperation'),
                batchOperationsMax,
                'With `batch_refused`: every operation that is refused, in their order.',
              ),
            }
          : {}),
        plan: refTo('WritePlan'),
        conflicts: listSchema(
          refTo('UndoConflict'),
          conflictsMax,
          `With \`undo_conflict\`: what is not as the write left it, the first ${conflictsMax} at most.`,
        ),
      },
    ),
    UndoConflict: answerSchema('A record that is not as a write left it.', {
      records: { type: 'string', maxLength: 63, description: 'The resource.', examples: ['projects'] },
      id: { ...idSchema, description: 'Id of the record.' },
      fields: listSchema(
        { type: 'string', maxLength: 63 },
        fieldsMax(registry),
        'The fields that have changed since, or by which it refers to what would go. None where it is the record as a whole.',
      ),
    }),
    // Each response describes its codes.
    ...enumType('ProblemCode', codes, 'The refusal, for programs. Never renamed or reused.'),
    FieldProblem: answerSchema('What is wrong with one field.', {
      field: { type: 'string', description: 'The field, as in `lines[2].quantity`; empty for the body as a whole.' },
      code: refTo('FieldCode'),
      message: { type: 'string', description: 'What is wrong, to be read after the name of the field.' },
    }),
    ...enumType(
      'FieldCode',
      apiFieldCodes,
      [
        'What is wrong with a field, for programs. Never renamed or reused.',
        '',
        ...apiFieldCodes.map((code) => `- \`${code}\`: ${fieldCodes[code]}`),
      ].join('\n'),
    ),
    ...enumType(
      'Scope',
      [...scopes, ...fieldPermissions],
      'With `insufficient_scope`: the scope that is needed, or the permission that the account of the token needs for a field.',
    ),
    ...enumType('AddOn', addOns, 'With `feature_off`: the add-on that is missing.'),
  }
}

/** Returns one named example a code, of the first route with it. */
export function problemExamples(routes: readonly DataRoute[], errorsPage: string): JsonObject {
  const codes = [...unreadableRefusals, 'internal_error' as const, ...routes.flatMap((route) => route.refusals)]
  return Object.fromEntries(
    [...new Set(codes)].toSorted().map((code): [string, Json] => {
      const route = routes.find(({ refusals }) => refusals.includes(code))
      return [code, route ? problemExample(code, route, errorsPage) : sharedExample(code, errorsPage)]
    }),
  )
}

export function problemExample(code: RefusalCode, route: DataRoute, errorsPage: string): ProblemExample {
  const make = route.refused[code] ?? ofRoute[code]
  return make ? exampleOf(make(route), errorsPage) : sharedExample(code, errorsPage)
}

type ProblemExample = { description: string; value: JsonObject }

const sharedExample = (code: RefusalCode, errorsPage: string): ProblemExample =>
  exampleOf(ofAll[code]?.() ?? new Refusal(code), errorsPage)

/** The advice usually equals `detail`; the title is in it. */
function exampleOf(refusal: Refusal, errorsPage: string): ProblemExample {
  const { when, advice } = refusals[refusal.code]
  const value = problemBody(refusal, requestId, errorsPage) as JsonObject
  return { description: value.detail === advice ? when : `${when} ${advice}`, value }
}

/** Refusals whose example needs more than their advice. */
const ofAll: { readonly [code in RefusalCode]?: () => Refusal } = {
  invalid_header: () => givenTwice('authorization', 2),
  invalid_dry_run: () => refusalOf(() => readDryRun('yes', 'X-Dry-Run')),
  malformed_json: () => memberTwice('name'),
}

/** Refusals whose example depends on the route. */
const ofRoute: { readonly [code in RefusalCode]?: (route: DataRoute) => Refusal } = {
  insufficient_scope: ({ scopes: [scope = ''] }) => new Refusal('insufficient_scope', { required_scope: scope }),
  feature_off: ({ addOn }) => new Refusal('feature_off', { feature: addOn }),
  plan_changed: (route) => new Refusal('plan_changed', { plan: planExample(route.definition, 'updated') }),
  unknown_parameter: (route) => refusalOf(() => readQuery(`${strangeName(route.parameterNames)}=red`, route)),
  invalid_parameter: (route) => {
    const [name] = route.parameterNames
    return refusalOf(() => readQuery(name === undefined ? '%' : `${name}=1&${name}=1`, route))
  },
}

/** The phrases of RFC 9110 for the statuses of responses. */
export const phrases: { readonly [status: number]: string } = {
  200: 'OK',
  201: 'Created',
  304: 'Not Modified',
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  417: 'Expectation Failed',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  503: 'Service Unavailable',
}
