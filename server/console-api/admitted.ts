import { Refusal } from '#registry/refusals.ts'
import type { Share } from '../fair/shares.ts'
import type { Admission, Sort } from '../http/gate.ts'
import { claimOfSession } from '../service/session.ts'
import type { World } from '../world.ts'
import type { ConsoleReply, Incoming } from './asked.ts'
import { walkConsole } from './walk-console.ts'

/**
 * Lets a request of the web interface through the gate that calls go through too. Whoever is signed in has the share of
 * his company's office; who signs in, that of his peer. Decisions, Overload.
 */
export async function admitted(
  { gate, shares }: Admission,
  incoming: Omit<Incoming, 'share' | 'outside'>,
): Promise<ConsoleReply> {
  const { world, sessionText, client } = incoming
  const share = shares.of(claimOfSession(sessionText), client.peer)
  const sort = sortOf(incoming)
  const enter = async (): Promise<number> => {
    if (!(await gate.enter(sort, share))) throw new Refusal('overloaded', { headers: { 'Retry-After': '1' } })
    return world.clock.elapsed()
  }
  let enteredAt: number | undefined = await enter()
  const leave = (): void => {
    if (enteredAt !== undefined) gate.leave(sort, share, enteredAt)
    enteredAt = undefined
  }
  try {
    return await walkConsole({
      ...incoming,
      world: sharedBy(world, share),
      share,
      // Who sends slowly takes no place meanwhile.
      outside: async (work) => {
        leave()
        const done = await work()
        enteredAt = await enter()
        return done
      },
    })
  } finally {
    leave()
  }
}

function sortOf({ route, devices }: Pick<Incoming, 'route' | 'devices'>): Sort {
  if (route.needs === 'nobody') return devices === undefined ? 'sign-ins' : 'known-sign-ins'
  return route.method === 'GET' ? 'reads' : 'writes'
}

/** The same world, of whose connections the share is taken. */
const sharedBy = (world: World, share: Share): World => ({
  ...world,
  database: {
    ...world.database,
    read: (statement) => world.database.read(statement, share),
    transaction: (work) => world.database.transaction(work, share),
  },
})
