import { createBlankRecord } from '#derive/input.ts'
import { company as definition } from '#registry/company.ts'
import type { Definition } from '#registry/definition.ts'
import type { ListRequest } from '#registry/listing.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import type { BatchableRead } from '#sql/batchable.ts'
import type { Statement } from '#sql/statement.ts'
import type { DetailsRow } from '#sql/system/call-details.ts'
import type { CallRow } from '#sql/system/calls.ts'
import type { CompanyFields } from '#sql/system/companies.ts'
import type { AttemptRow } from '#sql/system/webhook-attempts.ts'

/** Statements of one topic, which the goldens show together. */
export type Topic = readonly [topic: string, statements: readonly (Statement | BatchableRead)[]]

/** The examples below are arguments of the statements. */

export const ask = {
  companyId: 7,
  tokenHash: Buffer.from('00ff', 'hex'),
  scopes: 'PROJECTS_VIEW',
  addOns: 'api',
  peer: '127.0.0.1',
}
export const key = { key: 'key', lock: '42' }
export const answer = {
  ...{ fingerprint: Buffer.from('00', 'hex'), status: 201, body: '{}', location: null, etag: null },
  ...{ request_id: null, write_id: null },
}
export const callRow: CallRow = {
  ...{ company_id: 7, token_id: 9, request_id: 'r', at: '2026-01-01T00:00:00Z', route: 'projects.create' },
  ...{
    record_id: 4711,
    rows: null,
    status: 201,
    code: null,
    about: null,
    ms: 1.5,
    peer: null,
    dry_run: false,
    replayed: false,
    counted: true,
    client: null,
  },
}
export const details: DetailsRow = {
  ...{ company_id: 7, request_id: 'r', at: '2026-01-01T00:00:00Z', method: 'POST', path: '/v1/projects', query: '' },
  ...{ request_headers: {}, request_body: '{}', request_bytes: 2, request_state: 'whole' },
  ...{ answer_headers: {}, answer_body: '{}', answer_bytes: 2, answer_state: 'whole' },
}
export const company = {
  id: 7,
  ...(createBlankRecord(definition) as CompanyFields),
  name: 'Harbor',
  plan: 'PRO' as const,
  add_ons: ['api'],
  is_demo: false,
  logo: null,
}
export const person = { name: 'Ada', email: 'ada@example.com', permissions: [], service: false, passwordHash: null }
export const token = {
  account_id: 8,
  issued_by: 8,
  label: 'L',
  scopes: [],
  allowlist: [],
  expires_at: null,
  sealed: answer.fingerprint,
  hash: ask.tokenHash,
}
export const session = { companyId: 7, idHash: Buffer.from('00ff', 'hex') }
export const author = {
  ...{ companyId: 7, accountId: 8, tokenId: 9, channel: 'api' },
  writeId: '00000000-0000-4000-8000-000000000000',
}
export const place = { epoch: 1, pos: '800', id: 4711, line: 3_141_592_653 }
export const changesRequest = { companyId: 7, after: place, records: ['projects'], limit: 50, keptDays: 30 }
export const sealedPlace = { table: 'tokens', id: 'id', column: 'sealed' }
export const webhook = {
  ...{ name: 'W', url: 'https://erp.example.com', events: ['projects.created'], ordered: true },
  ...{ payload: 'full' as const, account_id: 5 },
}
export const webhookClaim = { companyId: 7, id: 3, claim: '00000000-0000-4000-8000-000000000000' }
export const webhookProgress = {
  ...{ cursor: place, pending: {}, paused_until: null, next_attempt_at: null, failing_since: null },
}
export const attemptRow: AttemptRow = {
  ...{ company_id: 7, endpoint_id: 3, at: new Date(0), event: 'projects.created', event_id: 'evt_1_9', after: place },
  ...{ payload: 'full', by_hand: false, ms: 1.5, status: 500, failure: null, detail: null, request_bytes: 2 },
  ...{ request_sha256: answer.fingerprint, test_body: null, answer_headers: {}, answer_body: '', answer_cut: false },
}
export const page: ListRequest = { filters: {}, words: [], sort: [], limit: 50, offset: 0 }
export const [projects, workers, clients, estimates] = registry as [Definition, Definition, Definition, Definition]
export const [trades, categories, equipment, timeEntries, invoices] = [
  'trades',
  'categories',
  'equipment',
  'time_entries',
  'invoices',
].map((name) => definitionOf(registry, name)) as [Definition, Definition, Definition, Definition, Definition]
