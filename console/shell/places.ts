import { isBusinessDocument, isLookup } from '#derive/form/relations.ts'
import type { Definition } from '#registry/definition.ts'
import { registry } from '#registry/resources/index.ts'

/** Where one can go: resources in the order of the registry. */
export const servedDefinitions: readonly Definition[] = registry.filter((definition) => definition.served)
export const businessDocuments: readonly Definition[] = registry.filter(isBusinessDocument)
export const lists: readonly Definition[] = registry.filter(isLookup)
