import type { AccountName, HistoryEntry } from '#derive/console/responses.ts'
import { type LackedRights, visibleMembers } from '#derive/visible.ts'
import { Refusal } from '#registry/refusals.ts'
import {
  countHistory,
  countSettingsHistory,
  type HistoryRow,
  historyOfRecord,
  historyOfSettings,
  type SettingsRow,
} from '#sql/records/history.ts'
import { type SettingsKind, settingsKinds } from '#sql/system/audit.ts'
import { recordId } from '../protocol/path-id.ts'
import type { Handlers, OperationRequest } from './operation-request.ts'
import { readPage, rowsOf } from './read-parameters.ts'

export const history = {
  /** Lists the changes of a record, with authors and times. A deleted record still has its history. */
  'records.history':
    ({ list: { definition } }) =>
    (request) =>
      historyPage(request, definition.name),

  'webhooks.history': (request) => historyPage(request, 'webhook_endpoints'),

  /** Lists changes of settings with their authors: each part for accounts that may use it. */
  async 'settings.history'(request) {
    const wanted = readPage(request.parameters)
    const { actor, row } = request.session()
    const kinds = settingsKinds.filter((kind) => row.permissions.includes(rights[kind]))
    const list = historyOfSettings(actor.companyId, kinds, wanted)
    const count = countSettingsHistory(actor.companyId, kinds)
    const { data, meta } = await rowsOf<SettingsRow>(request, wanted, list, count)
    return { data: data.map((line) => placedLine(line, actor.lacksRights)), meta }
  },
} satisfies Partial<Handlers>

async function historyPage(request: OperationRequest<'records.history' | 'webhooks.history'>, records: string) {
  const wanted = readPage(request.parameters)
  const { companyId } = request.session().actor
  const record = recordId(request)
  const list = historyOfRecord(companyId, records, record, wanted)
  const { data, meta } = await rowsOf<HistoryRow>(request, wanted, list, countHistory(companyId, records, record))
  // There is at least the entry of its creation.
  if (meta.total === 0) throw new Refusal('not_found')
  const { lacksRights } = request.session().actor
  return { data: data.map((row) => shownLine(row, lacksRights)), meta }
}

/** Returns an entry without the records' own columns, for an account that lacks these permissions of fields. */
export const shownLine = (
  { id, at, door, token_label, action, changes, write_id, ...row }: HistoryRow,
  lacks: LackedRights,
): HistoryEntry => ({
  id,
  at,
  who: whoOf(row),
  door,
  token_label,
  issuer: issuerOf(row),
  action,
  write_id,
  changes: changes ? visibleMembers(row.records, lacks, changes as NonNullable<HistoryEntry['changes']>) : null,
})

/** Returns an entry with its record. */
export const placedLine = ({ title, ...row }: HistoryRow & { title: string | null }, lacks: LackedRights) => ({
  ...shownLine(row, lacks),
  records: row.records,
  record_id: row.record_id,
  title,
})

/** Returns the account of an entry; null if it has none. */
export const whoOf = ({ account_id, account_name }: Pick<HistoryRow, 'account_id' | 'account_name'>): AccountName =>
  account_id === null || account_name === null ? null : { account_id, name: account_name }

/** Returns the account that issued the token of an entry: it could make the token act for the other account. */
export const issuerOf = ({ issuer_id, issuer_name }: Pick<HistoryRow, 'issuer_id' | 'issuer_name'>): AccountName =>
  whoOf({ account_id: issuer_id, account_name: issuer_name })

/** The permission for each part of Settings, and for its history. */
const rights: { readonly [kind in SettingsKind]: string } = {
  tokens: 'API_MANAGE',
  calls: 'API_MANAGE',
  webhook_endpoints: 'API_MANAGE',
  agents: 'API_MANAGE',
  accounts: 'ACCOUNTS_MANAGE',
  companies: 'COMPANY_MANAGE',
}
