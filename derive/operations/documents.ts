import type { DocumentOperation, OwnOperation, Section } from './operation.ts'

/** The documents about the API itself. */

export const openapi = document('openapi.json', {
  summary: 'This API as an OpenAPI 3.1 document',
  type: 'application/json',
  checks: ['pm.expect(pm.response.json().openapi).to.match(/^3\\.1\\./)'],
})

export const openapiClient = document('openapi-client.json', {
  summary: 'The same OpenAPI document for generators of clients, without the parameter `fields`',
  type: 'application/json',
  checks: ['pm.expect(pm.response.json().openapi).to.match(/^3\\.1\\./)'],
})

export const docs = document('docs', {
  summary: 'The reference page, on which every call can be tried',
  type: 'text/html; charset=utf-8',
  checks: [],
})

export const postman = document('postman.json', {
  summary: 'This API as a Postman collection, format v2.1',
  type: 'application/json',
  checks: ["pm.expect(pm.response.json().info.schema).to.include('/v2.1.0/')"],
})

/** At the root of the service, where language models look for it. */
export const llms: OwnOperation<DocumentOperation> = (base) => ({
  ...document('llms.txt', {
    summary: 'This API in a page for language models',
    type: 'text/plain; charset=utf-8',
    checks: ['pm.expect(pm.response.text()).to.match(/^# /)'],
  })(base),
  path: '/llms.txt',
})

function document(
  name: string,
  said: Pick<DocumentOperation, 'summary' | 'type' | 'checks'>,
): OwnOperation<DocumentOperation> {
  const section: Section = {
    name: 'Documents',
    about: 'This API, described. No token is needed, and no call is counted.',
  }
  return (base) => ({ method: 'GET', path: `${base}/${name}`, section, ...said })
}
