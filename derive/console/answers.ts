import type { AgentSettings } from '#registry/agents.ts'
import type { Problem } from '#registry/definition.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import type { Action } from '#registry/permissions.ts'
import type { Listed, WritePlan } from '#registry/refusals.ts'
import type { HistoryRow, RemovalRow } from '#sql/records/history.ts'
import type { DueRow } from '#sql/records/home.ts'
import type { AccountRow } from '#sql/system/accounts.ts'
import type { AuditKind } from '#sql/system/audit.ts'
import type { CallDetails } from '#sql/system/call-details.ts'
import type { CallerSeen, DeadRow, FailureRow } from '#sql/system/call-groups.ts'
import type { CallShown } from '#sql/system/call-list.ts'
import type { CompanyRow } from '#sql/system/companies.ts'
import type { ImportRow } from '#sql/system/imports.ts'
import type { PreviewRow, PreviewState } from '#sql/system/previews.ts'
import type { ListedSession } from '#sql/system/sessions.ts'
import type { TokenRow } from '#sql/system/tokens.ts'
import type { AttemptOpened, AttemptShown } from '#sql/system/webhook-attempts.ts'
import type { EndpointRow } from '#sql/system/webhooks.ts'
import type { PersonReason } from '../agent/person.ts'

/** What the operations of the console answer: rows as they are read, and what is made of them. */

export type Meta = { total: number; limit: number; offset: number }

/** Who is signed in, and the company. */
export type Me = {
  account: Pick<AccountRow, 'id' | 'name' | 'email' | 'permissions'>
  company: Pick<CompanyRow, 'id' | 'name' | 'currency' | 'plan' | 'add_ons'>
  locale_hint: null
}

/** An account that an address and a password are right for. */
export type AccountChoice = { account_id: number; name: string; company: Pick<CompanyRow, 'id' | 'name'> }

export type Account = AccountRow
export type OwnSession = ListedSession

/** A record, or those of its fields that were asked for. */
export type RecordShown = { id: number; [field: string]: Json }

/** Somebody with an account; null where it was nobody. */
export type Who = { account_id: number; name: string } | null

type Acting = Pick<HistoryRow, 'id' | 'at' | 'door' | 'token_label' | 'records' | 'record_id'> & {
  who: Who
  /** Anyone who issued the token that it was done with. */
  issuer: Who
}

/** One thing that happened to a record. */
export type HistoryEntry = Omit<Acting, 'records' | 'record_id'> & {
  action: string
  /** By which it can be taken back; null of what was done before writes had names. */
  write_id: string | null
  changes: { [field: string]: [Json, Json] } | null
}

/** The same with what it was done to, a record or something in Settings, and the title of that. */
export type RecentEntry = HistoryEntry & Pick<Acting, 'records' | 'record_id'> & { title: string | null }

/** A deletion, with all that went along. */
export type Removal = Acting &
  Pick<RemovalRow, 'title' | 'mode' | 'restored_at'> & { went: Listed[]; unlinked: (Listed & { by: string })[] }

/** A record that goes by the value at `place`, which counts from 0. */
export type LookedUp = { place: number; id: number; title: string | null; also: string | null }

/** An import; `own` where the one who asks has begun it and may go on. */
export type ImportShown = Omit<ImportRow, 'account_id' | 'records'> & { own: boolean }

export type DueItem = Pick<DueRow, 'id' | 'name' | 'on'>

/** The figures of the morning; a part is absent where the account may not see its records. */
export type Morning = {
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
  /** What agents ask for, of which this account may decide; absent where there is nothing. */
  agent_previews?: { count: number; items: AgentPreview[] }
  recent?: RecentEntry[]
}

/** Who signed in, set something, took something out or brought it in. */
export type AuditEntry = {
  id: number
  at: string
  action: string
  records: AuditKind
  record_id: number
  /** The name of what it was done to; null where that is gone or has none. */
  title: string | null
  /** Null where no account did it, and where it is not known which. */
  actor: { id: number; name: string } | null
  channel: string
  /** The TCP peer of the request; it and what follows are null of what was not done in the interface. */
  peer: string | null
  /** What the request claims of whom it was forwarded for, and its client of itself. Nobody checks it. */
  forwarded_for: string | null
  device: string | null
  request_id: string | null
  changes: { [name: string]: [Json, Json] } | null
}

type Named = { id: number; name?: string | undefined }

/** The active token of the company, without its text. */
export type Token = Pick<TokenRow, 'id' | 'label' | 'scopes' | 'allowlist'> & {
  account: Named
  /** Null: the operator. */
  issued_by: Named | null
  created_at: string
  /** When it ends by itself; null: it does not. */
  expires_at: string | null
  last_used_at: string | null
  last_peer: string | null
}

