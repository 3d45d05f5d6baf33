import type { ConsoleOperation } from '#derive/console/operation.ts'
import { type ConsoleOperationName, consoleOperations, consoleRoot } from '#derive/console/operations.ts'
import { type DataRoute, dataRoutesOf } from '#derive/routes.ts'
import type { Definition } from '#registry/definition.ts'
import { permission } from '#registry/permissions.ts'
import { registry } from '#registry/records/index.ts'
import type { ConsoleRoute } from './asked.ts'
import { withEveryFilter } from './read-listing.ts'

const operations = Object.entries(consoleOperations) as [ConsoleOperationName, ConsoleOperation][]

/** All that the web interface asks of the service: the list of its operations, those on records for every kind. */
export const routes: readonly ConsoleRoute[] = operations.flatMap(([operation, { needs, path: place, ...rest }]) =>
  typeof needs === 'string'
    ? { ...rest, path: consoleRoot + place, id: operation, operation, needs }
    : registry.map((definition): ConsoleRoute => {
        const path = consoleRoot + place.replace('{records}', definition.name)
        return {
          ...rest,
          id: operation.replace('records', definition.name),
          operation,
          path,
          needs: permission(definition.name, needs.records),
          records: { ...asOfV1(definition, operation), path },
        }
      }),
)

/**
 * The route of /v1 whose parameters, body and work an operation shares; an export and a history are like a list. As if every
 * kind were served there: no add-on closes the interface.
 */
function asOfV1(definition: Definition, operation: ConsoleOperationName): DataRoute {
  const all = dataRoutesOf([withEveryFilter({ ...definition, served: { addOn: 'api' } })])
  return all.find((route) => operation === `records.${route.operation}`) ?? (all[0] as DataRoute)
}
