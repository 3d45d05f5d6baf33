import { countSettingsHistory, historyOfSettings, type SettingsRow } from '#sql/records/history.ts'
import { type SettingsKind, settingsKinds } from '#sql/system/audit.ts'
import { placedLine } from './history.ts'
import type { OperationRequest } from './operation-request.ts'
import { readPage, rowsOf } from './paging.ts'

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
