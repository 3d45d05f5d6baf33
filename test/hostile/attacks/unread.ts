import type { Attack } from '../attack.ts'
import type { Toolkit } from '../toolkit.ts'
import { bearer, json, wire } from './wire.ts'

/** Answers that are asked for and not read: what has been made waits in the memory of the one who made it. */

const waiting = {
  most: 240,
  because: 'bytes that wait to go out are bounded for each peer and for the process, and large files are streamed',
}
/** They are made by the database, three statements of sixteen at a time, before anybody can say how long they are. */
const made = {
  most: 360,
  because: 'at most 48 pages of 6 MB are on their way from the database, and what waits to go out is bounded',
}
const script = {
  most: 4500,
  because: 'the script of the reference page has 4,350 KB and is sent once for each request',
}
const documents = { most: 1200, because: 'no document is larger' }
const pages = { most: 6500, because: 'a page of a hundred records that are as long as they may be has 6,200 KB' }

/** As many records as a page holds, each with 60 KB of text: as much as one may hold. */
async function longRecords({ ground: { url, attacker } }: Toolkit): Promise<void> {
  const headers = { ...bearer(attacker.token), ...json }
  const body = JSON.stringify({ name: 'Long', description: '€'.repeat(10_000), notes: '€'.repeat(10_000) })
  const met = (await (await fetch(`${url}/v1/projects?limit=1`, { headers })).json()) as { meta: { total: number } }
  for (let count = met.meta.total; count < 100; count++) {
    const { status } = await fetch(`${url}/v1/projects`, { method: 'POST', headers, body })
    if (status !== 201) throw new Error(`a long record was answered ${status}`)
  }
}

const longPage = ({ ground }: Toolkit) =>
  wire('GET', '/v1/projects?limit=100', { headers: bearer(ground.attacker.token) })

/** The largest of the app's scripts, as its first page names them. */
async function appScript({ ground: { url } }: Toolkit): Promise<string> {
  const page = await (await fetch(url, { headers: { Accept: 'text/html' } })).text()
  const path = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1]
  if (path === undefined) throw new Error('the first page names no script')
  return path
}

export const unread: readonly Attack[] = [
  {
    name: 'unread-script',
    about: 'Asks for the script of the reference page over many connections, without a token, and reads nothing.',
    bounds: { memory: waiting, answered: script },
    sockets: { short: 200, long: 600 },
    run: ({ hold }) => hold({ send: () => wire('GET', '/v1/docs/scalar.js'), reads: 'nothing' }),
  },
  {
    name: 'unread-script-of-many',
    about: 'The same from many peers, each of which asks for little.',
    bounds: { memory: waiting, answered: script },
    peers: 200,
    sockets: { short: 200, long: 600 },
    run: ({ hold }) => hold({ send: () => wire('GET', '/v1/docs/scalar.js'), reads: 'nothing' }),
  },
  {
    name: 'unread-app',
    about: 'Asks for a script of the web interface sixteen times over each connection and reads nothing.',
    bounds: { memory: waiting, answered: documents },
    sockets: { short: 100, long: 600 },
    async run(toolkit) {
      const bytes = `${wire('GET', await appScript(toolkit))}`.repeat(16)
      await toolkit.hold({ send: () => bytes, reads: 'nothing', requests: 16 })
    },
  },
  {
    name: 'unread-openapi',
    about: 'Asks for the OpenAPI document sixteen times over each connection, without a token, and reads nothing.',
    bounds: { memory: waiting, answered: documents },
    sockets: { short: 60, long: 600 },
    run: ({ hold }) =>
      hold({ send: () => `${wire('GET', '/v1/openapi.json')}`.repeat(16), reads: 'nothing', requests: 16 }),
  },
  {
    name: 'unread-pages',
    about: 'Asks with a token for a page of a hundred long records over many connections and reads nothing.',
    bounds: { memory: made, answered: pages },
    sockets: { short: 80, long: 150 },
    setup: longRecords,
    run: (toolkit) => toolkit.hold({ send: () => longPage(toolkit), reads: 'nothing' }),
  },
  {
    name: 'unread-pipeline',
    about: 'Asks over two connections for a hundred long pages each, one after the other, and reads nothing.',
    bounds: { memory: made, answered: pages },
    sockets: { short: 2, long: 8 },
    setup: longRecords,
    run: (toolkit) => toolkit.hold({ send: () => `${longPage(toolkit)}`.repeat(100), reads: 'nothing', requests: 100 }),
  },
  {
    name: 'slow-readers',
    about: 'Asks for the script of the reference page and reads four kilobytes a second of it.',
    bounds: { memory: waiting, answered: script },
    sockets: { short: 200, long: 600 },
    run: ({ hold }) =>
      hold({ send: () => wire('GET', '/v1/docs/scalar.js'), reads: { bytes: 1024, everyMilliseconds: 250 } }),
  },
]
