import type { JsonObject } from '#registry/json.ts'
import { idempotencyKeyLengthMax, replayWindowHours } from '#registry/limits.ts'
import { etagExample, exampleId, requestId, writeIdExample } from '../examples.ts'
import { dryRunParameter } from '../parameters.ts'
import { idSchema, refTo } from './envelopes.ts'

/** Header parameters and response headers. Spec, Headers; Decisions, Idempotency, Dry-run and Conditional requests. */

/** `*`, or entity tags as RFC 9110 8.8.3 writes them, in ASCII. */
const oneTag = '(W/)?"[!#-~]*"'
const tags: JsonObject = { type: 'string', maxLength: 8192, pattern: `^(\\*|${oneTag}([ \\t]*,[ \\t]*${oneTag})*)$` }

/** The reference page sends every example of a header. Only X-Dry-Run has one, so that a first click writes nothing. */
export const parameterComponents = {
  Id: {
    name: 'id',
    in: 'path',
    required: true,
    description: 'Id of the record. An id that no live record of the company has gets 404.',
    schema: idSchema,
    example: exampleId,
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: `Runs the operation at most once. A retry with the same key, path and body gets the first answer again for ${replayWindowHours} hours, marked \`Idempotency-Replayed: true\`. Make a new key for every new operation, such as the UUID \`8f14e45f-ceea-467f-a8d9-2a4d7b1c9e10\`.`,
    schema: { type: 'string', minLength: 1, maxLength: idempotencyKeyLengthMax, pattern: '^[!-~]+$' },
  },
  DryRun: {
    name: 'X-Dry-Run',
    in: 'header',
    description:
      '`1` or `true`: check everything and write nothing; `0` or `false`: a real call. The query parameter `dry_run` says the same.',
    schema: { type: 'string', maxLength: 5, pattern: '^(1|true|0|false)$' },
    example: dryRunParameter.example as string,
  },
  IfPlan: {
    name: 'If-Plan',
    in: 'header',
    description:
      'The `hash` of a plan in quotes: the call does what its dry-run showed, or is answered with 412 `plan_changed` and the new plan.',
    schema: { type: 'string', maxLength: 52, pattern: '^"sha256-[A-Za-z0-9_-]{43}"$' },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description:
      '`return=representation` (RFC 7240): the answer has the whole `record` beside `data`, as you may see it, also where nothing changed. `Preference-Applied` says so. Not applied to a dry-run, to a replay, and for a token that may not read the record. Other preferences are ignored.',
    schema: { type: 'string', maxLength: 8192, pattern: '^[\\t -~\\x80-\\xff]*$' },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: `ETags that you have, such as \`${etagExample}\`, or \`*\`. Where one of them is still true, a read is answered with an empty 304, and an update or delete with 412.`,
    schema: tags,
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: `The ETag as you know it, such as \`${etagExample}\`. Where what it names has changed since, the answer is 412 and nothing is done.`,
    schema: tags,
  },
} satisfies { [name: string]: JsonObject }

const etag = 'Names this state of what was answered. Send it back in If-None-Match to read again, in If-Match to write.'

