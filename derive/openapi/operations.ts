import type { Definition } from '#registry/definition.ts'
import { choiceOf } from '#registry/fields/index.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { deprecationWords } from '../deprecation.ts'
import type { PathParameter } from '../operations/operation.ts'
import { samplesOf } from '../operations/samples.ts'
import type { Parameter } from '../parameters.ts'
import { type DataRoute, type DocumentRoute, isWrite } from '../routes.ts'
import { isInView, refTo, type View } from '../schemas/envelopes.ts'
import { headersOf, parameterComponents } from '../schemas/headers.ts'
import { capital, neededFor, pascal } from '../words.ts'
import { choiceRef, listRef } from './fields.ts'
import { documentResponses, responsesOf } from './responses.ts'
import { type OperationParts, type Part, partOf } from './sharing.ts'

/** Returns a call with a token: its description, parameters and all responses. */
export function dataOperation(route: DataRoute, view: View, links: readonly string[]): OperationParts {
  const { body } = route
  const said: JsonObject = {
    operationId: route.id,
    tags: [route.section.name],
    summary: route.summary,
    description: descriptionOf(route),
    ...(route.scope === null ? {} : { 'x-required-scope': route.scope as Json }),
    'x-add-on': route.addOn,
    ...(view === 'all' ? { 'x-codeSamples': samplesOf(route) } : {}),
    ...(body && {
      requestBody: {
        description: body.description,
        required: true,
        content: Object.fromEntries(
          body.types.map((type) => [type, { schema: refTo(body.schema), examples: body.examples }]),
        ),
      },
    }),
    ...(route.deprecated ? { deprecated: true } : {}),
  }
  const parameters = [...route.pathParameters.map(pathParameter), ...queryParameters(route, view)]
  return {
    said,
    parameters: [...parameters.map(parameterPart), ...headerParameters(route).map(parameterPart)],
    responses: responsesOf(route, links),
  }
}

const parameterPart = (parameter: JsonObject): Part =>
  partOf('parameters', `${capital(parameter.in as string)}${pascal(parameter.name as string)}`, parameter)

/** Returns a document about this API. It needs no token and is not counted. */
export function publicOperation({ id, section, summary, type, deprecated }: DocumentRoute): OperationParts {
  const mediaType = type.split(';')[0] as string
  const schema = mediaType === 'application/json' ? refTo('Document') : { type: 'string' }
  const headers = headersOf(['RequestId', 'ETag', 'AllowOrigin'])
  const said: JsonObject = {
    operationId: id,
    tags: [section.name],
    summary,
    description: `${deprecated ? `${deprecationWords(deprecated)}\n\n` : ''}${summary}. It is made from the routes that are served.`,
    ...(deprecated ? { deprecated: true } : {}),
    security: [],
  }
  const found = { description: 'The document.', headers, content: { [mediaType]: { schema } } }
  const same = {
    description: 'The document is still the one that If-None-Match names. There is no body.',
    headers,
  }
  return { said, parameters: [], responses: documentResponses(found, same) }
}

/** The schemas of the documents about the API. */
export const documentSchemas: JsonObject = {
  Document: { type: 'object', description: 'A document in a format of its own.', additionalProperties: true },
}

/** Returns the description and the needs of an operation, in Markdown. */
export const descriptionOf = (route: DataRoute): string =>
  [
    ...(route.deprecated ? [deprecationWords(route.deprecated)] : []),
    ...route.description,
    neededFor(route.scopes, route.addOn),
  ].join('\n\n')

function pathParameter({ name, is }: PathParameter): JsonObject {
  if (typeof is === 'string') return parameterComponents[is]
  const { about, schema, example } = is
  return { name, in: 'path', required: true, description: about, schema: schema as JsonObject, example }
}

/** Examples are shown and not sent: the reference page sends only the parameters that its reader ticks. */
function queryParameters({ definition, parameters, body }: DataRoute, view: View): JsonObject[] {
  const names = Object.keys(body?.examples ?? { default: null })
  const shown = parameters.filter(({ name }) => isInView(view, name))
  return shown.map((parameter) => {
    const { name, about, schema, example } = parameter
    const unsent = { value: example as Json, 'x-disabled': true }
    return {
      name,
      in: 'query',
      description: about,
      ...(schema.type === 'array' ? { style: 'form', explode: false } : {}),
      schema: referToType(definition, parameter),
      examples: Object.fromEntries(names.map((each) => [each, unsent])),
    }
  })
}

function referToType(definition: Definition | undefined, parameter: Parameter): JsonObject {
  const { name, field } = parameter
  const schema = parameter.schema as JsonObject
  if (!definition) return schema
  if (name === 'fields' || name === 'sort') return { ...schema, items: listRef(definition, name) }
  if (field === undefined || !choiceOf(definition.fields[field])) return schema
  const choice = choiceRef(definition, field)
  return schema.type === 'array' ? { ...schema, items: choice } : choice
}

function headerParameters(route: DataRoute): JsonObject[] {
  const names: (keyof typeof parameterComponents)[] = [
    ...(isWrite(route) ? ['IdempotencyKey' as const, 'DryRun' as const, 'IfPlan' as const] : []),
    ...(route.represents ? ['Prefer' as const] : []),
    ...(route.conditional ? ['IfMatch' as const, 'IfNoneMatch' as const] : []),
  ]
  return names.map((name) => parameterComponents[name])
}
