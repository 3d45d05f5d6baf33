import type { JsonObject } from '#registry/json.ts'
import { descriptionOf } from '../openapi/operations.ts'
import type { Collection, CollectionRequest } from '../operations/collection.ts'
import type { Section } from '../operations/operation.ts'
import { type DataRoute, type DocumentRoute, isDataRoute, type Route } from '../routes.ts'
import { publicRequest, request } from './requests.ts'
import { answersOf } from './saved-responses.ts'

/** Returns the calls of a section, ordered so that each finds the result of the one before. */
export function folder({ name, about }: Section, routes: readonly Route[], errorsPage: string): JsonObject {
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
  const sent = request(route, each)
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
  request: publicRequest(route),
  response: [],
})

const test = (title: string, lines: readonly string[]): JsonObject => ({
  listen: 'test',
  script: {
    type: 'text/javascript',
    exec: [`pm.test('${title}', () => {`, ...lines.map((line) => `  ${line}`), '})'],
  },
})
