import type { JsonObject } from '#registry/json.ts'
import { type CollectionHeader, type CollectionRequest, tagVariable } from '../operations/collection.ts'
import { colonPath, type DataRoute, type DocumentRoute } from '../routes.ts'

/** Returns a complete request. Optional headers are present and switched off. */
export function request(route: DataRoute, { sends = [], offers = [] }: CollectionRequest): JsonObject {
  const { method, path, body, parameters, pathParameters } = route
  return {
    method,
    header: [
      ...(body ? [{ key: 'Content-Type', value: 'application/json' }] : []),
      ...sends.map((name) => header(name, route)),
      ...offers.map((name) => ({ ...header(name, route), disabled: true })),
    ],
    ...(body && {
      body: { mode: 'raw', raw: JSON.stringify(body.sent, null, 2), options: { raw: { language: 'json' } } },
    }),
    url: {
      ...urlOf(path),
      query: parameters.map(({ name, about, example }) => ({
        key: name,
        value: String(example),
        description: about,
        disabled: true,
      })),
      ...(pathParameters.length > 0 && {
        variable: pathParameters.map(({ name, sent }) => ({ key: name, value: sent.value, description: sent.about })),
      }),
    },
  }
}

export const publicRequest = ({ method, path, summary }: DocumentRoute): JsonObject => ({
  method,
  header: [],
  url: urlOf(path),
  description: { content: `${summary}.`, type: 'text/markdown' },
})

/** Postman writes `:id` for a variable of the path. */
function urlOf(path: string): JsonObject {
  const segments = colonPath(path).slice(1).split('/')
  return { raw: `{{baseUrl}}/${segments.join('/')}`, host: ['{{baseUrl}}'], path: segments }
}

function header(key: CollectionHeader, { definition }: DataRoute): { [member: string]: string } {
  const tag = definition ? `{{${tagVariable(definition)}}}` : ''
  const [value, description] = {
    'Idempotency-Key': ['{{$guid}}', 'At most once a key; repeat it to retry.'],
    'X-Dry-Run': ['1', 'Checks everything, writes nothing.'],
    'If-Match': [tag, 'Answers 412 where somebody else changed it.'],
    'If-None-Match': [tag, 'Answers 304 while nothing has changed.'],
  }[key] as [string, string]
  return { key, value, description }
}
