import type { Readable } from 'node:stream'
import type { ConsoleOperation } from '#derive/console/operation.ts'
import type { AnswerOf, BodyOf, ConsoleBody, ConsoleOperationName, QueryOf } from '#derive/console/operations.ts'
import type { Meta } from '#derive/console/responses.ts'
import type { StandardRoutes } from '#derive/routes.ts'
import type { Share } from '../fair/shares.ts'
import type { App as HttpApp } from '../http/app.ts'
import type { HttpRequest } from '../http/request-handler.ts'
import type { PaperQueue } from '../paper/paper-queue.ts'
import type { ApiResponse } from '../pipeline/call.ts'
import type { Body } from '../protocol/body.ts'
import type { Headers } from '../protocol/headers.ts'
import type { PrefetchedRow } from '../records/look-up.ts'
import type { UnreadRecord } from '../records/write-set.ts'
import type { PasswordQueue } from '../service/password.ts'
import type { Session } from '../service/session.ts'
import type { Transaction } from '../store/database.ts'
import type { App as WebhooksApp } from '../webhooks/app.ts'
import type { WorkNeeds } from '../writes/caller.ts'
import type { Client } from './client.ts'

/** An operation at its path; operations on records have one for each resource. */
export type ConsoleRoute = Omit<ConsoleOperation, 'needs'> & {
  /** The name in metrics and logs. */
  id: string
  /** A permission, `session` or `nobody`. */
  needs: string
  /** The media types of a body. */
  accepts: readonly string[]
  /** The handler, bound once at the start, so that no request looks for it. */
  answer: Handler<never>
}

/** The whole answer. An export is sent while it is read. The ETag of an unread record is added after the commit. */
export type ConsoleResult = Omit<ApiResponse, 'body'> &
  Changes & { body: string | Buffer | Readable; unread?: UnreadRecord | undefined }

/** Changes of an answer in the browser. */
export type Changes = {
  /** The text of a new session; null ends the current one. */
  session?: string | null
  /** The new text with the devices of the browser. */
  devices?: string
}

/** The result of an operation. */
export type OperationResult<Name extends ConsoleOperationName> = ConsoleBody<AnswerOf<Name>> & Changes

/** The result of any operation, or its whole answer. */
export type AnyResult = ({ data: unknown; meta?: Meta } & Changes) | ConsoleResult

/** Runs an operation. It returns the whole answer if the database writes the JSON, or there is none. */
export type Handler<Name extends ConsoleOperationName> = (
  request: OperationRequest<Name>,
) => Promise<OperationResult<Name> | ConsoleResult>

/**
 * Creates the handler of an operation on records of one resource once, at the start, from the resource's routes of /v1.
 */
export type RecordsHandler<Name extends ConsoleOperationName> = (served: StandardRoutes) => Handler<Name>

/** A handler for each operation, of the type that it requires. */
export type Handlers = {
  readonly [Name in ConsoleOperationName]: Name extends `records.${string}` ? RecordsHandler<Name> : Handler<Name>
}

/** A request for an operation, as received. */
export type IncomingRequest = HttpRequest & {
  app: App
  passwords: PasswordQueue
  papers: PaperQueue
  route: ConsoleRoute
  /** The text of the session in the cookie, and whether the cookie lacks the prefix that it should have. */
  sessionText: string | undefined
  sessionIsPlain: boolean
  /** The text of the devices in the cookie. */
  devices: string | undefined
  client: Client
  /** The `{id}` of the path. */
  id: string | undefined
  /** The share of the service that it uses. */
  share: Share
  /** Runs work without a slot of the limiter while it waits for others, such as receiving a body. */
  outside<T>(work: () => Promise<T>): Promise<T>
  /** Called with the session as soon as it is known. */
  seen(session: Session): void
}

/** A request that is admitted. */
export type AdmittedRequest = IncomingRequest & {
  headers: Headers
  /** Returns the session. Throws if the operation allows anonymous callers and this one is anonymous. */
  session(): Session
  /** Returns the day of the session's company. */
  today(): string
  /** Runs one transaction that reads data of the session's company. */
  read<T>(work: (transaction: Transaction, companyId: number) => Promise<T>): Promise<T>
  /** Returns the body as sent, which is received on the first call; of a method without one, an empty body. */
  bytes(): Promise<Body>
  /**
   * Runs one transaction, which locks the session and checks its permission again. Once a sign-out, a disabling or a
   * lost permission is answered, no write with the old rights is still running. The result of the work is the answer.
   * With a key it is stored, and replayed to a retry. A preview has no key.
   */
  change<T extends AnyResult>(work: ChangeWork<T>, options?: ChangeOptions): Promise<T | ConsoleResult>
}

/** The work of a change; with needs it begins as a write of /v1 does: they are sent with the session. */
export type ChangeWork<T> = ChangeExecution<T> | (WorkNeeds & { execute: ChangeExecution<T> })
type ChangeExecution<T> = (transaction: Transaction, session: Session, prefetched: PrefetchedRow) => Promise<T>

export type ChangeOptions = {
  isPreview?: boolean
  /**
   * Whether it takes rights away: it takes the company's gate alone from the beginning, and is retried after a lock
   * time-out.
   */
  isRevocation?: boolean
  /**
   * Throws if the session may not be shown a stored answer (its JSON) that has a secret: it may have lost a right since.
   * Without it the secret is not shown again.
   */
  mayReplay?(transaction: Transaction, session: Session, answer: string): Promise<void>
}

export const revocation: ChangeOptions = { isRevocation: true }

/** The argument of a handler: with the parameters and the body that its operation declares. */
export type OperationRequest<Name extends ConsoleOperationName> = AdmittedRequest & {
  parameters: { readonly [name in QueryOf<Name>]?: string }
  /** Receives and parses the body on the first call. */
  body(): Promise<BodyOf<Name>>
}

/** The parts of the service that the console needs, passed as an argument. */
export type App = HttpApp & WebhooksApp
