import type { JsonObject } from '#registry/json.ts'
import { type DocumentOptions, errorsPath, sectionsOf } from './openapi.ts'
import { folder } from './postman/folders.ts'
import type { Route } from './routes.ts'

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
