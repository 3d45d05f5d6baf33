import type { QueryOf } from '#derive/console/operations.ts'
import { withQuery } from '../client/ask.ts'

const callsPath = '/settings/calls'
const callNames = ['outcome', 'route', 'code', 'about', 'status', 'peer', 'token', 'from', 'to'] as const
const auditNames = ['from', 'to', 'actor', 'action', 'records'] as const

/** The filters of the log of calls and of the audit. */
export type CallFilter = { readonly [name in QueryOf<'calls.list'> & (typeof callNames)[number]]?: string }
export type AuditFilter = { readonly [name in QueryOf<'audit.list'> & (typeof auditNames)[number]]?: string }

/** The addresses of the log of calls, of one call, and of the audit. */
export const callsAddress = (filter: CallFilter = {}, more: { days?: number; page?: number } = {}): string =>
  withQuery(callsPath, { ...filter, ...more })
export const callPath = (id: number): string => `${callsPath}/${id}`
export const auditAddress = (filter: AuditFilter = {}, page = 1): string =>
  withQuery('/settings/audit', { ...filter, page: page > 1 ? page : undefined })

/** Parse the filter and the page in the address of a log. */
export const readCallsAddress = (search: string) => readAddress(search, callNames)
export const readAuditAddress = (search: string) => readAddress(search, auditNames)

function readAddress<Name extends string>(search: string, names: readonly Name[]) {
  const given = new URLSearchParams(search)
  return {
    filter: Object.fromEntries(names.flatMap((name) => (given.get(name) ? [[name, given.get(name)]] : []))) as {
      readonly [name in Name]?: string
    },
    days: periods.find((period) => String(period) === given.get('days')) ?? 30,
    page: Math.max(1, Number(given.get('page')) || 1),
  }
}

export const periods = [7, 30, 90] as const

/** Returns the first of `days` days up to today. Days are of UTC, as in the service. */
export const firstDay = (days: number): string =>
  new Date(Date.now() - (days - 1) * 24 * 3600 * 1000).toISOString().slice(0, 10)

/** The addresses of the token and of its changes. */
export const tokenPath = '/settings/api'
export const changeTokenPath = '/settings/api/change'

/** The addresses of the webhooks and of one webhook. */
export const webhooksPath = '/settings/webhooks'
export const webhookPath = (id: number): string => `${webhooksPath}/${id}`
