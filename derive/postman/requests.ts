import type { Json, JsonObject } from '#registry/json.ts'
import { repeatableExample, updateExamples } from '../examples.ts'
import { parametersOf } from '../parameters.ts'
import type { DataRoute, PublicRoute } from '../routes.ts'
import { idVariable, tagVariable } from './scripts.ts'

/** A request that can be sent as it stands; what it can do without is there and switched off. */
export function request(route: DataRoute, preview?: 'preview'): JsonObject {
  const body = bodyOf(route)
  return {
    method: route.method,
    header: [...(body ? [{ key: 'Content-Type', value: 'application/json' }] : []), ...headersOf(route, preview)],
    ...(body
      ? { body: { mode: 'raw', raw: JSON.stringify(body, null, 2), options: { raw: { language: 'json' } } } }
      : {}),
    url: { ...urlOf(route.path), query: queryOf(route), ...pathVariables(route) },
  }
}

export const publicRequest = ({ method, path, about }: PublicRoute): JsonObject => ({
  method,
  header: [],
  url: urlOf(path),
  description: { content: about, type: 'text/markdown' },
})

/** Postman writes `:id` for a variable of the path. */
function urlOf(path: string): JsonObject {
  const segments = path.slice(1).replace('{id}', ':id').split('/')
  return { raw: `{{baseUrl}}/${segments.join('/')}`, host: ['{{baseUrl}}'], path: segments }
}

const pathVariables = ({ path, definition }: DataRoute): JsonObject =>
  path.includes('{id}')
    ? {
        variable: [
          {
            key: 'id',
            value: `{{${idVariable(definition)}}}`,
            description: `Id of the ${definition.one}; create sets it.`,
          },
        ],
      }
    : {}

const queryOf = (route: DataRoute): JsonObject[] =>
  parametersOf(route).map(({ name, about, example }) => ({
    key: name,
    value: String(example),
    description: about,
    disabled: true,
  }))

function headersOf({ operation, definition }: DataRoute, preview?: 'preview'): JsonObject[] {
  const tag = `{{${tagVariable(definition)}}}`
  const off = { disabled: true }
  const ifNoneMatch = {
    key: 'If-None-Match',
    value: tag,
    description: 'Answers 304 while nothing has changed.',
    ...off,
  }
  const ifMatch = { key: 'If-Match', value: tag, description: 'Answers 412 where somebody else changed it.', ...off }
  const dryRun = { key: 'X-Dry-Run', value: '1', description: 'Checks everything, writes nothing.' }
  const key = { key: 'Idempotency-Key', value: '{{$guid}}', description: 'At most once a key; repeat it to retry.' }
  switch (operation) {
    case 'list':
      return []
    case 'fetch':
      return [ifNoneMatch]
    case 'create':
      return [key, { ...dryRun, ...off }]
    case 'update':
      return [{ ...key, ...off }, { ...dryRun, ...off }, ifMatch]
    case 'delete':
      return preview ? [dryRun, ifMatch] : [{ ...key, ...off }, { ...dryRun, ...off }, ifMatch]
  }
}

function bodyOf({ operation, definition }: DataRoute): Json | undefined {
  if (operation === 'create') return repeatableExample(definition)
  if (operation === 'update') return updateExamples(definition).change?.value
  return undefined
}
