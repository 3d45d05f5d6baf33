import { isBusinessDocument, isLookup } from '#derive/form/relations.ts'
import type { Definition } from '#registry/definition.ts'
import { registry } from '#registry/resources/index.ts'

/** The resources with pages, in the order of the registry. */
export const servedDefinitions: readonly Definition[] = registry.filter((definition) => definition.served)
export const businessDocuments: readonly Definition[] = registry.filter(isBusinessDocument)
export const lists: readonly Definition[] = registry.filter(isLookup)

/** Returns the address of the list of a resource. */
export const listPath = (resource: string, filter?: object): string =>
  filter ? `/${resource}?filter=${encodeURIComponent(JSON.stringify(filter))}` : `/${resource}`
export const createPath = (resource: string): string => `/${resource}/create`
export const pathOf = (resource: string, id: number | string): string => `/${resource}/${encodeURIComponent(id)}/show`
export const editPath = (resource: string, id: number | string): string => `/${resource}/${encodeURIComponent(id)}`
export const paperPath = (resource: string, id: number | string): string => `/paper/${resource}/${id}`
export const importPath = (resource: string): string => `/import/${resource}`

/** The addresses of the agents' previews and of one preview. */
export const agentsPath = '/agents'
export const agentPreviewPath = (id: string): string => `${agentsPath}/${encodeURIComponent(id)}`
