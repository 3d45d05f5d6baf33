import { routes } from '#derive/routes.ts'
import { registry } from '#registry/resources/index.ts'
import { routesTable } from './routes-table.ts'

/** `npm run routes` prints every route with its requirements and refusals. */
process.stdout.write(`${routesTable(routes(registry))}\n`)
