import type { Conditions } from '#derive/expected-version.ts'
import type { DocumentOptions } from '#derive/openapi.ts'
import type {
  DataOperation,
  OnResource,
  Operation,
  OwnOperation,
  ResourceOperation,
} from '#derive/operations/operation.ts'
import type { DataRoute, ReferenceRoute, ResourceRoute, Route } from '#derive/routes.ts'
import type { JsonObject } from '#registry/json.ts'
import type { Refusal } from '#registry/refusals.ts'
import type { BatchableRead } from '#sql/batchable.ts'
import type { Statement } from '#sql/statement.ts'
import type { CallerAsk } from '#sql/system/caller.ts'
import type { Command } from '../records/write-record.ts'
import type { Watermark } from '../service/change-watch.ts'
import type { App } from './app.ts'
import type { Call } from './call.ts'
import type { Intent } from './read-intent.ts'
import type { CallResponse } from './response.ts'

/**
 * The handlers of operations, each bound to its route once, at the start. A request is parsed, and refused, before any
 * statement. A read then has a statement that returns its rows with the caller, a write its command.
 */
export type ReadHandler<On = DataRoute> = (route: On) => ReadStep
/** Plans a read. Its refusals are thrown once the caller is known. Until then nothing has verified the company in `ask`. */
export type ReadStep = (call: Call, query: ReadonlyMap<string, string>, context: ReadContext) => PlannedRead

/** The caller of a read as it names itself, and the settings of the service. */
export type ReadContext = { ask: CallerAsk; config: App['config'] }

export type PlannedRead = {
  statement: Statement | BatchableRead
  reply(row: ReadRow, conditions: Conditions): CallResponse
  /** Returns how long to wait if there is nothing new; undefined if there is. */
  waits?(row: ReadRow): { seconds: number; seen: Watermark } | undefined
}

/** The columns beside those of the caller. */
type ReadRow = { readonly [column: string]: unknown }

export type WriteHandler<On = DataRoute> = (route: On) => Write
export type Write = (companyId: number, call: CallOfWrite, intent: Intent) => WriteCommand

export type CallOfWrite = Pick<Call, 'params' | 'requestId' | 'errorsPage'>

/**
 * The work of a write, and the response for its result. `rows` is the number of operations of a batch. In a `series` each
 * operation has a transaction of its own.
 */
export type WriteCommand<Response = CallResponse> = Command<unknown> & {
  respond(result: unknown): Response
  rows?: number
  series?: Series
}

/** Operations that run one after the other. The outcome of each is stored under the key of the call. */
export type Series = {
  length: number
  /** Returns the command of an operation; `outcomeOf` returns the outcome of an earlier one. */
  part(n: number, outcomeOf: (n: number) => JsonObject): WriteCommand<JsonObject>
  refused(n: number, refusal: Refusal): JsonObject
  respond(outcomes: JsonObject[]): CallResponse
}

/** Returns a document about the API. */
export type DocumentHandler = (request: DocumentRequest) => {
  body: string | Buffer
  headers?: { readonly [name: string]: string }
}

/** `all` are the routes that are served; `script` is the path of the script of the reference page. */
export type DocumentRequest = { all: readonly Route[]; about: DocumentOptions; script: string }

/** A handler for each operation, of the type that its definition requires. */
export type HandlersOf<Standard, Own, OfReferences = unknown> = {
  readonly [name in keyof Standard]: Standard[name] extends ResourceOperation<infer Does>
    ? HandlerOf<OnResource<Does>, ResourceRoute>
    : never
} & { readonly [id in keyof Own]: Own[id] extends OwnOperation<infer Is> ? HandlerOf<Is, DataRoute> : never } & {
  readonly [name in keyof OfReferences]: ReadHandler<ReferenceRoute>
}

type HandlerOf<Is extends Operation, On> =
  Is extends DataOperation<'read'>
    ? ReadHandler<On>
    : Is extends DataOperation<'write'>
      ? WriteHandler<On>
      : DocumentHandler

/** Handlers by the name of the operation. */
export type Handlers = {
  // biome-ignore lint/suspicious/noExplicitAny: which sort a handler is, is known of each by its operation
  readonly [operation: string]: ReadHandler<any> | WriteHandler<any> | DocumentHandler
}
