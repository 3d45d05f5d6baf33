import { routes } from '#derive/routes.ts'
import { routesTable } from '#derive/routes-table.ts'
import { registry } from '#registry/resources/index.ts'

/** `npm run routes` prints every route with its requirements and refusals. */
process.stdout.write(`${routesTable(routes(registry))}\n`)
