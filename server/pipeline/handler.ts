import type { DocumentOptions } from '#derive/openapi.ts'
import type {
  DataOperation,
  OnResource,
  Operation,
  OwnOperation,
  ResourceOperation,
} from '#derive/operations/operation.ts'
import type { DataRoute, ReferenceRoute, ResourceRoute, Route } from '#derive/routes.ts'
import type { Refusal } from '#registry/refusals.ts'
import type { BatchableRead } from '#sql/batchable.ts'
import type { Statement } from '#sql/statement.ts'
import type { CallerAsk } from '#sql/system/caller.ts'
import type { Conditions } from '../protocol/entity-tags.ts'
import type { Command } from '../records/command.ts'
import type { PermissionCheck } from '../records/remove.ts'
import type { Watermark } from '../service/change-watch.ts'
import type { App } from './app.ts'
import type { ApiResponse, Call } from './call.ts'
import type { Intent } from './read-intent.ts'
import type { StoredResponse } from './stored-response.ts'

/**
 * What an operation does, bound to its route once, at the start. What is asked is read, and refused, before anything is
 * looked up: a read then has a statement that fetches it together with its caller, a write its work.
 */
export type ReadHandler<On = DataRoute> = (route: On) => ReadStep
export type ReadStep = (call: Call, query: ReadonlyMap<string, string>) => PlannedRead

export type PlannedRead = {
  statement(ask: CallerAsk, config: App['config']): Statement | BatchableRead
  reply(row: ReadRow, conditions: Conditions): ApiResponse
  /** How long the answer may be put off while there is nothing to tell; undefined where there is. */
  waits?(row: ReadRow): { seconds: number; seen: Watermark } | undefined
}

/** What came back beside the caller. */
type ReadRow = { readonly [column: string]: unknown }

export type WriteHandler<On = DataRoute> = (route: On) => Write
/** `mayDo` is asked for what goes along with a deletion; /v1 asks for the scopes of its route and nothing more. */
export type Write = (companyId: number, call: CallOfWrite, intent: Intent, mayDo?: PermissionCheck) => WriteCommand

export type CallOfWrite = Pick<Call, 'params' | 'requestId' | 'errorsPage'>

/** `rows` is how many operations a batch has; in a `series` each of them has a transaction of its own. */
export type WriteCommand = Command<StoredResponse> & { rows?: number; series?: Series }

/** Operations one after the other. What came of one is a text, which is kept under the key of the call. */
export type Series = {
  length: number
  /** What the operation does; `textOf` says what came of one before it. */
  part(n: number, textOf: (n: number) => string): Command<string>
  refused(n: number, refusal: Refusal): string
  /** The answer of the call. */
  say(texts: readonly string[]): StoredResponse
}

/** A document about the API. */
export type DocumentHandler = (asked: DocumentRequest) => {
  body: string | Buffer
  headers?: { readonly [name: string]: string }
}

/** `all` are the routes that are served; `script` is the path of the script of the reference page. */
export type DocumentRequest = { all: readonly Route[]; about: DocumentOptions; script: string }

/** A handler for each operation, of the sort that it needs. */
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

/** By the name of the operation. */
export type Handlers = {
  // biome-ignore lint/suspicious/noExplicitAny: which sort a handler is, is known of each by its operation
  readonly [operation: string]: ReadHandler<any> | WriteHandler<any> | DocumentHandler
}
