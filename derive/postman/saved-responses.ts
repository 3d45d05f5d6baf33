import type { Json, JsonObject } from '#registry/json.ts'
import { type RefusalCode, refusals } from '#registry/refusals.ts'
import { phrases, problemExample } from '../openapi/problems.ts'
import type { DataRoute } from '../routes.ts'

/**
 * Returns the responses saved with a request: all successes of the OpenAPI document, and the refusals that a program
 * has to handle.
 */
export function answersOf(route: DataRoute, request: JsonObject, errorsPage: string): JsonObject[] {
  const { success, answer, otherAnswers } = route
  const answers: DataRoute['otherAnswers'] = { [success]: answer, ...otherAnswers }
  const went = Object.entries(answers).flatMap(([status, { examples }]) =>
    Object.values(examples).map(({ summary: name, value }) =>
      saveResponse(request, { name, code: Number(status), type: 'application/json', value }),
    ),
  )
  const refused = route.refusals
    .filter((code) => reckonedWith.includes(code))
    .map((code) => {
      const { value } = problemExample(code, route, errorsPage)
      const { title: name, status } = refusals[code]
      return saveResponse(request, { name, code: status, type: 'application/problem+json', value })
    })
  return [...went, ...refused]
}

type SavedResponse = { name: string; code: number; type: string; value: Json }

const saveResponse = (request: JsonObject, { name, code, type, value }: SavedResponse): JsonObject => ({
  name,
  originalRequest: request,
  status: phrases[code] ?? '',
  code,
  _postman_previewlanguage: 'json',
  header: [{ key: 'Content-Type', value: `${type}; charset=utf-8` }],
  cookie: [],
  body: JSON.stringify(value, null, 2),
})

const reckonedWith: readonly RefusalCode[] = [
  ...(['unauthorized', 'insufficient_scope', 'not_found', 'precondition_failed', 'idempotency_key_reuse'] as const),
  ...(['validation_failed', 'plan_limit_reached', 'delete_blocked'] as const),
]
