import { accountRoutes } from './accounts.ts'
import type { ConsoleRoute } from './asked.ts'
import { callRoutes } from './calls.ts'
import { companyRoutes } from './company.ts'
import { homeRoutes } from './home.ts'
import { recordRoutes } from './records.ts'
import { removalRoutes } from './removals.ts'
import { sessionRoutes } from './session.ts'
import { ownSessionRoutes } from './sessions.ts'
import { tokenRoutes } from './token.ts'
import { usageRoutes } from './usage.ts'

/** All that the web interface asks of the service. */
export const routes: readonly ConsoleRoute[] = [
  ...sessionRoutes,
  ...ownSessionRoutes,
  ...recordRoutes,
  ...removalRoutes,
  ...homeRoutes,
  ...tokenRoutes,
  ...callRoutes,
  ...usageRoutes,
  ...accountRoutes,
  ...companyRoutes,
]
