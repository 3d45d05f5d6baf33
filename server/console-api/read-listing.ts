import { readListing, readPairs } from '#derive/query.ts'
import type { ResourceRoute } from '#derive/routes.ts'
import { rightsOfQuery } from '#derive/visible.ts'
import type { Definition } from '#registry/definition.ts'
import { kindOf } from '#registry/fields/index.ts'
import type { ListRequest } from '#registry/listing.ts'
import type { Actor } from '../records/actor.ts'
import { needFieldRights } from '../records/rights.ts'

/** What the lists of the console take: the parameters of /v1 for every field, and several values where one can be. */
export function readConsoleListing(
  query: string,
  route: ResourceRoute,
  actor: Actor,
  paging: 'page' | 'everything' = 'page',
): ListRequest {
  const { definition } = route
  needFieldRights(actor, rightsOfQuery(definition, query))
  const known = route.parameterNames.filter((name) => paging === 'page' || !['limit', 'offset'].includes(name))
  const pairs = readPairs(query, known, `${route.method} ${route.path}`)
  for (const [name, value] of pairs) {
    if (!value.includes(',') || !known.includes(`${name}_in`)) continue
    pairs.delete(name)
    pairs.set(`${name}_in`, value)
  }
  return readListing(pairs, definition)
}

/** Every field that can be compared by equality; each reference, choice of a state and flag has its index anyway. */
export const withEveryFilter = (definition: Definition): Definition => ({
  ...definition,
  filters: Object.entries(definition.fields).flatMap(([name, field]) =>
    ['one', 'several'].includes(kindOf(field).filter ?? '') ? [name] : [],
  ),
})
