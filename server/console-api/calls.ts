import { invalidParameter, quoteText, readInteger } from '#derive/query.ts'
import { idMax } from '#registry/limits.ts'
import { type CallFilter, type CallListRow, countCalls, listCalls } from '#sql/system/call-list.ts'
import { type Outcome, outcomes } from '#sql/system/calls.ts'
import type { OperationRequest } from './operation-request.ts'
import { readPage, rowsOf } from './paging.ts'
import { readDayOrMoment } from './read-moment.ts'

/** The log of API calls: what integrations do, and why one is refused. */

export async function list(asked: OperationRequest<'calls.list'>) {
  const wanted = readPage(asked.parameters)
  const filter = readFilter(asked.parameters)
  const { companyId } = asked.session().actor
  return rowsOf<CallListRow>(asked, wanted, listCalls(companyId, filter, wanted), countCalls(companyId, filter))
}

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
