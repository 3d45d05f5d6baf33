import type { Readable } from 'node:stream'
import type { ConsoleOperation } from '#derive/console/operation.ts'
import type { AnswerOf, BodyOf, ConsoleBody, ConsoleOperationName, QueryOf } from '#derive/console/operations.ts'
import type { Meta } from '#derive/console/responses.ts'
import type { StandardRoutes } from '#derive/routes.ts'
import type { Share } from '../fair/shares.ts'
import type { App as HttpApp } from '../http/app.ts'
import type { HttpRequest } from '../http/request-handler.ts'
import type { ApiResponse } from '../pipeline/call.ts'
import type { Body } from '../protocol/body.ts'
import type { Headers } from '../protocol/headers.ts'
import type { PasswordQueue } from '../service/password.ts'
import type { Session } from '../service/session.ts'
import type { Transaction } from '../store/database.ts'
import type { App as WebhooksApp } from '../webhooks/app.ts'
import type { Client } from './client.ts'

/** An operation at its path; one about records for each resource. */
export type ConsoleRoute = Omit<ConsoleOperation, 'needs'> & {
  /** What metrics and logs call it. */
  id: string
  /** A permission, `session` or `nobody`. */
  needs: string
  /** What a body may be sent as. */
  accepts: readonly string[]
  /** Bound once, at the start: no request looks for it. */
  answer: Handler<never>
}

/** What goes back. An export is written while it is read. */
export type ConsoleResult = Omit<ApiResponse, 'body'> & Changes & { body: string | Readable }

/** What an answer changes in the browser. */
export type Changes = {
  /** The text of a session that begins; null ends the one there is. */
  session?: string | null
  /** The devices of the browser from now on. */
  devices?: string
}

/** What an operation comes to. */
export type OperationResult<Name extends ConsoleOperationName> = ConsoleBody<AnswerOf<Name>> & Changes

/** What any operation comes to, or its whole answer. */
export type AnyResult = ({ data: unknown; meta?: Meta } & Changes) | ConsoleResult

/** Does an operation. Where the database writes the JSON, or where there is none, it makes the whole answer. */
export type Handler<Name extends ConsoleOperationName> = (
  asked: OperationRequest<Name>,
) => Promise<OperationResult<Name> | ConsoleResult>

/** Does an operation on records of one resource, whose routes of /v1 it is given, once, at the start. */
export type RecordsHandler<Name extends ConsoleOperationName> = (served: StandardRoutes) => Handler<Name>

/** A handler for each operation, of the sort that it needs. */
export type Handlers = {
  readonly [Name in ConsoleOperationName]: Name extends `records.${string}` ? RecordsHandler<Name> : Handler<Name>
}

/** A request for an operation, as it came in. */
export type IncomingRequest = HttpRequest & {
  app: App
  passwords: PasswordQueue
  route: ConsoleRoute
  /** What the browser shows of its session, and whether its cookie should have a prefix and has none. */
  sessionText: string | undefined
  sessionIsPlain: boolean
  /** What it shows of its devices. */
  devices: string | undefined
  client: Client
  /** The `{id}` of the path. */
  id: string | undefined
  /** Whose part of the service it takes. */
  share: Share
  /** Does without a slot of the limiter what waits for others, such as receiving a body. */
  outside<T>(work: () => Promise<T>): Promise<T>
  /** Is told whose session it is, as soon as that is known. */
  seen(session: Session): void
}

/** The same once it has been let in. */
export type AdmittedRequest = IncomingRequest & {
  headers: Headers
  /** Throws where the operation needs none and there is none. */
  session(): Session
  /** One transaction that reads what the company of the session has. */
  read<T>(work: (transaction: Transaction, companyId: number) => Promise<T>): Promise<T>
  /** The body as it was sent, received when it is asked for; a request that has none sends none. */
  bytes(): Promise<Body>
  /**
   * One transaction in which the session is held and its permission looked at again: when a sign-out, a disabling or a
   * lost permission has been answered, nothing of the old rights is still to come. What the work comes to is the answer;
   * with a key it is kept, and told again to a retry. A preview has no key.
   */
  change<T extends AnyResult>(
    work: (transaction: Transaction, session: Session) => Promise<T>,
    options?: ChangeOptions,
  ): Promise<T | ConsoleResult>
}

export type ChangeOptions = {
  isPreview?: boolean
  /** It takes rights away: it has the company's gate alone from the beginning, and is begun again where it waited in vain. */
  isRevocation?: boolean
}

/** What a handler is given: the parameters and the body that its operation says it has. */
export type OperationRequest<Name extends ConsoleOperationName> = AdmittedRequest & {
  parameters: { readonly [name in QueryOf<Name>]?: string }
  /** Received and read when it is asked for. */
  body(): Promise<BodyOf<Name>>
}

/** What the console needs of the app, passed by hand. */
export type App = HttpApp & WebhooksApp
