import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'

/** Who may import what. A path that begins with a row's folder must match one of its patterns. */
const layers: { folder: string; may: RegExp[]; because: string }[] = [
  {
    folder: 'registry/',
    may: [/^registry\//],
    because: 'the registry is pure and runs in the browser: it imports nothing else, not even node:',
  },
  {
    folder: 'derive/',
    may: [/^(registry|derive)\//, /^(typebox\/schema|sql-template-tag|@zxcvbn-ts\/(core|language-common))$/],
    because: 'what is derived has no input, output or clock',
  },
  {
    folder: 'server/fair/',
    may: [/^server\/fair\//],
    because: 'who is next is decided by what is waiting alone: no clock, no request, no database',
  },
  {
    folder: 'server/store/',
    may: [/^(registry|derive|server\/fair|server\/store)\//, /^(node:.*|pg|node-pg-migrate)$/],
    because: 'only the store knows the driver, and it knows no HTTP',
  },
  {
    folder: 'server/service/',
    may: [
      /^(registry|derive|server\/fair|server\/store|server\/service)\//,
      /^(node:(crypto|zlib)|@node-rs\/argon2)$/,
      /^server\/world.ts$/,
    ],
    because: 'a service serves every door: no request, status or cookie',
  },
  {
    folder: 'server/outbound/',
    may: [/^server\/outbound\//, /^(node:(dns\/promises|net|http|https)|ipaddr.js)$/],
    because: 'what sends to others knows nothing but where it may',
  },
  {
    folder: 'server/webhooks/',
    may: [
      /^(registry|derive|server\/store|server\/service|server\/outbound|server\/webhooks)\//,
      /^(node:crypto|standardwebhooks)$/,
      /^server\/world.ts$/,
    ],
    because: 'webhooks are sent by the log and the services, to others by the one module that guards it',
  },
  {
    folder: 'server/walk/',
    may: [
      /^(registry|derive|server\/fair|server\/store|server\/service|server\/walk)\//,
      /^node:crypto$/,
      /^server\/world.ts$/,
    ],
    because: 'the walk knows no framework',
  },
  {
    folder: 'server/http/',
    may: [
      /^(registry|derive|server\/fair|server\/walk|server\/http)\//,
      // Where the port is opened, what is not the API's is the web interface's.
      /^server\/console-api\/(site|app-files).ts$/,
      /^server\/(world|config|version|service\/token-rate|store\/faults|store\/database).ts$/,
      /^(node:.*|prom-client|find-my-way|@fastify\/accept-negotiator)$/,
    ],
    because: 'the edge turns requests into calls and decides nothing',
  },
  {
    folder: 'server/console-api/',
    may: [
      /^(registry|derive|server\/fair|server\/service|server\/webhooks|server\/console-api)\//,
      /^server\/walk\/(answer|call|perform|read-body|read-headers|read-intent).ts$/,
      /^server\/http\/(admission|base|codings|gate|read-bytes|request-handler|router|send|stored).ts$/,
      /^server\/(world|config|store\/database).ts$/,
      /^(node:.*|cookie)$/,
    ],
    because:
      'the interface reads, asks the services and answers, behind the same request handler as /v1, and walks no line of that',
  },
  {
    folder: 'server/backup/',
    may: [
      /^server\/(backup|embedded|store)\//,
      /^server\/(config|secret|version|world).ts$/,
      /^(node:(crypto|fs|fs\/promises|os|path|stream|stream\/promises|zlib)|tar-stream|pino)$/,
    ],
    because: 'a backup is made of files and of what PostgreSQL says: it knows no request and no record',
  },
  {
    folder: 'server/',
    may: [/^(registry|derive|server)\//, /^[^.]/],
    because: 'what starts the service may know all of it',
  },
  {
    folder: 'console/',
    may: [
      /^(registry|derive|console)\//,
      /^(react|@mui|@emotion|react-admin|react-dom|react-router|react-router-dom)(\/|$)/,
    ],
    because: 'the pages know the registry and what follows from it, and nothing of the server',
  },
]

const root = join(import.meta.dirname, '../..')
const files = ['registry', 'derive', 'server', 'console'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.test.ts') && !name.startsWith('dist'))
    .map((name) => join(folder, name)),
)

/** The import lines of a file, as paths from the root or package names. */
function importsOf(file: string): { line: string; target: string }[] {
  const text = readFileSync(join(root, file), 'utf8')
  const statement = /^(?:import|export)\b[^;'"]*?from\s+'([^']+)'|^import\s+'([^']+)'|\bimport\('([^']+)'\)/gm
  return [...text.matchAll(statement)].map((match) => {
    const named = (match[1] ?? match[2] ?? match[3]) as string
    const target = named.startsWith('.')
      ? relative(root, join(root, dirname(file), named))
      : named.replace(/^#(registry|derive|server)\//, '$1/')
    return { line: match[0].replaceAll('\n', ' '), target }
  })
}

test('every import stays within its layer', () => {
  const strays = files.flatMap((file) => {
    const layer = layers.find(({ folder }) => file.startsWith(folder))
    return importsOf(file)
      .filter(({ target }) => !layer?.may.some((pattern) => pattern.test(target)))
      .map(({ line }) => `${file}: ${line}\n  ${layer?.because}`)
  })
  expect(strays).toEqual([])
})

test('the driver is imported by the store and by what starts a database, and nowhere else', () => {
  const importers = files.filter((file) => importsOf(file).some(({ target }) => target === 'pg'))
  expect(importers.filter((file) => !/^server\/(store|embedded)\//.test(file))).toEqual([])
})

test('a refusal is made by name: no status number of one outside the registry and the routes', () => {
  const number = /\b(?:status|statusCode)\s*(?:===|!==|=|:)\s*(4\d\d|5\d\d)\b/
  const strays = files
    .filter((file) => !/^(registry\/refusals|derive\/routes)\.ts$/.test(file))
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .filter((line) => number.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    )
  expect(strays).toEqual([])
})

const linesWith = (folder: string, what: RegExp): string[] =>
  files
    .filter((file) => file.startsWith(folder))
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .filter((line) => what.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    )

test('one module alone sends requests to others, and looks at where they go', () => {
  const clients = files
    .filter((file) => file.startsWith('server/') && !file.startsWith('server/outbound/'))
    .flatMap((file) =>
      importsOf(file)
        .filter(({ line, target }) => isClient(line, target))
        .map(({ line }) => `${file}: ${line}`),
    )
  expect(clients).toEqual([])
  // A function of ours may have the name; the one of the platform takes an address.
  expect(
    linesWith('server/', /\b(globalThis\.)?fetch\((['"`]|new URL|url|`http)|new (WebSocket|EventSource)\(/),
  ).toEqual([])
})

const isClient = (line: string, target: string): boolean =>
  /^(node:)?(https|http2|tls|dgram|dns(\/promises)?)$|^(undici|axios|got|ws|nodemailer)/.test(target) ||
  (/^node:http$/.test(target) && /\b(request|get|Agent|\* as)\b/.test(line)) ||
  (/^node:net$/.test(target) && /\b(connect|createConnection|\* as)\b/.test(line))

test('pages show text as text, listen to no messages, and nothing but the public documents is open to other origins', () => {
  expect(
    linesWith('console/', /dangerouslySetInnerHTML|\.(inner|outer)HTML\b|insertAdjacentHTML|document\.write/),
  ).toEqual([])
  expect(linesWith('console/', /postMessage|addEventListener\('message'/)).toEqual([])
  const ofHeaders = linesWith('', /Access-Control-/i).filter((line) => !line.startsWith('derive/openapi/'))
  expect(ofHeaders).toEqual([
    "server/http/codings.ts: export const openToAll = { 'Access-Control-Allow-Origin': '*' } as const",
  ])
  const users = linesWith('', /\.\.\.openToAll/).map((line) => line.split(':')[0])
  expect([...new Set(users)].toSorted()).toEqual(['server/http/describe.ts', 'server/http/pages.ts'])
  expect(linesWith('', /\beval\(|new Function\(|\bvm\./)).toEqual([])
})

/** Lines of the pages, without those of the one module that sends. */
const linesOfPages = (what: RegExp): string[] =>
  linesWith('console/', what).filter((line) => !line.startsWith('console/client/ask.ts:'))

test('pages name operations and repeat nothing of their list: no path, no request, no type and no shape of an answer', () => {
  expect(linesOfPages(/['"`]\/?(console|records)\//)).toEqual([])
  expect(linesOfPages(/\bfetch\(|XMLHttpRequest|sendBeacon/)).toEqual([])
  expect(linesOfPages(/\b(ask|useLoaded)<(?!Name)/)).toEqual([])
  // Members of what is sent and answered have an underscore, and nothing of the pages' own has.
  expect(linesOfPages(/(^\s*|[{;,(] ?)[a-z]+(_[a-z]+)+\??: *(string|number|boolean|null|\w+\[\])( *[|;})]|$)/)).toEqual(
    [],
  )
})

test('pages run in browsers alone: the types of Node are there for the rows that are answered, and nothing else', () => {
  expect(linesWith('console/', /\b(Buffer|process)[.(]|from 'node:/)).toEqual([])
})
