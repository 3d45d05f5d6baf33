import type { Shape } from '#derive/console/operation.ts'
import { readPairs } from '#derive/parameters.ts'
import { bodyBytesMax } from '#registry/limits.ts'
import { readBytes } from '../http/read-bytes.ts'
import {
  holdLiveSession,
  needPermission,
  renamePlainSession,
  type Session,
  seeLiveSession,
} from '../service/session.ts'
import type { Transaction } from '../store/database.ts'
import { readBody } from '../walk/read-body.ts'
import { readHeaders } from '../walk/read-headers.ts'
import type { Asking, ConsoleReply, ConsoleRoute, Handler } from './asked.ts'
import { refuseCrossSite, refuseMisdirected } from './cross-site.ts'
import { handlers } from './handlers.ts'
import { readMembers } from './read-members.ts'
import { replyTo } from './reply.ts'

/** The straight line of a request to the console: headers → session → same site → our address → permission → what is asked. */
export async function walkConsole(asking: Asking): Promise<ConsoleReply> {
  const { world, route, request, sessionText, sessionIsPlain } = asking
  const headers = readHeaders(request.rawHeaders, route.method !== 'GET')
  const session = route.needs === 'nobody' ? undefined : await liveSession(asking)
  if (route.method !== 'GET') {
    refuseCrossSite(world.config, request)
    refuseMisdirected(world.config, request)
  }
  if (session) needed(asking, session)

  const most = route.body === 'a record' ? bodyBytesMax : smallBytes
  const bytes = () => asking.outside(() => readBytes(request, asking.room, most))
  const asked = {
    ...asking,
    headers,
    session: () => {
      if (!session) throw new Error(`${route.id} has no session`)
      return session
    },
    bytes,
    records: route.records,
    parameters: readParameters(asking),
    body: async () => readMembers(readBody(await bytes(), headers, typesOf(route)), route.body as Shape),
    change: <T>(work: (transaction: Transaction, session: Session) => Promise<T>) =>
      world.database.transaction(async (transaction) => {
        const held = await holdLiveSession(transaction, asked.session().key)
        needed(asking, held)
        return work(transaction, held)
      }),
  }
  // The list of handlers has, for each operation, the one that takes what the operation says it has.
  const done = await (handlers[route.operation] as Handler<never>)(asked as never)
  const reply = 'status' in done ? done : replyTo(route, done)
  if (!session || !sessionIsPlain || reply.session !== undefined) return reply
  await renamePlainSession(world.database, session)
  return { ...reply, session: sessionText as string }
}

/** Most of what the interface sends is a form; records are larger. */
const smallBytes = 4 * 1024

async function liveSession({ world, sessionText, sessionIsPlain, share, seen }: Asking): Promise<Session> {
  const session = await seeLiveSession(world.database, sessionText, sessionIsPlain)
  share.tell(true)
  seen(session)
  return session
}

function needed({ route: { needs } }: Asking, session: Session): void {
  if (needs !== 'session') needPermission(session, needs)
}

/** The parameters of a request, each known to its operation and given once; those of records are read by their definition. */
function readParameters({ query, route }: Asking): { readonly [name: string]: string } {
  if (route.records && !route.query) return {}
  return Object.fromEntries(readPairs(query, route.query ?? [], `${route.method} ${route.path}`))
}

/** What a body may be sent as: a PATCH also as a merge patch. */
const typesOf = ({ method }: ConsoleRoute) => ({ operation: method === 'PATCH' ? 'update' : 'create' }) as const
