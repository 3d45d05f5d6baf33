import type { AgentSettings } from '#registry/agents.ts'
import type { Problem } from '#registry/definition.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import type { Action } from '#registry/permissions.ts'
import type { Preview, RecordsSummary } from '#registry/refusals.ts'
import type { HistoryRow, RemovalRow } from '#sql/records/history.ts'
import type { DueRow } from '#sql/records/home.ts'
import type { AccountRow } from '#sql/system/accounts.ts'
import type { AuditRow } from '#sql/system/audit.ts'
import type { CallDetails } from '#sql/system/call-details.ts'
import type { CallerSummary, DeadRow, FailureRow } from '#sql/system/call-groups.ts'
import type { CallListRow } from '#sql/system/call-list.ts'
import type { CompanyRow } from '#sql/system/companies.ts'
import type { ImportRow } from '#sql/system/imports.ts'
import type { PreviewRow, PreviewState } from '#sql/system/previews.ts'
import type { ListedSession, SessionRow } from '#sql/system/sessions.ts'
import type { TokenRow } from '#sql/system/tokens.ts'
import type { AttemptDetailsRow, AttemptListRow } from '#sql/system/webhook-attempts.ts'
import type { EndpointRow } from '#sql/system/webhooks.ts'
import type { PersonReason } from '../agent/person.ts'
import type { Paper } from '../paper-content.ts'
import type { SumsOfRecord } from '../sums.ts'

/** The types of the console's responses. */

export type Meta = { total: number; limit: number; offset: number }

/** The signed-in account and its company. */
export type OwnAccount = {
  account: Pick<AccountRow, 'id' | 'name' | 'email' | 'permissions'>
  company: Pick<CompanyRow, 'id' | 'name' | 'currency' | 'plan' | 'add_ons'> &
    Pick<SessionRow, 'time_zone' | 'country' | 'payment_terms_days' | 'valid_days' | 'tax_pct'>
  locale_hint: null
}

/** An account that the address and the password fit. */
export type AccountChoice = { account_id: number; name: string; company: Pick<CompanyRow, 'id' | 'name'> }

export type Account = AccountRow
export type OwnSession = ListedSession

/** A record, or the fields of it that the request names. */
export type RecordResult = { id: number; [field: string]: Json }

export type PaperResult = Paper

/** The newest paper of a record, once it is noted how it was sent. */
export type PaperSent = Pick<Paper, 'version' | 'sent_on' | 'sent_by'>

/** An account; null if no account did it. */
export type AccountName = { account_id: number; name: string } | null

type ActingEntry = Pick<HistoryRow, 'id' | 'at' | 'door' | 'token_label' | 'records' | 'record_id'> & {
  who: AccountName
  /** The account that issued the token, if a token did it. */
  issuer: AccountName
}

export type HistoryEntry = Omit<ActingEntry, 'records' | 'record_id'> & {
  action: string
  /** The write to undo; null for actions before writes had ids. */
  write_id: string | null
  changes: { [field: string]: [Json, Json] } | null
}

/** An action with its object, a record or a setting, and the title of that. */
export type RecentEntry = HistoryEntry & Pick<ActingEntry, 'records' | 'record_id'> & { title: string | null }

/** A deletion with all records that went along. */
export type Removal = ActingEntry &
  Pick<RemovalRow, 'title' | 'mode' | 'restored_at'> & {
    went: RecordsSummary[]
    unlinked: (RecordsSummary & { by: string })[]
  }

/**
 * The sums of a record that the reader may see, by their names, and its margin if he may see all that counts in it; null
 * beyond the whole numbers that are exact.
 */
export type RecordSums = { sums: SumsOfRecord; margin_minor?: number | null }

/** Count of some records and the sum of an amount of theirs; null if that is too large for an exact number. */
export type DueSum = { count: number; minor: number | null }

/**
 * The records of a list, counted and added up by field; null if a sum is too large for an exact number. `due` counts those
 * that are due, by the company's day: `ages` by how many days late they are, from and to included, null without a bound.
 */
export type RecordTotals = {
  count: number
  sums: { [field: string]: number | null }
  due?: { today: string; ages: (DueSum & { from: number | null; to: number | null })[] } & {
    [span in 'overdue' | 'due_today' | 'next_7']: DueSum
  }
}

