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
import { recordId } from '../pipeline/read-intent.ts'
import type { OperationRequest, RecordsHandler } from './operation-request.ts'
import { readPage, rowsOf } from './read-parameters.ts'

/** Who changed a record, what and when. A deleted record has its history still. */
export const listHistory: RecordsHandler<'records.history'> =
  ({ list: { definition } }) =>
  (asked) =>
    historyPage(asked, definition.name)

/** The same for whatever has a history. */
export async function historyPage(asked: OperationRequest<'records.history' | 'webhooks.history'>, records: string) {
  const wanted = readPage(asked.parameters)
  const { companyId } = asked.session().actor
  const record = recordId(asked)
  const list = historyOfRecord(companyId, records, record, wanted)
  const { data, meta } = await rowsOf<HistoryRow>(asked, wanted, list, countHistory(companyId, records, record))
  // There is at least the line of its creation.
  if (meta.total === 0) throw new Refusal('not_found')
  const { lacksRights } = asked.session().actor
  return { data: data.map((row) => shownLine(row, lacksRights)), meta }
}

/** A line as it is shown, without the records' own columns, to somebody who lacks these permissions of fields. */
const shownLine = (
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

/** The same with the record that it is about. */
export const placedLine = ({ title, ...row }: HistoryRow & { title: string | null }, lacks: LackedRights) => ({
  ...shownLine(row, lacks),
  records: row.records,
  record_id: row.record_id,
  title,
})

/** The account that did it; null where it was done without one. */
export const whoOf = ({ account_id, account_name }: Pick<HistoryRow, 'account_id' | 'account_name'>): AccountName =>
  account_id === null || account_name === null ? null : { account_id, name: account_name }

/** The account that issued the token it was done with, which could make the token act for the other account. */
export const issuerOf = ({ issuer_id, issuer_name }: Pick<HistoryRow, 'issuer_id' | 'issuer_name'>): AccountName =>
  whoOf({ account_id: issuer_id, account_name: issuer_name })

/** What was done in Settings, by whom: each part for those who may use it. */
export async function listSettings(asked: OperationRequest<'settings.history'>) {
  const wanted = readPage(asked.parameters)
  const { actor, row } = asked.session()
  const kinds = settingsKinds.filter((kind) => row.permissions.includes(rights[kind]))
  const list = historyOfSettings(actor.companyId, kinds, wanted)
  const { data, meta } = await rowsOf<SettingsRow>(asked, wanted, list, countSettingsHistory(actor.companyId, kinds))
  return { data: data.map((line) => placedLine(line, actor.lacksRights)), meta }
}

/** Who may use a part of Settings sees what was done there. */
const rights: { readonly [kind in SettingsKind]: string } = {
  tokens: 'API_MANAGE',
  calls: 'API_MANAGE',
  webhook_endpoints: 'API_MANAGE',
  agents: 'API_MANAGE',
  accounts: 'ACCOUNTS_MANAGE',
  companies: 'COMPANY_MANAGE',
}
