import type { ExpectedVersion } from '#derive/expected-version.ts'
import { type Conditions, expectedOf } from '#derive/expected-version.ts'
import { readDryRun, readQuery } from '#derive/query.ts'
import type { Json } from '#registry/json.ts'
import { onlyJson, readBody } from '../protocol/body.ts'
import { type Headers, readHeaders } from '../protocol/headers.ts'
import type { Call } from './call.ts'

/** The parsed request of a write: headers first, then parameters, then the body. */
export type Intent = {
  dryRun: boolean
  body: Json
  expected: ExpectedVersion
  /** The conditional headers as sent, and the hash of the preview that the write must match. */
  conditions: Conditions
  ifPlan: string | undefined
  idempotencyKey?: string | undefined
  /** Whether the answer includes the record. */
  prefersRecord?: boolean
}

/** Returns whether a write reads nothing of its record before the commit. */
export const isFinal = ({ dryRun, ifPlan, prefersRecord = false }: Intent): boolean =>
  !dryRun && ifPlan === undefined && !prefersRecord

export function readIntent(call: Call, headers: Headers = readHeaders(call.rawHeaders, true)): Intent {
  const { body } = call.route
  return {
    dryRun: readWhetherDry(call, headers),
    body: body ? readBody(call.body, headers, body.types, body.valuesMax) : null,
    expected: expectedOf(headers),
    conditions: { ifMatch: headers.ifMatch, ifNoneMatch: headers.ifNoneMatch },
    ifPlan: headers.ifPlan,
    idempotencyKey: headers.idempotencyKey,
    prefersRecord: headers.prefersRecord,
  }
}

/** Throws if the headers, the parameters or the media type refuse the call before its body is read. */
export function readIntroduction(call: Call): void {
  const headers = readHeaders(call.rawHeaders, true)
  readWhetherDry(call, headers)
  if (call.route.body) onlyJson(headers, call.route.body.types)
}

function readWhetherDry(call: Call, headers: Headers): boolean {
  const query = readQuery(call.query, call.route)
  // Either of them makes a dry-run. Both are parsed, so that a mistake in either is refused. Decisions, Dry-run.
  const isDry = [readDryRun(headers.dryRun, 'X-Dry-Run'), readDryRun(query.get('dry_run'), 'dry_run')]
  return isDry.includes(true)
}