export type TokenText = { token: string }

export type TokenOptions = {
  scopes: { scope: string; records: string; action: Action; held: boolean }[]
  base_url: string
  curl: string
}

/** Who uses the token just now. */
export type TokenCaller = CallerSeen
/** Anyone who calls with a token that is refused as such. */
export type DeadIntegration = DeadRow

/** A call of the API, as the log has it. */
export type Call = CallShown
/** One that is opened also says which check turned it away, what to do about it, and what was sent and answered. */
export type CallOpened = CallShown & {
  gate: string | null
  advice: string | null
  method: string
  /** As the document has it. */
  path: string
  /** The right that it lacked, and who has it by now. */
  lacking: { scope: string; token: boolean; account: boolean } | null
  details: CallDetails | null
  /** Why there are none: somebody who may not see them, or they are not kept, or not any more. */
  hidden: { needs: string } | 'not_kept' | null
  /** What the refusal said of fields, where that is kept. */
  problem: { detail: string; errors: Problem[] } | null
  /** Whether it can be sent again as a dry-run, and if not, why. */
  repeatable: 'yes' | 'read' | 'not_whole' | 'not_held'
}

/** What came of it. */
export type Repeated = { status: number; body: string }

/** Calls that fail in the same way. */
export type Failure = FailureRow

/** Whether what calls say is kept, and for how many days the operator lets it be kept; 0 is not at all. */
export type CallDetailsSwitch = { keeps: boolean; kept_days: number }

/** How much of what a plan holds is used; null is without limit. */
export type PlanUse = { records: string; used: number; limit: number | null }

/** All calls that were noted, by resource and by outcome; `counted` are those that use up quota. */
export type UsageDay = {
  day: string
  counted: number
  by_resource: { [resource: string]: number }
  by_outcome: { [outcome: string]: number }
}

export type Usage = { days: UsageDay[]; plan: PlanUse[] }

export type Company = Omit<CompanyRow, 'is_demo'> & { usage: PlanUse[] }
/**
 * `amounts_in`: the resources that keep the currency as it is. `is_plain`: others reach the service, and what is sent
 * to it crosses a network unencrypted.
 */
export type CompanyOpened = Company & { amounts_in: string[]; is_plain: boolean }

/** Whether agents may reach the company, and what they need a person for; while they are off, what they would. */
export type Agents = AgentSettings & { enabled: boolean; url: string }

/** What an agent has previewed. `why` and `client` are its own words, which nobody checks. */
export type AgentPreview = Pick<
  PreviewRow,
  'id' | 'client' | 'why' | 'created_at' | 'expires_at' | 'decided_at' | 'write_id'
> & {
  state: PreviewState | 'expired'
  /** How many records it changes. */
  total: number
  /** What it needs a person for. */
  because: PersonReason[]
  token_label: string
  decided_by: Who
}

/** How many previews wait for somebody with the rights of the account; `is_used` while agents are on or something waits. */
export type AgentsWaiting = { count: number; is_used: boolean }

/** One that is opened; `operations` are what the agent sent, null where it takes back a write. */
export type AgentPreviewOpened = AgentPreview & {
  hash: string
  plan: WritePlan
  operations: JsonObject[] | null
  undo: string | null
}

/** An endpoint, without its secrets. Moments as texts. */
export type Webhook = Pick<
  EndpointRow,
  'id' | 'name' | 'url' | 'events' | 'payload' | 'ordered' | 'disabled_because' | 'disabled_detail'
> & {
  /** The account that answers for it. Null: the operator. */
  answers: { id: number; name: string } | null
} & {
  [moment in 'created_at' | 'previous_until' | 'next_attempt_at' | 'failing_since' | 'disabled_at' | 'resync_since']:
    | string
    | null
} & {
  /** Events that wait because they have failed. */
  waiting: number
  /** A replay has not sent all of it yet. */
  is_replaying: boolean
}

/** One that is opened. `attempts_since`: every attempt from this moment on is still there. */
export type WebhookOpened = Webhook & { attempts_since: string }

/** With its secret, which is said this once. */
export type WebhookWithSecret = { webhook: Webhook; secret: string }

/** An endpoint that somebody has to look at. */
export type WebhookTrouble = Pick<
  Webhook,
  'id' | 'name' | 'failing_since' | 'disabled_because' | 'disabled_detail' | 'resync_since'
> & {
  /** It is enabled, and no account answers for it. */
  is_unanswered: boolean
}

export type WebhookAttempt = AttemptShown
export type WebhookAttemptOpened = AttemptOpened
