import { jsonTypes, patchTypes } from '#derive/operations/record.ts'
import { readBytes } from '../http/read-bytes.ts'
import {
  holdLiveSession,
  needPermission,
  renamePlainSession,
  type Session,
  seeLiveSession,
} from '../service/session.ts'
import { readBody } from '../walk/read-body.ts'
import { readHeaders } from '../walk/read-headers.ts'
import type { Asked, ConsoleReply, Incoming } from './asked.ts'
import { refuseCrossSite, refuseMisdirected } from './cross-site.ts'

/** The straight line of a request to the console: headers → session → same site → our address → permission → what is asked. */
export async function walkConsole(incoming: Incoming): Promise<ConsoleReply> {
  const { world, route, request, sessionText, sessionIsPlain } = incoming
  const headers = readHeaders(request.rawHeaders, route.method !== 'GET')
  const session = route.needs === 'nobody' ? undefined : await liveSession(incoming)
  if (route.method !== 'GET') {
    refuseCrossSite(world.config, request)
    refuseMisdirected(world.config, request)
  }
  if (session) needed(incoming, session)

  const bytes = () => incoming.outside(() => readBytes(request, incoming.room, route.bodyMax ?? smallBytes))
  const asked: Asked = {
    ...incoming,
    headers,
    session: () => {
      if (!session) throw new Error(`${route.id} has no session`)
      return session
    },
    bytes,
    body: async () => readBody(await bytes(), headers, bodyTypes(incoming)),
    change: (work) =>
      world.database.transaction(async (transaction) => {
        const held = await holdLiveSession(transaction, asked.session().key)
        needed(incoming, held)
        return work(transaction, held)
      }),
  }
  const reply = await route.answer(asked)
  if (!session || !sessionIsPlain || reply.session !== undefined) return reply
  await renamePlainSession(world.database, session)
  return { ...reply, session: sessionText as string }
}

/** Most of what the interface sends is a form; records are larger. */
const smallBytes = 4 * 1024

async function liveSession({ world, sessionText, sessionIsPlain, share, seen }: Incoming): Promise<Session> {
  const session = await seeLiveSession(world.database, sessionText, sessionIsPlain)
  share.tell(true)
  seen(session)
  return session
}

function needed({ route: { needs } }: Incoming, session: Session): void {
  if (needs !== 'session') needPermission(session, needs)
}

/** What a body may be sent as: a PATCH also as a merge patch. */
const bodyTypes = ({ route: { method } }: Incoming) => (method === 'PATCH' ? patchTypes : jsonTypes)
