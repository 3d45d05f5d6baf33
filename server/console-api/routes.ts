import type { ConsoleOperation } from '#derive/console/operation.ts'
import { type ConsoleOperationName, consoleOperations, consoleRoot } from '#derive/console/operations.ts'
import { jsonTypes, patchTypes } from '#derive/operations/record.ts'
import { routesOn, type StandardRoutes } from '#derive/routes.ts'
import type { Definition } from '#registry/definition.ts'
import { memoize } from '#registry/memoize.ts'
import { permission } from '#registry/permissions.ts'
import { pictureTypes } from '#registry/picture.ts'
import { registry } from '#registry/resources/index.ts'
import { handlers } from './handlers.ts'
import type { ConsoleRoute, Handler } from './operation-request.ts'
import { withEveryFilter } from './read-parameters.ts'

/** Returns the routes of a resource as /v1 would serve them, at the path of the console, which needs no add-on. */
const asOfV1 = memoize((definition: Definition) =>
  routesOn(withEveryFilter({ ...definition, served: { addOn: 'api' } }), `${consoleRoot}/records`),
)

const operations = Object.entries(consoleOperations) as [ConsoleOperationName, ConsoleOperation][]

/** The routes of the console: its operations, those on records for every resource. */
export const routes: readonly ConsoleRoute[] = operations.flatMap(
  ([operation, { needs, path: place, word, ...rest }]) => {
    const accepts = rest.body === 'a picture' ? pictureTypes : rest.method === 'PATCH' ? patchTypes : jsonTypes
    const common = { ...rest, accepts }
    const path = consoleRoot + place
    // The list of handlers has the right type for each operation, which TypeScript cannot infer here.
    const handler: unknown = handlers[operation]
    if (typeof needs === 'string')
      return { ...common, id: operation, path, needs, query: rest.query ?? [], answer: handler as Handler<never> }
    const served = registry.filter((definition) => word === undefined || definition[word] !== undefined)
    return served.map((definition) => ({
      ...common,
      id: operation.replace('records', definition.name),
      path: path.replace('{records}', definition.name),
      needs: permission(definition.name, needs.records),
      answer: (handler as (served: StandardRoutes) => Handler<never>)(asOfV1(definition)),
    }))
  },
)
