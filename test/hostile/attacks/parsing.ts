import { type Field, kindOf } from '#registry/fields/index.ts'
import { bodyBytesMax, bodyValuesMax } from '#registry/limits.ts'
import { registry } from '#registry/resources/index.ts'
import type { Attack } from '../attack.ts'
import type { Bytes } from '../toolkit.ts'
import { bearer, inTurn, json, sameSite, wire } from './wire.ts'

/** Texts that cost whoever reads them more than whoever sends them. */

const read = { most: 240, because: 'a body has a megabyte at most, and only a few are read at once' }
const problems = {
  most: 64,
  because: 'all problems of known fields, of unknown members a hundred and a count, and a short detail',
}
const refusal = { most: 4, because: 'a refusal is a problem with a short detail' }

const create = (token: string, body: string, path = '/v1/clients'): Buffer =>
  Buffer.from(wire('POST', path, { headers: { ...bearer(token), ...json }, body }))

const signIn = (body: string): Buffer =>
  Buffer.from(wire('POST', '/console/session', { headers: { ...sameSite, ...json }, body }))

const unknownMembers = (count: number): string =>
  `{${Array.from({ length: count }, (_, index) => `"${index.toString(36)}":1`).join(',')}}`

const most = bodyBytesMax - 2000

/** A field for each pattern there is, and the collection that it is sent to. */
const patterned = (): { path: string; name: string; field: Field }[] => {
  const byPattern = new Map<string, { path: string; name: string; field: Field }>()
  for (const { name: collection, served, fields } of registry) {
    for (const [name, field] of Object.entries(fields)) {
      const { pattern } = kindOf(field).schema(field)
      if (served && !field.readOnly && pattern !== undefined)
        byPattern.set(String(pattern), { path: `/v1/${collection}`, name, field })
    }
  }
  return [...byPattern.values()]
}

/** What patterns stumble over: much of what one part takes and the next takes as well, and an end that fits nothing. */
const repeated = ['.', 'a.', 'a', '@', '0', '-', ' ', '/']
const kilobytes = [60, 250, 1000]

function hostileTexts(token: string): Bytes[] {
  return patterned().flatMap(({ path, name, field }, row) =>
    repeated.map((part, column) => {
      const length = 1000 * (kilobytes[(row + column) % kilobytes.length] as number)
      const text = `${kindOf(field).example(field)}${part.repeat(length / part.length)} !`
      return create(token, JSON.stringify({ name: 'Hostile', [name]: text }), path)
    }),
  )
}

