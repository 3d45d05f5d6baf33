import { invalid, isValueOf, quoted, readInteger } from '#derive/query.ts'
import type { Field } from '#registry/fields/index.ts'
import { idMax } from '#registry/limits.ts'
import { type CallFilter, type CallShown, countCalls, listCalls } from '#sql/system/call-list.ts'
import { type Outcome, outcomes } from '#sql/system/calls.ts'
import type { Asked } from './asked.ts'
import { readPage, rowsOf } from './paging.ts'

/** The log of API calls: what integrations do, and why one is refused. */

export async function list(asked: Asked<'calls.list'>) {
  const wanted = readPage(asked.parameters)
  const filter = readFilter(asked.parameters)
  const { companyId } = asked.session().actor
  return rowsOf<CallShown>(asked, wanted, listCalls(companyId, filter, wanted), countCalls(companyId, filter))
}

function readFilter(given: Asked<'calls.list'>['parameters']): CallFilter {
  const { code, route, outcome, about, peer } = given
  const status = readInteger('status', given.status, 100, 599)
  if (outcome !== undefined && !outcomes.includes(outcome as Outcome))
    throw invalid('outcome', `is ${quoted(outcome)}; it must be one of ${outcomes.join(', ')}`)
  const from = readMoment('from', given.from)
  const to = readMoment('to', given.to)
  const tokenId = readInteger('token', given.token, 1, idMax)
  const filter = { status, code, route, outcome, about, peer, tokenId, from: from?.begins, before: to?.ends }
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as CallFilter
}

const dayMilliseconds = 24 * 3600 * 1000

const day: Field = { kind: 'date', example: '2026-03-31', about: '' }

/** A day, all of it, or a moment. */
function readMoment(name: string, value: string | undefined): { begins: string; ends: string } | undefined {
  if (value === undefined) return undefined
  if (isValueOf(day, value)) {
    const begins = new Date(`${value}T00:00:00Z`)
    return { begins: begins.toISOString(), ends: new Date(begins.getTime() + dayMilliseconds).toISOString() }
  }
  const moment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(value) ? new Date(value) : new Date(Number.NaN)
  if (Number.isNaN(moment.getTime()) || moment.getUTCFullYear() < 1)
    throw invalid(name, `is ${quoted(value)}; it must be a day like 2026-03-31 or a moment like 2026-03-31T12:00:00Z`)
  return { begins: moment.toISOString(), ends: new Date(moment.getTime() + 1).toISOString() }
}
