import { isList, isPaper } from '#derive/form/relations.ts'
import type { Definition } from '#registry/definition.ts'
import { registry } from '#registry/records/index.ts'

/** Where one can go: kinds of record in the order of the registry. */
export const served: readonly Definition[] = registry.filter((definition) => definition.served)
export const papers: readonly Definition[] = registry.filter(isPaper)
export const lists: readonly Definition[] = registry.filter(isList)
