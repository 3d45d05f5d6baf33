import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { memoize } from '#registry/memoize.ts'
import { keepBytes } from './json-bytes.ts'
import { guide, tokenForm } from './openapi/guide.ts'
import { linkComponents, linksFrom } from './openapi/links.ts'
import { dataOperation, documentSchemas, publicOperation } from './openapi/operations.ts'
import { problemExamples, problemSchemas } from './openapi/problems.ts'
import { recordSchemas } from './openapi/records.ts'
import { shareParts } from './openapi/sharing.ts'
import { webhookParameters, webhookSchemas, webhooks } from './openapi/webhooks.ts'
import type { Section } from './operations/operation.ts'
import { type DataRoute, type DocumentRoute, isDataRoute, type Route } from './routes.ts'
import { envelopeSchemas, type View } from './schemas/envelopes.ts'
import { headerComponents } from './schemas/headers.ts'
import { planSchemas } from './schemas/plan.ts'

export type DocumentOptions = {
  /** The address under which the caller reached the service. */
  base: string
  version: string
  /** The address of the errors page, in the `type` of refusals. */
  errorsPage?: string
  view?: View
}

/** The path of the errors page on this service. */
export const errorsPath = '/docs/errors'

/** Returns the served routes as an OpenAPI 3.1 document. Spec, Versioning 2. */
export function openapi(
  routes: readonly Route[],
  { base, version, errorsPage = errorsPath, view = 'all' }: DocumentOptions,
): JsonObject {
  const dataRoutes = routes.filter(isDataRoute)
  const definitions = definitionsOf(dataRoutes)
  // Absolute, because the document is read elsewhere than where it is served.
  const errors = new URL(errorsPage, base).href
  const { paths, components } = operationsIn(routes, view)
  // A webhook message contains a change of the feed.
  const hasChanges = dataRoutes.some(({ schemas }) => 'Change' in schemas)
  const hasWebhooks = hasChanges && view === 'all'
  return {
    openapi: '3.1.1',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: {
      title: 'Plumbline API',
      version,
      summary: 'The records of a contractor, over HTTP and JSON.',
      description: guide(definitions, errors),
      contact: { name: 'Whoever runs this service', url: base },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    externalDocs: { url: errors, description: 'Every refusal by its code, and what to do about it.' },
    servers: [{ url: base, description: 'The address under which this document was asked for.', 'x-internal': false }],
    security: [{ bearer: [] }],
    tags: sectionsOf(routes).map(({ name, about, remarks = [] }) => ({
      name,
      description: [about, ...remarks].join(' '),
    })),
    paths,
    ...(hasWebhooks ? { webhooks: webhooks() } : {}),
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: tokenForm,
          description: 'The active token of the company, from Settings, API. Each operation names the scope it needs.',
        },
      },
      responses: components.responses,
      parameters: { ...components.parameters, ...(hasWebhooks ? webhookParameters : {}) },
      headers: headerComponents(),
      links: linkComponents(dataRoutes),
      schemas: {
        ...Object.assign({}, ...definitions.map((definition) => schemasOf(definition, view))),
        ...envelopeSchemas(definitions),
        ...planSchemas,
        ...problemSchemas(dataRoutes),
        ...Object.assign({}, ...dataRoutes.map(({ schemas }) => schemas)),
        ...(hasChanges ? webhookSchemas : {}),
        ...documentSchemas,
      },
      examples: { ...components.examples, ...problemExamples(dataRoutes, errorsPage) },
    },
  }
}

/** Parts of one route or definition are cached with it; the document is assembled each time. */
const operationOf = memoize((route: DataRoute, view: View, links: string) =>
  dataOperation(route, view, links === '' ? [] : links.split(',')),
)
const documentOf = memoize((route: DocumentRoute) => publicOperation(route))
const schemasOf = memoize((definition: Definition, view: View): JsonObject => {
  const schemas = recordSchemas(definition, view)
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, keepBytes(schema as JsonObject)]))
})

/** Returns the sections of the documents, in the order of the routes. */
export function sectionsOf(routes: readonly Route[]): Section[] {
  const byName = Map.groupBy(routes, ({ section }) => section.name)
  return [...byName.values()].flatMap(([first]) => first?.section ?? [])
}

const definitionsOf = (routes: readonly DataRoute[]): Definition[] => [
  ...new Set(routes.flatMap(({ definition }) => definition ?? [])),
]

function operationsIn(routes: readonly Route[], view: View) {
  const dataRoutes = routes.filter(isDataRoute)
  const { operations, components } = shareParts(
    routes.map((route) =>
      isDataRoute(route) ? operationOf(route, view, linksFrom(route, dataRoutes).join()) : documentOf(route),
    ),
  )
  const paths: { [path: string]: JsonObject } = {}
  for (const [at, { path, method }] of routes.entries()) {
    paths[path] = { ...paths[path], [method.toLowerCase()]: operations[at] as JsonObject }
  }
  return { paths, components }
}
