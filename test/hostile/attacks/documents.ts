import type { Attack } from '../attack.ts'
import { bearer, inTurn, wire } from './wire.ts'

/** What everybody may ask for, asked for all the time. */

const kept = { most: 240, because: 'of what is made for an answer nothing is kept but at most 16 compressed documents' }
const document = { most: 1200, because: 'no document is larger' }

const paths = ['/v1/openapi.json', '/v1/postman.json', '/v1/docs', '/metrics', '/docs/errors']

export const documents: readonly Attack[] = [
  {
    name: 'documents',
    about: 'Asks over eight connections for every public document, without a token.',
    bounds: { memory: kept, answered: document },
    sockets: { short: 8, long: 8 },
    requests: 80,
    run: ({ flood }) => flood({ ahead: 1, next: inTurn(paths.map((path) => wire('GET', path))) }),
  },
  {
    name: 'documents-ahead',
    about: 'The same over 64 connections, with 32 requests on their way on each.',
    bounds: { memory: kept, answered: document },
    sockets: { short: 64, long: 64 },
    requests: 2048,
    run: ({ flood }) => flood({ ahead: 32, next: inTurn(paths.map((path) => wire('GET', path))) }),
  },
  {
    name: 'heads-and-options',
    about: 'Asks with HEAD and OPTIONS, whose answers are short, for what is long to make.',
    bounds: { memory: kept, answered: { most: 4, because: 'neither HEAD nor OPTIONS is answered with a body' } },
    sockets: { short: 32, long: 32 },
    requests: 1024,
    run({ ground, flood }) {
      const headers = bearer(ground.attacker.token)
      return flood({
        ahead: 16,
        next: inTurn([
          ...[...paths, '/v1/docs/scalar.js', '/'].map((path) => wire('HEAD', path)),
          wire('HEAD', '/v1/clients?limit=100', { headers }),
          ...['/v1/projects', '/v1/projects/1', '/console/session', '/v1/docs'].map((path) => wire('OPTIONS', path)),
        ]),
      })
    },
  },
]
