import type { JsonObject } from '#registry/json.ts'
import { pageSizeDefault } from '#registry/limits.ts'
import { deprecationWords } from '../deprecation.ts'
import { createExamples, type Examples, updateExamples } from '../examples.ts'
import { parametersOf } from '../parameters.ts'
import { bodyTypes, type DataRoute, type PublicRoute } from '../routes.ts'
import { aOne, documentsTag, labelOf, neededFor, plain, planWords, removalWords, schemaName } from '../words.ts'
import { refTo } from './envelopes.ts'
import { headerParameters, headersOf, pathParameters } from './headers.ts'
import { responsesOf } from './responses.ts'

/** An operation on records: what it does, what it takes and everything it may answer. */
export function dataOperation(route: DataRoute, errorsPage: string): JsonObject {
  return {
    operationId: route.id,
    tags: [labelOf(route.definition)],
    summary: summaryOf(route),
    description: descriptionOf(route),
    security: [{ bearer: [] }],
    'x-required-scope': route.scope,
    'x-add-on': route.addOn,
    parameters: [...pathParameters(route), ...queryParameters(route), ...headerParameters(route)],
    ...requestBody(route),
    ...(route.deprecated ? { deprecated: true } : {}),
    responses: responsesOf(route, errorsPage),
  }
}

/** A document about this API. It needs no token and is not counted. */
export function publicOperation({ id, about, type, deprecated }: PublicRoute): JsonObject {
  const mediaType = type.split(';')[0] as string
  const schema = mediaType === 'application/json' ? { type: 'object' } : { type: 'string' }
  const headers = headersOf(['RequestId', 'ETag', 'AllowOrigin'])
  return {
    operationId: id,
    tags: [documentsTag.name],
    summary: about.replace(/\.$/, ''),
    description: `${deprecated ? `${deprecationWords(deprecated)}\n\n` : ''}${about} It is made anew for every request, from the routes that are served.`,
    ...(deprecated ? { deprecated: true } : {}),
    security: [],
    responses: {
      200: {
        description: 'The document.',
        headers,
        content: { [mediaType]: { schema } },
      },
      304: { description: 'The document is still the one that If-None-Match names. There is no body.', headers },
    },
  }
}

export function summaryOf({ operation, definition }: DataRoute): string {
  switch (operation) {
    case 'list':
      return `List ${plain(definition.name)}`
    case 'fetch':
      return `Fetch ${aOne(definition)}`
    case 'create':
      return `Create ${aOne(definition)}`
    case 'update':
      return `Update ${aOne(definition)}`
    case 'delete':
      return `Delete ${aOne(definition)}`
  }
}

/** What it does and needs, in Markdown. */
export const descriptionOf = (route: DataRoute): string =>
  [...(route.deprecated ? [deprecationWords(route.deprecated)] : []), ...sentencesOf(route), neededFor(route)].join(
    '\n\n',
  )

/** What it does, a paragraph each. */
function sentencesOf({ operation, definition }: DataRoute): string[] {
  const { one, name, title } = definition
  const plan = planWords(definition)
  switch (operation) {
    case 'list':
      return [
        `Lists the company’s ${plain(name)}, ${pageSizeDefault} a page unless \`limit\` says otherwise. \`meta.total\` counts all that match, whatever the page. Deleted ones are not listed.`,
      ]
    case 'fetch':
      return [`Fetches one ${one} by its id.`]
    case 'create':
      return [
        `Creates ${aOne(definition)}. Only \`${title}\` is required. The answer has the new id; its path is in \`Location\`.`,
        ...(plan ? [`The plan of the company limits how many ${plain(name)} there can be: ${plan}.`] : []),
        'A dry-run answers 200 with `id` null.',
      ]
    case 'update':
      return [
        `Changes the members that are sent and no others (JSON Merge Patch, RFC 7396). \`null\` clears a field; an array replaces the whole array. The rules are checked on the ${one} as it would be.`,
      ]
    case 'delete':
      return [
        `Deletes ${aOne(definition)}, unless protected history refers to it. A dry-run answers what would happen.`,
        removalList(definition),
      ]
  }
}

const removalList = (definition: DataRoute['definition']): string =>
  removalWords(definition)
    .map((sentence) => `- ${sentence}`)
    .join('\n')

/** Examples are shown and not sent: on the reference page a call is tried with what its reader ticks. */
function queryParameters(route: DataRoute): JsonObject[] {
  const names = Object.keys(bodyExamples(route) ?? { default: null })
  return parametersOf(route).map(({ name, about, schema, example }) => ({
    name,
    in: 'query',
    description: about,
    schema: schema as JsonObject,
    examples: Object.fromEntries(names.map((each) => [each, { value: example, 'x-disabled': true }])),
  }))
}

function bodyExamples({ operation, definition }: DataRoute): Examples | undefined {
  if (operation === 'create') return createExamples(definition)
  return operation === 'update' ? updateExamples(definition) : undefined
}

function requestBody(route: DataRoute): JsonObject {
  const examples = bodyExamples(route)
  if (!examples) return {}
  const isCreate = route.operation === 'create'
  const schema = refTo('schemas', `${schemaName(route.definition)}${isCreate ? 'Create' : 'Update'}`)
  const content = Object.fromEntries(bodyTypes(route.operation).map((type) => [type, { schema, examples }]))
  return { requestBody: { required: true, content } }
}
