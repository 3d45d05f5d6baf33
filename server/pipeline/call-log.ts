import { Refusal, refusals } from '#registry/refusals.ts'
import type { CallerAsk, CallerRow } from '#sql/system/caller.ts'
import type { CallRow } from '#sql/system/calls.ts'
import type { App } from './app.ts'
import { ipv4Of } from './authorize.ts'
import type { ApiResponse, Call } from './call.ts'
import { pathId } from './read-intent.ts'
import type { StoredResponse } from './stored-response.ts'
import { aboutOf } from './stored-response.ts'

/** Logs a read or a refusal of authorization. The row is written with others within a second. Decisions, Metering. */
export function logCallLater(
  app: App,
  call: Call,
  ask: CallerAsk,
  caller: CallerRow,
  { outcome, counted }: { outcome: ApiResponse | Refusal; counted: boolean },
): void {
  const seen =
    outcome instanceof Refusal
      ? { status: refusals[outcome.code].status, code: outcome.code, about: aboutOf(outcome.particulars) }
      : { status: outcome.status, code: null, about: null }
  app.meter.add({
    ...rowOf(app, call, ask, caller),
    ...seen,
    record_id: pathId(call.params),
    rows: null,
    dry_run: false,
    replayed: false,
    counted,
  })
}

/** Returns the row of a write, which commits with it. It counts unless it is a replay. */
export function callRow(
  app: App,
  call: Call,
  ask: CallerAsk,
  caller: CallerRow,
  { status, code, about = null, replayed = false, recordId }: StoredResponse,
  { dryRun, rows = null }: { dryRun: boolean; rows?: number | null | undefined },
): CallRow {
  const record_id = recordId ?? pathId(call.params)
  const came = { status, code, about, record_id, rows }
  return { ...rowOf(app, call, ask, caller), ...came, dry_run: dryRun, replayed, counted: !replayed }
}

/** Returns the row of a call that was logged before, with its answer. */
export const settledRow = (
  app: App,
  call: Call,
  row: CallRow,
  { status, code, about = null }: Pick<StoredResponse, 'status' | 'code' | 'about'>,
): CallRow => ({ ...row, status, code, about, ms: millisecondsOf(app, call) })

const millisecondsOf = ({ clock }: App, { startedAt }: Call): number =>
  Math.round((clock.elapsed() - startedAt) * 1000) / 1000

function rowOf(app: App, call: Call, ask: CallerAsk, caller: CallerRow) {
  return {
    company_id: ask.companyId,
    token_id: caller.token_id,
    request_id: call.requestId,
    at: app.clock.now().toISOString(),
    route: call.route.id,
    ms: millisecondsOf(app, call),
    // The log shows any peer; only the allowlist is limited to IPv4.
    peer: ipv4Of(call.peer) ?? call.peer?.split('%')[0] ?? null,
    client: call.agent?.client ?? null,
  } satisfies Partial<CallRow>
}
