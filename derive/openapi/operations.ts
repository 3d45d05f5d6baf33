import type { Json, JsonObject } from '#registry/json.ts'
import { pageSizeDefault } from '#registry/limits.ts'
import { deprecationWords } from '../deprecation.ts'
import { createExamples, type Examples, updateExamples } from '../examples.ts'
import { parametersOf } from '../parameters.ts'
import { bodyTypes, type DataRoute, type PublicRoute } from '../routes.ts'
import { aOne, documentsTag, labelOf, neededFor, plain, planWords, removalWords, schemaName } from '../words.ts'
import { refTo } from './envelopes.ts'
import { choiceRef, listRef } from './fields.ts'
import { headerParameters, headersOf, pathParameters } from './headers.ts'
import { documentResponses, responsesOf } from './responses.ts'
import { samplesOf } from './samples.ts'

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
    ...samplesOf(route),
    parameters: [...pathParameters(route), ...queryParameters(route), ...headerParameters(route)],
    ...requestBody(route),
    ...(route.deprecated ? { deprecated: true } : {}),
    responses: responsesOf(route, errorsPage),
  }
}

/** A document about this API. It needs no token and is not counted. */
export function publicOperation({ id, about, type, deprecated }: PublicRoute): JsonObject {
  const mediaType = type.split(';')[0] as string
  const schema = mediaType === 'application/json' ? refTo('schemas', 'Document') : { type: 'string' }
  const headers = headersOf(['RequestId', 'ETag', 'AllowOrigin'])
  return {
    operationId: id,
    tags: [documentsTag.name],
    summary: about.replace(/\.$/, ''),
    description: `${deprecated ? `${deprecationWords(deprecated)}\n\n` : ''}${about} It is made from the routes that are served.`,
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
      return [
        `Fetches the ${one} as it is now. Its ETag saves the next transfer (\`If-None-Match\`) and guards an update (\`If-Match\`).`,
      ]
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
    ...(schema.type === 'array' ? { style: 'form', explode: false } : {}),
    schema: typed(route, name, schema as JsonObject),
    examples: Object.fromEntries(
      names.map((each) => [each, { summary: `${name}=${example}`, value: example as Json, 'x-disabled': true }]),
    ),
  }))
}

/** The same by the name of its type, where it has one. */
function typed({ definition }: DataRoute, name: string, schema: JsonObject): JsonObject {
  if (name === 'fields' || name === 'sort') return { ...schema, items: listRef(definition, name) }
  const isChoice = definition.filters.includes(name) && definition.fields[name]?.kind === 'choice'
  return isChoice ? choiceRef(definition, name) : schema
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
  const description = isCreate
    ? `The new ${route.definition.one}: \`${route.definition.title}\`, and whatever else is known of it.`
    : 'The members to change, and no others.'
  return { requestBody: { description, required: true, content } }
}
