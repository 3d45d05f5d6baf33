import { accounts } from './accounts.ts'
import { agents } from './agents.ts'
import { audit } from './audit.ts'
import { batch } from './batch.ts'
import { callDetails } from './call-details.ts'
import { calls } from './calls.ts'
import { company } from './company.ts'
import { history } from './history.ts'
import { home } from './home.ts'
import * as imports from './imports.ts'
import { logo } from './logo.ts'
import type { Handlers } from './operation-request.ts'
import { papers } from './papers.ts'
import { records } from './records.ts'
import { removals } from './removals.ts'
import { session } from './session.ts'
import { sessions } from './sessions.ts'
import { sums } from './sums.ts'
import { token } from './token.ts'
import { totals } from './totals.ts'
import { webhookAttempts } from './webhook-attempts.ts'
import { webhooks } from './webhooks.ts'

/** The handlers of all operations of the console. */
export const handlers = {
  ...session,
  ...sessions,
  ...records,
  'records.batch': batch,
  ...papers,
  'records.look-up': imports.lookUp,
  'records.imports': imports.list,
  'records.begin-import': imports.begin,
  'records.extend-import': imports.extend,
  'records.import': imports.batch,
  'records.sums': sums,
  'records.totals': totals,
  ...removals,
  ...home,
  ...token,
  ...calls,
  ...callDetails,
  ...company,
  ...logo,
  ...history,
  ...audit,
  ...webhooks,
  ...webhookAttempts,
  ...agents,
  ...accounts,
} satisfies Handlers
