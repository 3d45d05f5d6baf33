import { isBusinessDocument, isLookup } from '#derive/form/relations.ts'
import type { Definition } from '#registry/definition.ts'
import { registry } from '#registry/resources/index.ts'

/** Where one can go: resources in the order of the registry. */
export const servedDefinitions: readonly Definition[] = registry.filter((definition) => definition.served)
export const businessDocuments: readonly Definition[] = registry.filter(isBusinessDocument)
export const lists: readonly Definition[] = registry.filter(isLookup)

/** Where records are in this interface. */
export const listPath = (resource: string, filter?: object): string =>
  filter ? `/${resource}?filter=${encodeURIComponent(JSON.stringify(filter))}` : `/${resource}`
export const createPath = (resource: string): string => `/${resource}/create`
export const pathOf = (resource: string, id: number | string): string => `/${resource}/${id}/show`
export const editPath = (resource: string, id: number | string): string => `/${resource}/${id}`
export const importPath = (resource: string): string => `/import/${resource}`

/** Where what agents ask for is, and one of it. */
export const agentsPath = '/agents'
export const agentPreviewPath = (id: string): string => `${agentsPath}/${id}`