/** A record that the value at `place` names. Places count from 0. */
export type LookUpResult = { place: number; id: number; title: string | null; also: string | null }

/** An import; `own` is true if the reader began it and may continue it. */
/**
 * `fingerprint` is null in the import of another account. `same_file` is true only for its author, and for those who see
 * every field of its records.
 */
export type ImportResult = Omit<ImportRow, 'account_id' | 'records' | 'fingerprint'> & {
  fingerprint: string | null
  own: boolean
}

export type DueItem = Pick<DueRow, 'id' | 'name' | 'on'>

/** The figures of the start page. A part is absent if the account may not see its records. */
export type HomeFigures = {
  projects_by_status?: { [status: string]: number }
  estimates_waiting?: { count: number; total_minor: number }
  expiring?: {
    until: string
    insurance: DueItem[]
    insurance_count: number
    licences: DueItem[]
    licences_count: number
  }
  service_due?: { until: string; count: number; items: DueItem[] }
  hours_to_approve?: { count: number; hours: number }
  draft_invoices?: { count: number }
  /** The records that lose money, by resource: `count` of all, and those that lose most. */
  losing?: { records: string; count: number; items: LosingItem[] }[]
  /** Previews of agents on which this account may decide. Absent if there are none. */
  agent_previews?: { count: number; items: AgentPreview[] }
  recent?: RecentEntry[]
}

/** A record that costs more than its budget or brings in less than it costs. */
export type LosingItem = { id: number; name: string; margin_minor: number; above_minor: number }

/** A sign-in, a change of settings, an export or an import. */
export type AuditEntry = Omit<AuditRow, 'account_id' | 'account_name' | 'door' | 'place' | 'changes'> & {
  /** The account; null if no account did it, or if it is unknown. */
  actor: { id: number; name: string } | null
  channel: string
  changes: { [name: string]: [Json, Json] } | null
}

type NamedItem = { id: number; name?: string | undefined }

/** The active token of the company, without its text. */
export type Token = Pick<TokenRow, 'id' | 'label' | 'scopes' | 'allowlist'> & {
  account: NamedItem
  /** The account that issued it; null for the operator. */
  issued_by: NamedItem | null
  created_at: string
  /** The moment of expiry; null if it does not expire. */
  expires_at: string | null
  last_used_at: string | null
  last_peer: string | null
  /** The permissions that the reader lacks to show or rotate it. */
  lacking: string[]
}

export type TokenText = { token: string }

export type TokenOptions = {
  scopes: { scope: string; records: string; action: Action; held: boolean }[]
  base_url: string
  curl: string
}

/** A client that uses the token at present. */
export type TokenCaller = CallerSummary
/** A client whose token is refused. */
export type DeadIntegration = DeadRow

/** A call of the API, as the log has it. */
export type Call = CallListRow
/** A call with the check that refused it, advice, and its request and response bodies. */
export type CallDetailsResult = CallListRow & {
  gate: string | null
  advice: string | null
  method: string
  /** The path as the document has it. */
  path: string
  /** The missing right, and who has it by now. */
  lacking: { scope: string; token: boolean; account: boolean } | null
  details: CallDetails | null
  /** Why the bodies are hidden: the reader lacks a right, they are not stored, or not any more. */
  hidden: { needs: string } | 'not_kept' | null
  /** The problems of fields in the refusal, if they are stored. */
  problem: { detail: string; errors: Problem[] } | null
  /** Whether the call can be repeated as a dry-run; otherwise the reason. */
  repeatable: 'yes' | 'read' | 'not_whole' | 'not_held'
}

/** The response of a repeated call. */
export type RepeatResult = { status: number; body: string }

/** Calls that failed in the same way. */
export type Failure = FailureRow

/** Whether bodies of calls are stored, and for how many days the operator allows it; 0 is never. */
export type CallDetailsSwitch = { keeps: boolean; kept_days: number }

/** The used part of a quota; `limit` is null if there is none. */
export type QuotaUsage = { records: string; used: number; limit: number | null }

