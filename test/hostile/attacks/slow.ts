import type { Attack } from '../attack.ts'
import { unfinished } from './wire.ts'

/** Connections that do next to nothing, and are there. */

const held = {
  most: 240,
  because: 'connections are capped by what memory there is, each with little of its own, and end when they make no way',
}
const refusal = { most: 4, because: 'a refusal is a problem with a short detail' }

export const slow: readonly Attack[] = [
  {
    name: 'idle-sockets',
    about: 'Opens connections and says nothing.',
    bounds: { memory: held, answered: refusal },
    sockets: { short: 1500, long: 5000 },
    run: ({ hold }) => hold({ send: () => '', reads: 'everything' }),
  },
  {
    name: 'slow-headers',
    about: 'Sends a header by one byte a second.',
    bounds: { memory: held, answered: refusal },
    sockets: { short: 400, long: 2000 },
    run: ({ hold }) =>
      hold({
        send: () => 'GET /v1/projects HTTP/1.1\r\nHost: localhost\r\nX-Slow: ',
        trickle: { bytes: 'x', everyMilliseconds: 1000 },
        reads: 'everything',
      }),
  },
  {
    name: 'slow-bodies',
    about: 'Sends a body by one byte a second, without a token.',
    bounds: { memory: held, answered: refusal },
    sockets: { short: 400, long: 2000 },
    run: ({ hold }) =>
      hold({
        send: () => unfinished('/v1/projects', {}, { announced: 9999, sent: 1 }),
        trickle: { bytes: ' ', everyMilliseconds: 1000 },
        reads: 'everything',
      }),
  },
  {
    name: 'come-and-go',
    about: 'Opens connections and goes away without a word, again and again.',
    bounds: { memory: held, answered: refusal },
    sockets: { short: 32, long: 64 },
    requests: 1000,
    run: ({ hitAndRun }) => hitAndRun(() => ''),
  },
]
