import type { HistoryEntry } from '#derive/console/responses.ts'
import type { Texts } from '../../texts/en/index.ts'

/** By which channel something was done; with a token also who issued it, where that was somebody else. */
export function channelOf(
  { token_label: token, issuer, who, door }: Pick<HistoryEntry, 'token_label' | 'issuer' | 'who' | 'door'>,
  history: Texts['history'],
): string {
  if (!token) return history.door[door] ?? ''
  return issuer && issuer.account_id !== who?.account_id ? history.apiOf(token, issuer.name) : history.api(token)
}
