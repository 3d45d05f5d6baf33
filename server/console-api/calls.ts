import { invalidParameter, quoteText, readInteger } from '#derive/query.ts'
import { idMax } from '#registry/limits.ts'
import { refusals } from '#registry/refusals.ts'
import { keepsDetails, switchDetails } from '#sql/system/call-details.ts'
import {
  type CallerSummary,
  callersOf,
  type DeadRow,
  deadIntegrations,
  type FailureRow,
  failuresOf,
} from '#sql/system/call-groups.ts'
import { type CallFilter, type CallListRow, countCalls, listCalls } from '#sql/system/call-list.ts'
import { type Outcome, outcomes } from '#sql/system/calls.ts'
import { auditChange } from '../service/audit-log.ts'
import { presentToken } from '../service/token.ts'
import type { App, Handlers, OperationRequest } from './operation-request.ts'
import { readDayOrMoment, readPage, rowsOf } from './read-parameters.ts'
import { createWholeList } from './response.ts'

/** The log of API calls, and its summaries: repeated failures, callers, and callers with a dead token. */

const day = { hours: 24, groups: 20 }
/** Number of last calls, or refusals of each code, that are examined: more takes long for the same result. */
const callsMax = 10_000
const codes = Object.keys(refusals)

export const calls = {
  async 'calls.failures'({ app, session }) {
    const wanted = { codes, days: 7, most: callsMax, groups: 20 }
    return createWholeList(await app.database.read<FailureRow>(failuresOf(session().actor.companyId, wanted)))
  },

  async 'token.dead'({ app, session }) {
    const wanted = { ...day, most: callsMax }
    return createWholeList(await app.database.read<DeadRow>(deadIntegrations(session().actor.companyId, wanted)))
  },

  async 'token.callers'({ read }) {
    const rows = await read(async (transaction, companyId) => {
      const token = await presentToken(transaction, companyId)
      return token ? transaction.run<CallerSummary>(callersOf(companyId, token.id, { ...day, most: callsMax })) : []
    })
    return createWholeList(rows)
  },

  async 'calls.details-switch'({ app, session }) {
    const [row] = await app.database.read<{ keeps: boolean }>(keepsDetails(session().actor.companyId))
    return { data: formatSwitch(app, row?.keeps === true) }
  },

  /** Switches the details of calls. Stored details are no longer shown, and removed by the next sweep. */
  async 'calls.switch-details'({ app, body, change }) {
    const { keeps } = await body()
    return change(async (transaction, { actor }) => {
      const rows = await transaction.run(switchDetails(actor.companyId, keeps))
      const facts = (keeps_details: boolean) => ({ id: actor.companyId, keeps_details })
      if (rows.length > 0) await auditChange(transaction, actor, 'calls', [facts(!keeps), facts(keeps)])
      return { data: formatSwitch(app, keeps) }
    })
  },

  async 'calls.list'(request) {
    const wanted = readPage(request.parameters)
    const filter = readFilter(request.parameters)
    const { companyId } = request.session().actor
    return rowsOf<CallListRow>(request, wanted, listCalls(companyId, filter, wanted), countCalls(companyId, filter))
  },
} satisfies Partial<Handlers>

const formatSwitch = ({ config }: App, keeps: boolean) => ({ keeps, kept_days: config.callDetailsKeptDays })

function readFilter(given: OperationRequest<'calls.list'>['parameters']): CallFilter {
  const { code, route, outcome, about, peer } = given
  const status = readInteger('status', given.status, 100, 599)
  if (outcome !== undefined && !outcomes.includes(outcome as Outcome))
    throw invalidParameter('outcome', `is ${quoteText(outcome)}; it must be one of ${outcomes.join(', ')}`)
  const from = readDayOrMoment('from', given.from)
  const to = readDayOrMoment('to', given.to)
  const tokenId = readInteger('token', given.token, 1, idMax)
  const filter = { status, code, route, outcome, about, peer, tokenId, from: from?.begins, before: to?.ends }
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as CallFilter
}