/** The logged calls of a day by resource and by outcome; `counted` are those that use up quota. */
export type UsageDay = {
  day: string
  counted: number
  by_resource: { [resource: string]: number }
  by_outcome: { [outcome: string]: number }
}

export type Usage = { days: UsageDay[]; plan: QuotaUsage[] }

export type Company = Omit<CompanyRow, 'is_demo'> & { usage: QuotaUsage[] }
/** `amounts_in`: resources whose amounts fix the currency. `is_plain`: others connect without encryption. */
export type CompanyResult = Company & { amounts_in: string[]; is_plain: boolean }

/** Whether agents may reach the company, and their limits, which are kept while agents are off. */
export type Agents = AgentSettings & { enabled: boolean; url: string }

/** A preview of an agent. `why` and `client` are the agent's own words, and not verified. */
export type AgentPreview = Pick<
  PreviewRow,
  'id' | 'client' | 'why' | 'created_at' | 'expires_at' | 'decided_at' | 'write_id'
> & {
  state: PreviewState | 'expired'
  /** Count of the records that it changes. */
  total: number
  /** The reasons for which it needs a person. */
  because: PersonReason[]
  token_label: string
  decided_by: AccountName
}

/** Count of the previews that the account may decide; `is_used` is true while agents are on or a preview waits. */
export type AgentsWaiting = { count: number; is_used: boolean }

/** A record with its title, and the changes by the token of the preview within the last day, the newest first. */
export type NamedRecord = { records: string; record_id: number; title: string | null; recent: HistoryEntry[] }

/** A preview in full; `operations` are those of the agent, null if it undoes a write. */
export type AgentPreviewResult = AgentPreview & {
  hash: string
  plan: Preview
  operations: JsonObject[] | null
  undo: string | null
  /** The records that it changes or deletes, with their present titles. */
  named: NamedRecord[]
}

/** An endpoint without its secrets; moments are texts. */
export type Webhook = Pick<
  EndpointRow,
  'id' | 'name' | 'url' | 'events' | 'payload' | 'ordered' | 'disabled_because' | 'disabled_detail'
> & {
  /** The account that the endpoint belongs to; null for the operator. */
  answers: { id: number; name: string } | null
} & {
  [moment in 'created_at' | 'previous_until' | 'next_attempt_at' | 'failing_since' | 'disabled_at' | 'resync_since']:
    | string
    | null
} & {
  /** Count of the events that failed and wait for the next attempt. */
  waiting: number
  /** True until a replay has sent all of its events. */
  is_replaying: boolean
}

/** An endpoint in full. `attempts_since`: every attempt from this moment on is still stored. */
export type WebhookResult = Webhook & { attempts_since: string }

/** An endpoint with its secret, which is shown only once. */
export type WebhookWithSecret = { webhook: Webhook; secret: string }

/** An endpoint that needs a person's attention. */
export type WebhookTrouble = Pick<
  Webhook,
  'id' | 'name' | 'failing_since' | 'disabled_because' | 'disabled_detail' | 'resync_since'
> & {
  /** True if it is enabled, and no account is responsible for it. */
  is_unanswered: boolean
}

export type WebhookAttempt = AttemptListRow
export type WebhookAttemptOpened = AttemptDetailsRow

export type RecordCreated = { id: number | null; created: boolean; dry_run: boolean }
export type RecordUpdated = { id: number; updated: boolean; dry_run: boolean; changed: string[] }

export type RecordDeleted = { id: number; deleted: boolean; dry_run: boolean; mode: 'soft' | 'hard' } & {
  [part in 'would_delete' | 'would_keep' | 'deleted_with' | 'kept']?: RecordsSummary[]
}

export type RestoreResult = { id: number; restored: true } & Pick<RecentEntry, 'records' | 'record_id'> & {
    came_back: RecordsSummary[]
    linked: RecordsSummary[]
  }

/** The result of an undo, with the count of records that the next call undoes. */
export type WriteUndoResult = {
  write_id: string
  undone: boolean
  dry_run: boolean
  records: number
  remaining: number
}

export type BatchSummary = {
  mode: string
  dry_run: boolean
  done: number
  refused: number
  operations: { n: number; status: number; data: { id: number | null; changed?: string[] } }[]
}
