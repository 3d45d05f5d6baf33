import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { linesWith, sourceFiles, textOf } from './sources.ts'

/** The files that put the service together. */
const onTop = /^server\/[\w-]+\.ts$/

/** Who may import what. The first row counts whose folder a path begins with. */
const layers: { folder: string; may: RegExp[]; typesFrom?: RegExp; because: string }[] = [
  {
    folder: 'registry/',
    may: [/^registry\//],
    because: 'the registry is pure and runs in the browser: it imports nothing else, not even node:',
  },
  {
    folder: 'derive/',
    may: [/^(registry|derive)\//, /^(typebox\/schema|@zxcvbn-ts\/(core|language-common)|csv-parse)$/],
    // What the interface is answered are rows as statements read them; of a type nothing is left when it runs.
    typesFrom: /^sql\//,
    because: 'what is derived has no input, output or clock',
  },
  {
    folder: 'sql/system/',
    may: [/^registry\//, /^sql\/((system|citus)\/)?[\w-]+\.ts$/, /^sql-template-tag$/],
    because: 'statements of the fixed tables know no definition of a record',
  },
  {
    folder: 'sql/citus/',
    may: [/^registry\//, /^sql\/(citus\/)?[\w-]+\.ts$/, /^sql-template-tag$/],
    because: 'what a distributed database is asked instead is told what it needs by the statement that it stands for',
  },
  {
    folder: 'sql/',
    may: [/^(registry|sql)\//, /^sql-template-tag$/],
    because: 'a statement is written here and run nowhere: no connection, no request',
  },
  {
    folder: 'server/fair/',
    may: [/^server\/fair\//],
    because: 'who is next is decided by what is waiting alone: no clock, no request, no database',
  },
  {
    folder: 'server/config/',
    may: [/^server\/config\//, /^server\/embedded\/memory\.ts$/, /^node:(fs|net|os)$/],
    because: 'settings are read from the environment, and know nothing of what is made of them',
  },
  {
    folder: 'server/embedded/',
    may: [/^server\/embedded\//, /^(node:.*|pg)$/],
    because: 'the bundled PostgreSQL is found and started without a word of what is kept in it',
  },
  {
    folder: 'server/store/',
    may: [/^(registry|sql|server\/fair|server\/store)\//, /^(node:.*|pg|pg-connection-string|node-pg-migrate)$/],
    because: 'only the store knows the driver; it knows no HTTP and decides about no permission',
  },
  {
    folder: 'server/service/',
    may: [
      /^(registry|derive|sql|server\/(fair|store|service))\//,
      /^(node:(crypto|zlib)|@node-rs\/argon2|canonicalize|uuid)$/,
    ],
    because: 'a service serves every channel: no request, status or cookie',
  },
  {
    folder: 'server/jobs/',
    may: [/^(registry|sql|server\/(store|service|jobs))\//, /^node:fs\/promises$/],
    because: 'work in the background is asked for by nobody: no request, and nothing is sent to others',
  },
  {
    folder: 'server/outbound/',
    may: [/^server\/outbound\//, /^(node:(dns\/promises|net|http|https)|ipaddr\.js)$/],
    because: 'what sends to others knows nothing but where it may',
  },
  {
    folder: 'server/webhooks/',
    may: [
      /^(registry|derive|sql|server\/(store|service|outbound|webhooks))\//,
      /^server\/(pipeline\/app|jobs\/in-background)\.ts$/,
      /^(node:crypto|standardwebhooks)$/,
    ],
    because: 'webhooks are sent by the log and the services, to others by the one module that guards it',
  },
  {
    folder: 'server/writes/',
    may: [/^(registry|sql|server\/(fair|store|service|writes))\//, /^node:crypto$/],
    because: 'the road of a write is one for every channel: no request, status or cookie',
  },
  {
    folder: 'server/pipeline/',
    may: [
      /^(registry|derive|sql|server\/(fair|store|service|writes|pipeline|http\/protocol))\//,
      /^server\/config\/config\.ts$/,
      /^(node:crypto|pino|canonicalize)$/,
    ],
    because: 'the pipeline knows no framework, and writes no SQL',
  },
  {
    folder: 'server/http/protocol/',
    may: [/^(registry|derive|server\/http\/protocol)\//, /^server\/service\/expected\.ts$/, /^node:(http|net)$/],
    because: 'headers, bodies and entity tags are read by themselves: no call, no service',
  },
  {
    folder: 'server/http/',
    may: [
      /^(registry|derive|server\/(config|fair|pipeline|http))\//,
      // What the edge is handed, and says back, in the words of those who made it.
      /^server\/(service\/(token-rate|change-watch|seal)|store\/faults)\.ts$/,
      /^(node:.*|find-my-way|@fastify\/accept-negotiator)$/,
    ],
    because: 'the edge turns requests into calls and decides nothing: no service, no statement',
  },
  {
    folder: 'server/console-api/',
    may: [
      /^(registry|derive|sql|server\/(config|fair|service|webhooks|writes|pipeline|http|console-api))\//,
      /^server\/store\/database\.ts$/,
      /^(node:.*|cookie)$/,
    ],
    because: 'the console reads, asks the services and answers, behind the same request handler as /v1',
  },
  {
    folder: 'server/agent/',
    may: [
      /^(registry|derive|sql|server\/(config|fair|service|pipeline|http|agent))\//,
      /^(node:crypto|@modelcontextprotocol\/server)$/,
    ],
    because: 'an agent makes calls of /v1, by the same pipeline and without a check of its own',
  },
  {
    folder: 'server/demo/',
    may: [
      /^(registry|derive|sql|server\/(service|store|demo))\//,
      /^server\/app\.ts$/,
      /^(node:crypto|@node-rs\/argon2)$/,
    ],
    because: 'the demo companies are made by the services, as anybody would make them',
  },
  {
    folder: 'server/cluster/',
    may: [/^server\/(cluster|config|http|store|webhooks)\//, onTop, /^node:(cluster|path)$/],
    because: 'processes are started and stopped; what they do is the same as alone',
  },
  {
    folder: 'server/commands/',
    may: [
      /^(registry|derive|sql|server)\//,
      // What records and their fields are called, by which the columns of a file are known.
      /^console\/texts\/(de|en)\/records\.ts$/,
      /^(node:.*|commander|vite|pino)$/,
    ],
    because: 'the command is the program: it may know all of the service',
  },
  {
    folder: 'server/backup/',
    may: [
      /^server\/(backup|config|embedded|store)\//,
      // The refusal of a company that there is not.
      /^server\/(jobs\/in-background|service\/company)\.ts$/,
      /^(node:(crypto|fs|fs\/promises|os|path|stream|stream\/(consumers|promises)|zlib)|tar-stream|pino)$/,
    ],
    because: 'a backup is made of files and of what PostgreSQL says: it knows no request and no record',
  },
  {
    folder: 'server/',
    may: [
      /^(registry|derive)\//,
      /^server\/(agent|backup|config|console-api|embedded|fair|http|jobs|outbound|service|store|writes|pipeline)\//,
      onTop,
      /^(node:.*|pino|prom-client)$/,
    ],
    because: 'on top the service is put together; what runs it (command, cluster, demo) stands above',
  },
  {
    folder: 'console/',
    may: [
      /^(registry|derive|console)\//,
      /^(node-diff3|react|@mui|@emotion|react-admin|react-dom|react-router|react-router-dom)(\/|$)/,
    ],
    because: 'the pages know the registry and what follows from it, and nothing of the server',
  },
  {
    folder: 'clients/',
    may: [/^clients\//],
    because: 'a client is installed by itself: it imports nothing of the service and no package',
  },
]

/** The import lines of a file, as paths from the root or package names. */
function importsOf(file: string): { line: string; target: string }[] {
  const text = textOf(file)
  const statement = /^(?:import|export)\b[^;'"]*?from\s+'([^']+)'|^import\s+'([^']+)'|\bimport\('([^']+)'\)/gm
  return [...text.matchAll(statement)].map((match) => {
    const named = (match[1] ?? match[2] ?? match[3]) as string
    const target = named.startsWith('.')
      ? normalize(join(dirname(file), named))
      : named.replace(/^#(registry|derive|sql|server)\//, '$1/')
    return { line: match[0].replaceAll('\n', ' '), target }
  })
}

test('every import stays within its layer', () => {
  const strays = sourceFiles.flatMap((file) => {
    const layer = layers.find(({ folder }) => file.startsWith(folder))
    return importsOf(file)
      .filter(({ target }) => !layer?.may.some((pattern) => pattern.test(target)))
      .filter((one) => !(isTypes(one) && layer?.typesFrom?.test(one.target)))
      .map(({ line }) => `${file}: ${line}\n  ${layer?.because}`)
  })
  expect(strays).toEqual([])
})

const isTypes = ({ line }: { line: string }): boolean => /^(import|export) type\b/.test(line)

/** The units that may not need each other: the folders of the first level, and those of `server` and `sql`. */
const unitOf = (file: string): string =>
  /^(?:server\/http\/protocol|(?:(?:server|sql)\/)?[^/]+)(?=\/)/.exec(file)?.[0] ?? file

test('no folder needs a folder that needs it, not even for a type', () => {
  const needs = new Map<string, Set<string>>()
  for (const file of sourceFiles) {
    const own = needs.get(unitOf(file)) ?? new Set()
    for (const { target } of importsOf(file)) if (unitOf(target) !== unitOf(file)) own.add(unitOf(target))
    needs.set(unitOf(file), own)
  }
  expect(circlesIn(needs)).toEqual([])
})

test('no file runs another that runs it first', () => {
  const needs = new Map(
    sourceFiles.map((file) => [file, new Set(importsOf(file).flatMap((one) => (isTypes(one) ? [] : [one.target])))]),
  )
  expect(circlesIn(needs)).toEqual([])
})

/** Each circle once, from its first member round to it again. */
function circlesIn(needs: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const circles: string[] = []
  const done = new Set<string>()
  const visit = (at: string, path: readonly string[]): void => {
    const since = path.indexOf(at)
    if (since >= 0) circles.push([...path.slice(since), at].join(' → '))
    if (since >= 0 || done.has(at)) return
    for (const next of needs.get(at) ?? []) visit(next, [...path, at])
    done.add(at)
  }
  for (const start of needs.keys()) visit(start, [])
  return circles
}

test('a circle is found, and what only meets again is none', () => {
  const needs = (pairs: { [from: string]: string[] }) =>
    new Map(Object.entries(pairs).map(([from, to]) => [from, new Set(to)]))
  expect(circlesIn(needs({ a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }))).toEqual([])
  expect(circlesIn(needs({ a: ['b'], b: ['c'], c: ['b'] }))).toEqual(['b → c → b'])
})

test('SQL is written in sql/, but for what makes databases and what reads whatever tables there are', () => {
  const sql = /['"`](select|insert into|delete from|update [\w"]+ set|with \w+ as|create|alter|drop|truncate) /
  const makesDatabases =
    /^server\/(embedded\/|store\/(concurrent-index|company-rows|read-twice|citus\/distribution)\.ts)/
  const strays = ['registry/', 'derive/', 'server/', 'console/'].flatMap((folder) => linesWith(folder, sql))
  expect(strays.filter((line) => !makesDatabases.test(line))).toEqual([])
})

test('no module keeps anything: what is remembered hangs on what it is about', () => {
  const kept =
    /^(export )?(let|var)\b|^(export )?const \w+(: [^=]+)? = (new Map\b|new Array\b|\[\]|\{\}|new Set(<\w+>)?\(\))/
  expect(linesWith('', kept)).toEqual([])
})

test('the driver is imported by the store and by what starts a database, and nowhere else', () => {
  const importers = sourceFiles.filter((file) => importsOf(file).some(({ target }) => target === 'pg'))
  expect(importers.filter((file) => !/^server\/(store|embedded)\//.test(file))).toEqual([])
})

test('a refusal is made by name: no status number of one outside the registry and the routes', () => {
  const number = /\b(?:status|statusCode)\s*(?:===|!==|=|:)\s*(4\d\d|5\d\d)\b/
  const strays = sourceFiles
    .filter((file) => !/^(registry\/refusals|derive\/routes)\.ts$/.test(file))
    .flatMap((file) =>
      textOf(file)
        .split('\n')
        .filter((line) => number.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    )
  expect(strays).toEqual([])
})

test('one module alone sends requests to others, and looks at where they go', () => {
  const clients = sourceFiles
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

/**
 * Who opens a connection, and to what. A new line here belongs into docs/security/deployment.md, too.
 */
const connecting: { readonly [file: string]: string } = {
  'server/embedded/base-backup.ts': 'the bundled PostgreSQL',
  'server/embedded/users.ts': 'the bundled PostgreSQL',
  'server/store/connect.ts': 'the database',
  'server/store/database.ts': 'the database',
  'server/store/end-backend.ts': 'the database',
  'server/outbound/outbound.ts': 'DNS',
  'server/outbound/sender.ts': 'receivers of webhooks',
  'console/client/ask.ts': 'the service, from the browser',
  'clients/typescript/src/send.ts': 'the service, from a program',
  'derive/operations/samples.ts': 'nobody: it is the text of an example',
}

/** A client of the database, a socket, a look-up of a name, or a request by the platform. */
const opening =
  /\bnew (?:pg\.)?(?:Client|Pool|Socket|Resolver|WebSocket|EventSource|XMLHttpRequest)\b|\bsendBeacon\(|(?<!function |\.)\bfetch\((?!definition|asked|routes)/

test('the service speaks with the database, DNS and receivers of webhooks, by these modules alone [V1.3.6] [V13.1.1] [V13.2.4]', () => {
  const openers = [
    ...linesWith('', opening).map((line) => line.split(':')[0] as string),
    ...sourceFiles.filter((file) => importsOf(file).some(({ line, target }) => isClient(line, target))),
  ]
  expect([...new Set(openers)].toSorted()).toEqual(Object.keys(connecting).toSorted())
  const page = readFileSync(join(import.meta.dirname, '../../docs/security/deployment.md'), 'utf8')
  const table = page.split('\n## With whom it speaks\n\n')[1]?.split('\n\n')[0] ?? ''
  expect(
    table
      .split('\n')
      .slice(2)
      .map((line) => line.split(' | ')[0]),
  ).toEqual(['| HTTP', '| PostgreSQL, bundled', '| PostgreSQL, your own', '| between processes', '| DNS', '| webhooks'])
})

const isClient = (line: string, target: string): boolean =>
  /^(node:)?(https|http2|tls|dgram|dns(\/promises)?)$|^(undici|axios|got|ws|nodemailer)/.test(target) ||
  (/^node:http$/.test(target) && /\b(request|get|Agent|\* as)\b/.test(line)) ||
  (/^node:net$/.test(target) && /\b(connect|createConnection|\* as)\b/.test(line))

test('what callers send becomes no file: of the modules that answer them one writes, and that the compressed files of the interface [V5.3.1]', () => {
  const answering = /^server\/(agent|console-api|http|jobs|outbound|pipeline|service|webhooks|writes)\//
  const users = linesWith('server/', /from 'node:fs(\/promises)?'/).filter((line) => answering.test(line))
  expect(users.map((line) => line.replace(/^(\S+): import (.+) from .+$/, '$1 $2'))).toEqual([
    'server/console-api/app-files.ts { readFile }',
    'server/http/send.ts { createReadStream }',
    'server/http/stored.ts { rmSync }',
    'server/http/stored.ts { mkdir, mkdtemp, readFile, rename, stat, writeFile }',
    'server/jobs/disk.ts { statfs }',
  ])
})

test('programs are started with a list of arguments, and a script of the shell is written here and not made [V1.2.5]', () => {
  expect(
    linesWith('', /\bexec(?:Sync)?\(|\bexecSync\b|shell: (?:true|['"`])/).filter(
      (line) => !/[\w.)/]\.exec\(/.test(line),
    ),
  ).toEqual([])
  const starters = linesWith('', /from 'node:child_process'/).map((line) => line.split(':')[0])
  expect(starters).toEqual([
    'server/commands/build-console.ts',
    'server/embedded/process-start.ts',
    'server/embedded/run.ts',
    'server/embedded/start.ts',
    'server/embedded/status.ts',
  ])
  // What is put into a script is a name of ours; what comes from elsewhere is $1, $2, … of it.
  const made = sourceFiles.flatMap((file) =>
    [...textOf(file).matchAll(/\bshell\(\s*[\w.{}, ]+,\s*(`[^`]*`|'[^']*'|\w+)/g)].flatMap(([, script = '']) =>
      [...script.matchAll(/\$\{([^}]*)\}/g)].map(([, name]) => `${file}: ${name}`),
    ),
  )
  expect(made).toEqual(['server/embedded/access.ts: backupRole'])
})

test('pages show text as text, listen to no messages, and nothing but the public documents is open to other origins [V1.3.2] [V3.2.2]', () => {
  expect(
    linesWith('console/', /dangerouslySetInnerHTML|\.(inner|outer)HTML\b|insertAdjacentHTML|document\.write/),
  ).toEqual([])
  expect(linesWith('console/', /postMessage|addEventListener\('message'/)).toEqual([])
  const ofHeaders = linesWith('', /Access-Control-/i).filter((line) => !line.startsWith('derive/openapi/'))
  expect(new Set(ofHeaders.map((line) => line.split(':')[0]))).toEqual(new Set(['server/http/codings.ts']))
  const preflights = linesWith('', /\.\.\.preflightHeaders/).map((line) => line.split(':')[0])
  expect(preflights).toEqual(['server/http/api.ts'])
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

test('what the database is asked for is waited for: a failure that nobody hears ends the process', () => {
  expect([...linesWith('sql/', /\bvoid (\w+\.)?(run|now)\(/), ...linesWith('server/', /\bvoid (\w+\.)?run\(/)]).toEqual(
    [],
  )
})
