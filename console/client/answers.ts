import type * as responses from '#derive/console/responses.ts'
import type { FromService } from '../texts/foreign.ts'

/** The answers of the console's operations as the pages get them: with the texts of others as such. */

export type Account = FromService<responses.Account>
export type AccountChoice = FromService<responses.AccountChoice>
export type AgentPreview = FromService<responses.AgentPreview>
export type AgentPreviewResult = FromService<responses.AgentPreviewResult>
export type Agents = FromService<responses.Agents>
export type AuditEntry = FromService<responses.AuditEntry>
export type Call = FromService<responses.Call>
export type CallDetailsResult = FromService<responses.CallDetailsResult>
export type CompanyResult = FromService<responses.CompanyResult>
export type DeadIntegration = FromService<responses.DeadIntegration>
export type DueItem = FromService<responses.DueItem>
export type DueSum = FromService<responses.DueSum>
export type Failure = FromService<responses.Failure>
export type HistoryEntry = FromService<responses.HistoryEntry>
export type HomeFigures = FromService<responses.HomeFigures>
export type ImportResult = FromService<responses.ImportResult>
export type NamedRecord = FromService<responses.NamedRecord>
export type OwnAccount = FromService<responses.OwnAccount>
export type OwnSession = FromService<responses.OwnSession>
export type PaperResult = FromService<responses.PaperResult>
export type QuotaUsage = FromService<responses.QuotaUsage>
export type RecentEntry = FromService<responses.RecentEntry>
export type Removal = FromService<responses.Removal>
export type RepeatResult = FromService<responses.RepeatResult>
export type Token = FromService<responses.Token>
export type TokenCaller = FromService<responses.TokenCaller>
export type TokenOptions = FromService<responses.TokenOptions>
export type UsageDay = FromService<responses.UsageDay>
export type Webhook = FromService<responses.Webhook>
export type WebhookAttempt = FromService<responses.WebhookAttempt>
export type WebhookAttemptOpened = FromService<responses.WebhookAttemptOpened>
export type WebhookTrouble = FromService<responses.WebhookTrouble>
