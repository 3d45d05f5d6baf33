import { routes } from '#derive/routes.ts'
import type { Definition } from '#registry/definition.ts'
import { type Registry, registry } from '#registry/resources/index.ts'

/** The registry as it is, and as it might be one day. */

export const base = 'https://erp.plumbline.test'
export const about = { base, version: '0.0.0' }
export const served = routes(registry)

/** Projects with one more field, which can be searched, filtered and sorted by. */
export const withColour: Registry = registry.map(
  (definition): Definition =>
    definition.name === 'projects'
      ? {
          ...definition,
          fields: {
            ...definition.fields,
            colour: { kind: 'choice', values: ['RED', 'GREEN'], about: 'Colour on the wall chart.' },
          },
          search: [...definition.search, 'colour'],
          filters: [...definition.filters, 'colour'],
        }
      : definition,
)

/** Time entries with routes of their own at /v1. */
export const withTimeEntries: Registry = registry.map(
  (definition): Definition =>
    definition.name === 'time_entries' ? { ...definition, served: { addOn: 'api' } } : definition,
)
