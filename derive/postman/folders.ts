import type { Definition, Operation } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { descriptionOf, summaryOf } from '../openapi/operations.ts'
import { type DataRoute, isDataRoute, type PublicRoute, type Route } from '../routes.ts'
import { documentsTag, labelOf } from '../words.ts'
import { answersOf } from './answers.ts'
import { publicRequest, request } from './requests.ts'
import { checks, publicChecks } from './scripts.ts'

/** The calls of a resource, in an order in which each finds what the one before it left. */
export function dataFolder(definition: Definition, routes: readonly DataRoute[], errorsPage: string): JsonObject {
  const ordered = order.flatMap((operation) => routes.filter((route) => route.operation === operation))
  return {
    name: labelOf(definition),
    description: { content: definition.about, type: 'text/markdown' },
    item: ordered.flatMap((route) =>
      route.operation === 'delete'
        ? [item(route, errorsPage, 'preview'), item(route, errorsPage)]
        : [item(route, errorsPage)],
    ),
  }
}

/** The documents about the API, which need no token. */
export const publicFolder = (routes: readonly Route[]): JsonObject => ({
  name: documentsTag.name,
  description: { content: documentsTag.about, type: 'text/markdown' },
  auth: { type: 'noauth' },
  item: routes
    .filter((route): route is PublicRoute => !isDataRoute(route))
    .map((route) => ({
      name: route.about.replace(/\.$/, ''),
      event: [test(publicChecks(route))],
      request: publicRequest(route),
      response: [],
    })),
})

const order: Operation[] = ['create', 'list', 'fetch', 'update', 'delete']

function item(route: DataRoute, errorsPage: string, preview?: 'preview'): JsonObject {
  const sent = request(route, preview)
  return {
    name: summaryOf(route) + (preview ? ', preview' : ''),
    event: [test(checks(route, preview))],
    request: { ...sent, description: { content: descriptionOf(route), type: 'text/markdown' } },
    response: answersOf(route, sent, errorsPage),
  }
}

const test = (lines: string[]): JsonObject => ({ listen: 'test', script: { type: 'text/javascript', exec: lines } })
