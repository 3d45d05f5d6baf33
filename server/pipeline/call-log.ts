import { Refusal, refusals } from '#registry/refusals.ts'
import type { CallRow } from '#sql/system/calls.ts'
import { pathId } from '../protocol/path-id.ts'
import type { AdmittedCall, KnownCall, TokenCall } from './admitted-call.ts'
import { ipv4Of } from './authorize.ts'
import { aboutOf, type CallResponse } from './response.ts'

type Outcome = Pick<CallResponse, 'status' | 'code' | 'about'>

/** Logs a read or a refusal of authorization. The row is written with others within a second. Decisions, Metering. */
export function logCallLater(known: KnownCall, outcome: CallResponse | Refusal, counted: boolean): void {
  const response =
    outcome instanceof Refusal
      ? { status: refusals[outcome.code].status, code: outcome.code, about: aboutOf(outcome.particulars) }
      : outcome
  known.app.meter.add(rowOf(known, response, { counted }))
}

/** Returns the row of a write, which commits with it. It counts unless it is a replay. */
export const callRow = (
  admitted: AdmittedCall,
  response: CallResponse,
  { dryRun, rows = null }: { dryRun: boolean; rows?: number | null | undefined },
): CallRow => {
  const { replayed = false, recordId } = response
  return rowOf(admitted, response, { rows, dry_run: dryRun, replayed, counted: !replayed, record_id: recordId })
}

/** Returns the row of a call that was logged before, with its response. */
export const settledRow = (call: TokenCall, row: CallRow, { status, code, about = null }: Outcome): CallRow => ({
  ...row,
  status,
  code,
  about,
  ms: millisecondsOf(call),
})

const millisecondsOf = ({ app: { clock }, call: { startedAt } }: TokenCall): number =>
  Math.round((clock.elapsed() - startedAt) * 1000) / 1000

type WriteFacts = { [column in 'rows' | 'dry_run' | 'replayed' | 'record_id']?: CallRow[column] | undefined }

function rowOf(
  known: KnownCall,
  { status, code, about = null }: Outcome,
  { counted, record_id, rows = null, dry_run = false, replayed = false }: WriteFacts & Pick<CallRow, 'counted'>,
): CallRow {
  const { app, call, ask, caller } = known
  return {
    ...{ status, code, about, rows, dry_run, replayed, counted },
    record_id: record_id ?? pathId(call.params),
    company_id: ask.companyId,
    token_id: caller.token_id,
    request_id: call.requestId,
    at: app.clock.now().toISOString(),
    route: call.route.id,
    ms: millisecondsOf(known),
    // The log shows any peer; only the allowlist is limited to IPv4.
    peer: ipv4Of(call.peer) ?? call.peer?.split('%')[0] ?? null,
    client: call.agent?.client ?? null,
  }
}
