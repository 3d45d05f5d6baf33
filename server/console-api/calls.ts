import { invalid, quoted, readInteger } from '#derive/parameters.ts'
import { Refusal, type RefusalCode, refusals } from '#registry/refusals.ts'
import { type CallFilter, type CallShown, countCalls, findCall, listCalls } from '#sql/system/call-list.ts'
import { type Outcome, outcomes } from '#sql/system/calls.ts'
import { recordId } from '../pipeline/read-intent.ts'
import type { Asked } from './asked.ts'
import { readPage, rowsOf } from './paging.ts'
import { isDay } from './read-listing.ts'

/** The log of API calls: what integrations do, and why one is refused. */

export async function list({ app, session, parameters }: Asked<'calls.list'>) {
  const wanted = readPage(parameters)
  const filter = readFilter(parameters)
  const { companyId } = session().actor
  const [list, count] = [listCalls(companyId, filter, wanted), countCalls(companyId, filter)]
  const { rows, meta } = await rowsOf<CallShown>(app, wanted, list, count)
  return { data: rows, meta }
}

export async function fetch(asked: Asked<'calls.fetch'>) {
  const { companyId } = asked.session().actor
  const [row] = await asked.app.database.read<CallShown>(findCall(companyId, recordId(asked)))
  if (!row) throw new Refusal('not_found')
  return { data: { ...row, gate: gateOf(row), advice: adviceOf(row) } }
}

/** Which check refused the call before it was looked into; null where it came further. */
const gates: { readonly [code in RefusalCode]?: string } = {
  unauthorized: 'token',
  ip_not_allowed: 'address',
  insufficient_scope: 'scope',
  feature_off: 'add-on',
}

const gateOf = ({ code }: CallShown): string | null => gates[code as RefusalCode] ?? null

/** What to do about a refused call. */
function adviceOf({ code, token_revoked_at }: CallShown): string | null {
  if (code === null) return null
  if (code === 'unauthorized') {
    return token_revoked_at === null
      ? 'The account behind the token is disabled. Enable it, or issue a token from another account.'
      : 'The token was rotated or revoked before this call. Give the integration that made it the active token.'
  }
  return refusals[code as RefusalCode]?.advice ?? null
}

function readFilter(given: Asked<'calls.list'>['parameters']): CallFilter {
  const { code, route, outcome } = given
  const status = readInteger('status', given.status, 100, 599)
  if (outcome !== undefined && !outcomes.includes(outcome as Outcome))
    throw invalid('outcome', `is ${quoted(outcome)}; it must be one of ${outcomes.join(', ')}`)
  const from = readMoment('from', given.from)
  const to = readMoment('to', given.to)
  const filter = { status, code, route, outcome, from: from?.begins, before: to?.ends }
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as CallFilter
}

const dayMilliseconds = 24 * 3600 * 1000

/** A day, all of it, or a moment. */
function readMoment(name: string, value: string | undefined): { begins: string; ends: string } | undefined {
  if (value === undefined) return undefined
  if (isDay(value)) {
    const begins = new Date(`${value}T00:00:00Z`)
    return { begins: begins.toISOString(), ends: new Date(begins.getTime() + dayMilliseconds).toISOString() }
  }
  const moment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(value) ? new Date(value) : new Date(Number.NaN)
  if (Number.isNaN(moment.getTime()) || moment.getUTCFullYear() < 1)
    throw invalid(name, `is ${quoted(value)}; it must be a day like 2026-03-31 or a moment like 2026-03-31T12:00:00Z`)
  return { begins: moment.toISOString(), ends: new Date(moment.getTime() + 1).toISOString() }
}
