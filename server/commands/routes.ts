import { routes } from '#derive/routes.ts'
import { routesTable } from '#derive/routes-table.ts'
import { registry } from '#registry/resources/index.ts'

/** `npm run routes`: every route, with what it asks for and how it may refuse. */
process.stdout.write(`${routesTable(routes(registry))}\n`)
