import type { Definition } from '#registry/definition.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { deprecationWords } from '../deprecation.ts'
import type { PathParameter } from '../operations/operation.ts'
import type { DataRoute, DocumentRoute } from '../routes.ts'
import { neededFor } from '../words.ts'
import { refTo } from './envelopes.ts'
import { choiceRef, listRef } from './fields.ts'
import { headerParameters, headersOf } from './headers.ts'
import { documentResponses, responsesOf } from './responses.ts'

/** A call with a token: what it does, what it takes and everything it may answer. */
export function dataOperation(route: DataRoute, errorsPage: string): JsonObject {
  const { body, samples } = route
  return {
    operationId: route.id,
    tags: [route.section.name],
    summary: route.summary,
    description: descriptionOf(route),
    security: [{ bearer: [] }],
    ...(route.scope === null ? {} : { 'x-required-scope': route.scope as Json }),
    'x-add-on': route.addOn,
    ...(samples.length > 0 ? { 'x-codeSamples': [...samples] } : {}),
    parameters: [...route.pathParameters.map(pathParameter), ...queryParameters(route), ...headerParameters(route)],
    ...(body && {
      requestBody: {
        description: body.description,
        required: true,
        content: Object.fromEntries(
          body.types.map((type) => [type, { schema: refTo('schemas', body.schema), examples: body.examples }]),
        ),
      },
    }),
    ...(route.deprecated ? { deprecated: true } : {}),
    responses: responsesOf(route, errorsPage),
  }
}

/** A document about this API. It needs no token and is not counted. */
export function publicOperation({ id, section, summary, type, deprecated }: DocumentRoute): JsonObject {
  const mediaType = type.split(';')[0] as string
  const schema = mediaType === 'application/json' ? refTo('schemas', 'Document') : { type: 'string' }
  const headers = headersOf(['RequestId', 'ETag', 'AllowOrigin'])
  return {
    operationId: id,
    tags: [section.name],
    summary,
    description: `${deprecated ? `${deprecationWords(deprecated)}\n\n` : ''}${summary}. It is made from the routes that are served.`,
    ...(deprecated ? { deprecated: true } : {}),
    security: [],
    responses: {
      200: { description: 'The document.', headers, content: { [mediaType]: { schema } } },
      304: { description: 'The document is still the one that If-None-Match names. There is no body.', headers },
      ...documentResponses(),
    },
  }
}

/** What the documents about the API are made of. */
export const documentSchemas: JsonObject = {
  Document: { type: 'object', description: 'A document in a format of its own.', additionalProperties: true },
}

/** What it does and needs, in Markdown. */
export const descriptionOf = (route: DataRoute): string =>
  [
    ...(route.deprecated ? [deprecationWords(route.deprecated)] : []),
    ...route.description,
    neededFor(route.scopes, route.addOn),
  ].join('\n\n')

function pathParameter({ name, is }: PathParameter): JsonObject {
  if (typeof is === 'string') return refTo('parameters', is)
  const { about, schema, example } = is
  return { name, in: 'path', required: true, description: about, schema: schema as JsonObject, example }
}

/** Examples are shown and not sent: on the reference page a call is tried with what its reader ticks. */
function queryParameters({ definition, parameters, body }: DataRoute): JsonObject[] {
  const names = Object.keys(body?.examples ?? { default: null })
  return parameters.map(({ name, about, schema, example }) => ({
    name,
    in: 'query',
    description: about,
    ...(schema.type === 'array' ? { style: 'form', explode: false } : {}),
    schema: typed(definition, name, schema as JsonObject),
    examples: Object.fromEntries(
      names.map((each) => [each, { summary: `${name}=${example}`, value: example as Json, 'x-disabled': true }]),
    ),
  }))
}

/** The same by the name of its type, where it has one. */
function typed(definition: Definition | undefined, name: string, schema: JsonObject): JsonObject {
  if (!definition) return schema
  if (name === 'fields' || name === 'sort') return { ...schema, items: listRef(definition, name) }
  const isChoice = definition.filters.includes(name) && definition.fields[name]?.kind === 'choice'
  return isChoice ? choiceRef(definition, name) : schema
}