/** The header and its description, by the name of the component. */
const headers = {
  RequestId: requiredHeader('X-Request-Id', 'Names the request in the log of the service.', requestId),
  ETag: requiredHeader('ETag', etag, etagExample),
  NewETag: optionalHeader('ETag', `${etag} Absent in a dry-run.`, '"4-0cZt8yFhQ1mVw6LrEoUxKg"'),
  Location: requiredHeader('Location', 'Path of the new record.', `/v1/projects/${exampleId}`),
  CacheControl: requiredHeader(
    'Cache-Control',
    'Only the caller may keep it, and asks again before using it.',
    'private, no-cache',
  ),
  Vary: requiredHeader(
    'Vary',
    'The answer depends on the token, and its form on the codings taken.',
    'Authorization, Accept-Encoding',
  ),
  Links: optionalHeader(
    'Link',
    'The pages around this one (RFC 8288): `next`, `prev`, `first`; of a walk, which begins with `after_id=0`, `next` while more follows, and `first`. At most 3,000 characters: else `next` alone, or none. Absent where this page is all.',
    '</v1/projects?limit=50&offset=50>; rel="next"',
  ),
  NoStore: requiredHeader('Cache-Control', 'A refusal is not kept.', 'no-store'),
  AllowOrigin: requiredHeader('Access-Control-Allow-Origin', 'Pages of any site may load it.', '*'),
  Replayed: optionalHeader(
    'Idempotency-Replayed',
    'There when this is the answer of an earlier request with the same key.',
    'true',
  ),
  WriteId: optionalHeader(
    'X-Write-Id',
    'Names what was written, for good; a replay tells that of the first answer. Absent in a dry-run.',
    writeIdExample,
  ),
  PreferenceApplied: optionalHeader(
    'Preference-Applied',
    'There when the answer has the `record` that `Prefer` asked for (RFC 7240).',
    'return=representation',
  ),
  OriginalRequestId: optionalHeader(
    'Idempotency-Original-Request-Id',
    'With `Idempotency-Replayed`: the X-Request-Id of the earlier request, which a replayed problem has in `request_id`.',
    requestId,
  ),
  Challenge: requiredHeader(
    'WWW-Authenticate',
    'How to authenticate (RFC 6750), with `error="invalid_token"` where a token was sent.',
    'Bearer',
  ),
  ScopeChallenge: optionalHeader(
    'WWW-Authenticate',
    'With `insufficient_scope`: the scope that is needed (RFC 6750).',
    'Bearer error="insufficient_scope", scope="PROJECTS_VIEW"',
  ),
  RetryAfter: seconds(
    true,
    'Seconds to wait before the request is repeated; whoever repeats it sooner is refused again.',
  ),
  RetryWhileRunning: seconds(false, 'Seconds to wait; with `idempotency_in_progress` only.'),
  RateLimitPolicy: optionalHeader(
    'RateLimit-Policy',
    'There where the service limits the calls of a token: the quota `q` of a window of `w` seconds.',
    '"token";q=600;w=60',
  ),
  RateLimit: optionalHeader(
    'RateLimit',
    'There where the service limits the calls of a token: `r` calls are left, and in `t` seconds all of them are again.',
    '"token";r=599;t=60',
  ),
  Accept: requiredHeader('Accept', 'The content types that are taken.', 'application/json'),
  AcceptPatch: requiredHeader(
    'Accept-Patch',
    'The content types that are taken (RFC 5789).',
    'application/merge-patch+json, application/json',
  ),
  AcceptEncoding: optionalHeader(
    'Accept-Encoding',
    'Where the body was coded: the codings that are taken.',
    'identity',
  ),
} satisfies { [component: string]: { name: string; header: JsonObject } }

export type HeaderComponent = keyof typeof headers

export const headerComponents = (): JsonObject =>
  Object.fromEntries(Object.entries(headers).map(([component, { header }]) => [component, header]))

/** Returns those headers as a response lists them. */
export const headersOf = (components: readonly HeaderComponent[]): JsonObject =>
  Object.fromEntries(components.map((component) => [headers[component].name, refTo(component, 'headers')]))

/** Returns a header that always occurs. The next function returns one that sometimes occurs. */
function requiredHeader(name: string, description: string, example: string) {
  return { name, header: { description, required: true, schema: { type: 'string', maxLength: 8192 }, example } }
}

function seconds(required: boolean, description: string) {
  const schema = { type: 'integer', format: 'int32', minimum: 0, maximum: 86_400 }
  return { name: 'Retry-After', header: { description, required, schema, example: 1 } }
}

function optionalHeader(name: string, description: string, example: string) {
  return { name, header: { description, schema: { type: 'string', maxLength: 8192 }, example } }
}
