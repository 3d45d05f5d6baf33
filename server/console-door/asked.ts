import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { Json } from '#registry/json.ts'
import type { Share } from '../fair/shares.ts'
import type { Room } from '../http/connections.ts'
import type { World } from '../http/world.ts'
import type { PasswordDesk } from '../service/password.ts'
import type { Session } from '../service/session.ts'
import type { Transaction } from '../store/database.ts'
import type { Body, Reply } from '../walk/call.ts'
import type { Headers } from '../walk/read-headers.ts'
import type { Client } from './client.ts'

/** A route of the console, as data: who may ask, and what answers. */
export type ConsoleRoute = {
  /** What metrics and logs call it. */
  id: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With `{id}` where one of several is meant. */
  path: string
  /** A permission; `session` is anybody who is signed in, `nobody` needs no session. */
  needs: string
  /** Bytes that its body may have, where a small one would not do. */
  bodyMax?: number
  /** Its answer has a secret in it, and is never compressed: how small it gets would tell of the secret. */
  showsToken?: true
  answer: (asked: Asked) => Promise<ConsoleReply>
}

/** What goes back. An export is written while it is read. */
export type ConsoleReply = Omit<Reply, 'body'> & {
  body: string | Buffer | Readable
  /** The text of a session that begins; null ends the one there is. */
  session?: string | null
  /** The devices of the browser from now on. */
  devices?: string
}

/** A request to the console as it came in. */
export type Incoming = {
  world: World
  desk: PasswordDesk
  route: ConsoleRoute
  request: IncomingMessage
  /** Where what the request sends is held. */
  room: Room
  /** What the browser shows of its session, and whether its cookie should have a prefix and has none. */
  sessionText: string | undefined
  sessionIsPlain: boolean
  /** What it shows of its devices. */
  devices: string | undefined
  client: Client
  path: string
  /** What follows the question mark. */
  query: string
  /** The `{id}` of the path as it was sent. */
  id: string | undefined
  /** Whose part of the service it takes. */
  share: Share
  /** Does what takes the time of whoever asks and not ours, such as sending a body. */
  outside<T>(work: () => Promise<T>): Promise<T>
  requestId: string
  startedAt: number
  /** Is told whose session it is, as soon as that is known. */
  seen(session: Session): void
}

/** The same when whoever asks has been let in. */
export type Asked = Incoming & {
  headers: Headers
  /** Throws where the route needs none and there is none. */
  session(): Session
  /** The body as it was sent, received when it is asked for; a request that has none sends none. */
  bytes(): Promise<Body>
  /** The body as JSON, read when it is asked for. */
  body(): Promise<Json>
  /**
   * One transaction in which the session is held and its permission looked at again: when a sign-out, a disabling or a
   * lost permission has been answered, nothing of the old rights is still to come.
   */
  change<T>(work: (transaction: Transaction, session: Session) => Promise<T>): Promise<T>
}

/** The routes of each path, by method. */
export function pathsOf(routes: readonly ConsoleRoute[]): Map<string, Map<string, ConsoleRoute>> {
  const paths = new Map<string, Map<string, ConsoleRoute>>()
  for (const route of routes)
    paths.set(route.path, (paths.get(route.path) ?? new Map<string, ConsoleRoute>()).set(route.method, route))
  return paths
}