export const parsing: readonly Attack[] = [
  {
    name: 'unknown-members',
    about: 'Sends, with a token, bodies of ten and of a hundred thousand members that nobody knows.',
    bounds: { memory: read, answered: problems },
    sockets: { short: 2, long: 8 },
    requests: 4,
    run({ ground, flood }) {
      const bodies = [unknownMembers(bodyValuesMax), unknownMembers(100_000)]
      return flood({ ahead: 1, next: inTurn(bodies.map((body) => create(ground.attacker.token, body))) })
    },
  },
  {
    name: 'unknown-members-to-sign-in',
    about: 'Sends a hundred thousand of them to the sign-in, without a session.',
    bounds: { memory: read, answered: refusal },
    sockets: { short: 2, long: 8 },
    requests: 4,
    run({ flood }) {
      const bytes = signIn(unknownMembers(100_000))
      return flood({ ahead: 1, next: () => bytes })
    },
  },
  {
    name: 'deep-nesting',
    about: 'Sends, with a token, lists and objects that stand in each other half a million deep.',
    bounds: { memory: read, answered: refusal },
    sockets: { short: 2, long: 8 },
    requests: 4,
    run({ ground: { attacker }, flood }) {
      const lists = '['.repeat(most / 2) + ']'.repeat(most / 2)
      const objects = `${'{"a":'.repeat(most / 7)}1${'}'.repeat(most / 7)}`
      const unclosed = '['.repeat(most)
      const inField = `{"name":"Deep","billing_address":${'['.repeat(most / 2 - 40)}${']'.repeat(most / 2 - 40)}}`
      return flood({
        ahead: 1,
        next: inTurn([lists, objects, unclosed, inField].map((body) => create(attacker.token, body))),
      })
    },
  },
  {
    name: 'long-field',
    about: 'Sends, with a token, a megabyte in one field, in the name of one, and in a name that is sent twice.',
    bounds: { memory: read, answered: problems },
    sockets: { short: 2, long: 8 },
    requests: 4,
    run({ ground: { attacker }, flood }) {
      const long = 'é'.repeat(most / 4)
      const bodies = [
        JSON.stringify({ name: long }),
        JSON.stringify({ [long]: 1 }),
        `{"${long}":1,"${long}":2}`,
        JSON.stringify({ name: 'Long', status: long, client_id: long }),
      ]
      return flood({ ahead: 1, next: inTurn(bodies.map((body) => create(attacker.token, body))) })
    },
  },
  {
    name: 'long-number',
    about: 'Sends, with a token, numbers of hundreds of thousands of digits.',
    bounds: { memory: read, answered: problems },
    sockets: { short: 2, long: 4 },
    requests: 6,
    run({ ground: { attacker }, flood }) {
      const zeros = '0'.repeat(500_000)
      const numbers = [`1${zeros}1`, `0.${zeros}1`, `1e${'9'.repeat(500_000)}`, '7'.repeat(900_000), `1.${zeros}1e-9`]
      return flood({
        ahead: 1,
        next: inTurn(numbers.map((number) => create(attacker.token, `{"name":"N","credit_limit_minor":${number}}`))),
      })
    },
  },
  {
    name: 'hostile-text',
    about: 'Sends, with a token, texts of 60 to 1,000 KB to a field of each pattern, made to be tried in many ways.',
    bounds: { memory: read, answered: problems },
    sockets: { short: 4, long: 8 },
    requests: 40,
    run({ ground, flood }) {
      return flood({ ahead: 1, next: inTurn(hostileTexts(ground.attacker.token)) })
    },
  },
  {
    name: 'many-headers',
    about: 'Sends thousands of short headers, within the limit of a head and far beyond it.',
    bounds: { memory: read, answered: refusal },
    sockets: { short: 16, long: 32 },
    requests: 200,
    run({ flood }) {
      const within = Object.fromEntries(Array.from({ length: 800 }, (_, index) => [`h${index.toString(36)}`, '1']))
      const beyond = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`h${index.toString(36)}`, '1']))
      return flood({
        ahead: 1,
        next: inTurn([
          wire('GET', '/v1/projects', { headers: within }),
          wire('GET', '/v1/projects', { headers: beyond }),
          wire('GET', '/healthz', { headers: within }),
        ]),
      })
    },
  },
  {
    name: 'long-lists-in-headers',
    about: 'Sends eight kilobytes of tags in If-None-Match, of ranges in Range and of types in Accept.',
    bounds: { memory: read, answered: { most: 4500, because: 'the largest of what is asked for has 4,350 KB' } },
    sockets: { short: 8, long: 16 },
    requests: 160,
    run({ ground, flood }) {
      const caller = bearer(ground.attacker.token)
      const ranges = `bytes=${Array.from({ length: 1300 }, (_, index) => `${index}-${index}`).join(',')}`.slice(0, 8000)
      const tags = Array.from({ length: 800 }, (_, index) => `W/"${index.toString(36)}"`).join(', ')
      const unclosed = `"${'\\"'.repeat(4000)}`
      const types = Array.from({ length: 700 }, () => 'text/a;q=0').join(',')
      return flood({
        ahead: 1,
        next: inTurn([
          wire('GET', '/v1/clients/1', { headers: { ...caller, 'If-None-Match': tags } }),
          wire('GET', '/v1/clients', { headers: { ...caller, 'If-None-Match': unclosed } }),
          wire('GET', '/v1/openapi.json', { headers: { 'If-None-Match': tags } }),
          wire('GET', '/v1/docs/scalar.js', { headers: { Range: ranges } }),
          wire('GET', '/', { headers: { Range: ranges } }),
          wire('GET', '/', { headers: { Accept: types } }),
          wire('GET', '/v1/docs', { headers: { 'Accept-Encoding': types } }),
          wire('GET', '/v1/clients', { headers: { ...caller, 'Content-Type': ';'.repeat(8000) } }),
        ]),
      })
    },
  },
]
