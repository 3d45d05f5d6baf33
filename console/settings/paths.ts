import type { QueryOf } from '#derive/console/operations.ts'

/** The filter of the log of calls, and the addresses of the log and of one call. */
export type CallFilter = { readonly [name in Exclude<QueryOf<'calls.list'>, 'limit' | 'offset'>]?: string }

const callsPath = '/settings/calls'
const names = ['outcome', 'route', 'code', 'about', 'status', 'peer', 'token', 'from', 'to'] as const

export const callPath = (id: number): string => `${callsPath}/${id}`

export const callsAddress = (filter: CallFilter = {}, more: { days?: number; page?: number } = {}): string => {
  const pairs = Object.entries({ ...filter, ...more }).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  )
  return pairs.length === 0 ? callsPath : `${callsPath}?${new URLSearchParams(pairs)}`
}

/** Parses the filter of calls in an address. */
export function readCallsAddress(search: string) {
  const given = new URLSearchParams(search)
  const filter: CallFilter = Object.fromEntries(
    names.flatMap((name) => (given.get(name) ? [[name, given.get(name)]] : [])),
  )
  const days = periods.find((period) => String(period) === given.get('days')) ?? 30
  return { filter, days, page: Math.max(1, Number(given.get('page')) || 1) }
}

/** The filter of the audit, and its address. */
export type AuditFilter = { readonly [name in QueryOf<'audit.csv'>]?: string }

const auditPath = '/settings/audit'
const auditNames = ['from', 'to', 'actor', 'action', 'records'] as const

export const auditAddress = (filter: AuditFilter = {}, page = 1): string => {
  const pairs = Object.entries({ ...filter, page: page > 1 ? String(page) : '' }).filter(([, value]) => value)
  return pairs.length === 0 ? auditPath : `${auditPath}?${new URLSearchParams(pairs)}`
}

/** Parses the filter of audit entries in an address. */
export function readAuditAddress(search: string) {
  const given = new URLSearchParams(search)
  const filter: AuditFilter = Object.fromEntries(
    auditNames.flatMap((name) => (given.get(name) ? [[name, given.get(name)]] : [])),
  )
  return { filter, page: Math.max(1, Number(given.get('page')) || 1) }
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
