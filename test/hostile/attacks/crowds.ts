import { batchOperationsMax, searchLengthMax } from '#registry/limits.ts'
import { createToken } from '#server/service/token-text.ts'
import type { Attack } from '../attack.ts'
import { bearer, inTurn, json, sameSite, wire } from './wire.ts'

/** Requests as anybody may send them, and too many of them. */

const underWay = { most: 240, because: 'what is let in at once is bounded, and what waits is bounded' }
const refusal = { most: 4, because: 'a refusal is a problem with a short detail' }
const page = { most: 150, because: 'a page of a hundred short records is no larger' }

const wrongPassword = (index: number) =>
  wire('POST', '/console/session', {
    headers: { ...sameSite, ...json },
    body: JSON.stringify({ email: `stranger${index}@example.com`, password: `wrong password ${index}` }),
  })

export const crowds: readonly Attack[] = [
  {
    name: 'pipelining',
    about: 'One company asks for two thousand pages over one connection before it reads the first.',
    bounds: { memory: underWay, answered: page },
    sockets: { short: 1, long: 1 },
    requests: 4000,
    run({ ground, flood }) {
      const bytes = wire('GET', '/v1/clients?limit=100&sort=name', { headers: bearer(ground.attacker.token) })
      return flood({ ahead: 2000, next: () => bytes })
    },
  },
  {
    name: 'one-company',
    about: 'One company asks over 256 connections, for pages, searches and new records.',
    bounds: { memory: underWay, answered: page },
    sockets: { short: 256, long: 256 },
    requests: 2000,
    run({ ground, flood }) {
      const headers = bearer(ground.attacker.token)
      return flood({
        ahead: 1,
        next: inTurn([
          wire('GET', '/v1/clients?limit=100', { headers }),
          wire('GET', '/v1/clients?q=harbour', { headers }),
          wire('POST', '/v1/clients', { headers: { ...headers, ...json }, body: '{"name":"One of many harbour"}' }),
          wire('GET', '/v1/clients/1', { headers }),
        ]),
      })
    },
  },
  {
    name: 'long-polls',
    about:
      'One company waits for a change over 3,000 connections, all of which are cut and come back at once, every five seconds.',
    bounds: {
      memory: { most: 240, because: 'a poll that waits holds its connection and nothing else' },
      answered: refusal,
      p99Ratio: { most: 10, because: 'three thousand connections that come at once have to be accepted' },
    },
    settings: { CONNECTIONS_MAX: '4096' },
    sockets: { short: 400, long: 3000 },
    async run({ ground, storm }) {
      const headers = bearer(ground.attacker.token)
      const answer = await fetch(`${ground.url}/v1/changes?after=now`, { headers })
      const { meta } = (await answer.json()) as { meta: { next: string } }
      const bytes = wire('GET', `/v1/changes?after=${meta.next}&wait=30`, { headers })
      await storm({ send: () => bytes, everyMilliseconds: 5000 })
    },
  },
  {
    name: 'forged-tokens',
    about: 'Asks with tokens of the right form that name the company of somebody else, another one each time.',
    bounds: { memory: underWay, answered: refusal },
    sockets: { short: 128, long: 256 },
    requests: 4000,
    run: ({ ground, flood }) =>
      flood({
        ahead: 8,
        next: () => wire('GET', '/v1/clients?limit=100', { headers: bearer(createToken(ground.victim.company)) }),
      }),
  },
  {
    name: 'sign-ins',
    about: 'Tries to sign in over 64 connections of one peer, each time as somebody else.',
    bounds: { memory: underWay, answered: refusal },
    othersSignIn: true,
    sockets: { short: 64, long: 64 },
    requests: 160,
    run: ({ flood }) => flood({ ahead: 1, next: wrongPassword }),
  },
  {
    name: 'sign-ins-of-many',
    about: 'The same from a hundred peers. The others have signed in before, and show it.',
    bounds: { memory: underWay, answered: refusal },
    othersSignIn: true,
    peers: 100,
    sockets: { short: 300, long: 300 },
    requests: 600,
    run: ({ flood }) => flood({ ahead: 1, next: wrongPassword }),
  },
  {
    name: 'costly-queries',
    about: 'One company asks over 32 connections for whatever reads costs most: far offsets, short and long searches.',
    bounds: { memory: underWay, answered: page },
    sockets: { short: 32, long: 32 },
    requests: 320,
    run({ ground, flood }) {
      const queries = [
        'offset=2147483647&limit=100',
        'q=a',
        'q=ou',
        `q=${'harbour%20'.repeat(30).slice(0, 3 * Math.floor(searchLengthMax / 3))}`,
        `q=${'%F0%9F%9A%A7'.repeat(searchLengthMax / 2)}`,
        'q=%25_%25_%25_%25_%25&sort=-name&offset=99',
        'status=ACTIVE&kind=COMPANY&category_id=9007199254740991&sort=-created_at&limit=100',
      ]
      const headers = bearer(ground.attacker.token)
      return flood({ ahead: 1, next: inTurn(queries.map((query) => wire('GET', `/v1/clients?${query}`, { headers }))) })
    },
  },
  {
    name: 'dry-runs',
    about: 'One company asks over 64 connections for dry-runs, which are neither metered nor kept.',
    bounds: { memory: underWay, answered: refusal },
    sockets: { short: 64, long: 64 },
    requests: 640,
    run({ ground, flood }) {
      const headers = { ...bearer(ground.attacker.token), ...json, 'X-Dry-Run': '1' }
      return flood({
        ahead: 1,
        next: inTurn([
          wire('POST', '/v1/projects', { headers, body: '{"name":"Never"}' }),
          wire('DELETE', '/v1/clients/1', { headers }),
        ]),
      })
    },
  },
  {
    name: 'keys',
    about: 'One company creates record after record over 32 connections, each with an Idempotency-Key of its own.',
    bounds: { memory: underWay, answered: refusal },
    sockets: { short: 32, long: 32 },
    requests: 600,
    run({ ground, flood }) {
      const headers = { ...bearer(ground.attacker.token), ...json }
      const own = crypto.randomUUID()
      return flood({
        ahead: 1,
        next: (index) =>
          wire('POST', '/v1/clients', {
            headers: { ...headers, 'Idempotency-Key': `${own}-${index}-${'k'.repeat(200)}` },
            body: '{"name":"Keyed"}',
          }),
      })
    },
  },
  {
    name: 'batches',
    about: 'One company sends batch after batch of a thousand records over 4 connections, of both modes.',
    bounds: { memory: underWay, answered: { most: 160, because: 'each of a thousand operations has its answer' } },
    sockets: { short: 2, long: 4 },
    requests: 4,
    run({ ground, flood }) {
      const headers = { ...bearer(ground.attacker.token), ...json }
      const own = crypto.randomUUID()
      return flood({
        ahead: 1,
        next: (index) => {
          const operations = Array.from({ length: batchOperationsMax }, (_, n) => ({
            ...{ op: 'create', records: 'clients' },
            body: { name: `Harbour client ${n}`, external_ref: `${own}-${index}-${n}`, notes: 'One of very many.' },
          }))
          return wire('POST', '/v1/batch', {
            headers,
            body: JSON.stringify({ mode: index % 4 === 3 ? 'each' : 'all', operations }),
          })
        },
      })
    },
  },
]
