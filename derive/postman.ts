import type { Json, JsonObject } from '#registry/json.ts'
import { type RefusalCode, refusals } from '#registry/refusals.ts'
import { descriptionOf } from './openapi/operations.ts'
import { phrases, problemExample } from './openapi/problems.ts'
import { type DocumentOptions, errorsPath, sectionsOf } from './openapi.ts'
import { type Collection, type CollectionHeader, type CollectionRequest, tagVariable } from './operations/collection.ts'
import type { Section } from './operations/operation.ts'
import { colonPath, type DataRoute, type DocumentRoute, isDataRoute, type Route } from './routes.ts'

/**
 * Returns the served routes as a Postman collection, format v2.1. As a whole it creates, reads, changes and deletes
 * one record of each resource, and checks every response. Spec, Versioning 2.
 */
export function postman(
  routes: readonly Route[],
  { base, version, errorsPage = errorsPath }: DocumentOptions,
): JsonObject {
  return {
    info: {
      name: 'Plumbline API',
      description: { content: about, type: 'text/markdown' },
      version,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
    variable: [
      {
        key: 'baseUrl',
        value: base,
        type: 'string',
        description: 'Address of the service, without a slash at its end.',
      },
      { key: 'token', value: '', type: 'string', description: 'The active token of the company, from Settings, API.' },
    ],
    item: sectionsOf(routes).map((section) =>
      folder(
        section,
        routes.filter((route) => route.section.name === section.name),
        errorsPage,
      ),
    ),
  }
}

const about = `Set the variable \`token\` to the token of your company, from Settings, API.

Each folder makes a record of its own, works with it and deletes it again, so run a folder from top to bottom, or the whole collection in the Collection Runner or newman. Create keeps the new id in a collection variable, such as \`project_id\`; set that by hand to look at a record you have. Every request checks what it is answered.

Parameters and headers that a request can do without are there and switched off. Each request has examples of its answers, to be read without sending it.`

/** Returns the calls of a section, ordered so that each finds the result of the one before. */
function folder({ name, about }: Section, routes: readonly Route[], errorsPage: string): JsonObject {
  const calls = routes.filter(isDataRoute)
  const documents = routes.filter((route): route is DocumentRoute => !isDataRoute(route))
  const ordered = turns.flatMap((turn) => calls.filter(({ collection }) => collection.turn === turn))
  return {
    name,
    description: { content: about, type: 'text/markdown' },
    ...(calls.length === 0 ? { auth: { type: 'noauth' } } : {}),
    item: [
      ...ordered.flatMap((route) => route.collection.requests.map((each) => item(route, each, errorsPage))),
      ...documents.map(documentItem),
    ],
  }
}

const turns: readonly Collection['turn'][] = ['makes', 'uses', 'removes']

function item(route: DataRoute, each: CollectionRequest, errorsPage: string): JsonObject {
  const sent = requestOf(route, each)
  return {
    name: route.summary + (each.suffix ?? ''),
    event: [
      test(each.title, [
        `pm.response.to.have.status(${route.success})`,
        'const { data } = pm.response.json()',
        ...each.checks,
      ]),
    ],
    request: { ...sent, description: { content: descriptionOf(route), type: 'text/markdown' } },
    response: answersOf(route, sent, errorsPage),
  }
}

/** Needs no token. */
const documentItem = (route: DocumentRoute): JsonObject => ({
  name: route.summary,
  event: [
    test('The document is there', [
      'pm.response.to.have.status(200)',
      `pm.expect(pm.response.headers.get('Content-Type')).to.include('${route.type.split(';')[0]}')`,
      ...route.checks,
    ]),
  ],
  request: {
    method: route.method,
    header: [],
    url: urlOf(route.path),
    description: { content: `${route.summary}.`, type: 'text/markdown' },
  },
  response: [],
})

const test = (title: string, lines: readonly string[]): JsonObject => ({
  listen: 'test',
  script: {
    type: 'text/javascript',
    exec: [`pm.test('${title}', () => {`, ...lines.map((line) => `  ${line}`), '})'],
  },
})

/** Returns a complete request. Optional headers are present and switched off. */
function requestOf(route: DataRoute, { sends = [], offers = [] }: CollectionRequest): JsonObject {
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

/** Returns the responses saved with a request: all successes, and the refusals that a program has to handle. */
function answersOf(route: DataRoute, request: JsonObject, errorsPage: string): JsonObject[] {
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
