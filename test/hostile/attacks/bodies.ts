import { createToken } from '#server/service/token-text.ts'
import type { Attack } from '../attack.ts'
import { bearer, json, megabyte, sameSite, unfinished, wire } from './wire.ts'

/** Bodies that nobody who may send one has sent, and that never end. */

const received = {
  most: 260,
  because:
    'beyond 64 KiB a body is not received before its sender is known, and bytes that wait are bounded; 128 KiB for each of a thousand connections, and what the engine has not collected yet',
}
const refusal = { most: 4, because: 'a refusal is a problem with a short detail' }

const allButTheLast = { announced: megabyte, sent: megabyte - 1 }

export const bodies: readonly Attack[] = [
  {
    name: 'bodies-without-token',
    about: 'Sends a megabyte but for its last byte over many connections, without a token.',
    bounds: { memory: received, answered: refusal },
    sockets: { short: 400, long: 1000 },
    run({ hold }) {
      const bytes = unfinished('/v1/projects', {}, allButTheLast)
      return hold({ send: () => bytes, reads: 'everything' })
    },
  },
  {
    name: 'bodies-with-forged-token',
    about: 'The same with a token of the right form that names the company of somebody else.',
    bounds: { memory: received, answered: refusal },
    sockets: { short: 400, long: 1000 },
    run({ ground, hold }) {
      const bytes = unfinished('/v1/projects', bearer(createToken(ground.victim.company)), allButTheLast)
      return hold({ send: () => bytes, reads: 'everything' })
    },
  },
  {
    name: 'bodies-of-many',
    about: 'The same without a token, from many peers, each of which sends little.',
    bounds: { memory: received, answered: refusal },
    peers: 200,
    sockets: { short: 400, long: 1000 },
    run({ hold }) {
      const bytes = unfinished('/v1/projects', {}, allButTheLast)
      return hold({ send: () => bytes, reads: 'everything' })
    },
  },
  {
    name: 'bodies-in-chunks',
    about: 'Sends a megabyte in a chunk that does not end, of a length that is not announced, without a token.',
    bounds: { memory: received, answered: refusal },
    sockets: { short: 400, long: 1000 },
    run({ hold }) {
      const head = wire('POST', '/v1/projects', { headers: { ...json, 'Transfer-Encoding': 'chunked' } })
      const bytes = Buffer.from(`${head}${megabyte.toString(16)}\r\n${' '.repeat(megabyte - 1)}`)
      return hold({ send: () => bytes, reads: 'everything' })
    },
  },
  {
    name: 'bodies-to-sign-in',
    about: 'Sends a megabyte but for its last byte to the sign-in over many connections.',
    bounds: { memory: received, answered: refusal },
    sockets: { short: 400, long: 1000 },
    run({ hold }) {
      const bytes = unfinished('/console/session', sameSite, allButTheLast)
      return hold({ send: () => bytes, reads: 'everything' })
    },
  },
  {
    name: 'expect-continue',
    about: 'Announces a megabyte with Expect: 100-continue, without a token, and waits to be told to go on.',
    bounds: {
      memory: received,
      answered: refusal,
      never: { statuses: [100], because: 'nobody is asked for a body that will be refused' },
    },
    sockets: { short: 200, long: 1000 },
    run({ hold }) {
      const bytes = unfinished('/v1/projects', { Expect: '100-continue' }, { announced: megabyte, sent: 0 })
      return hold({ send: () => bytes, reads: 'everything' })
    },
  },
  {
    name: 'cut-uploads',
    about: 'Sends half a body with a token and goes away, again and again.',
    bounds: { memory: received, answered: refusal },
    sockets: { short: 32, long: 64 },
    requests: 400,
    run({ ground, hitAndRun }) {
      const cut = { announced: 50_000, sent: 25_000 }
      const bytes = [
        unfinished('/v1/projects', bearer(ground.attacker.token), cut),
        unfinished('/console/session', sameSite, cut),
      ]
      return hitAndRun((index) => bytes[index % bytes.length] as Buffer)
    },
  },
]
