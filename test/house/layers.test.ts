import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { linesWith, sourceFiles, textOf } from './sources.ts'

/**
 * Rules about the text of files, which neither a type nor an import says. Who may import what, and so who sends requests
 * and starts programs, is in .dependency-cruiser.cjs, which `npm run check` runs.
 */

/** The import lines of a file, as paths from the root or package names. */
function importsOf(file: string): { line: string; target: string }[] {
  const text = textOf(file)
  const statement = /^(?:import|export)\b[^;'"]*?from\s+'([^']+)'|^import\s+'([^']+)'|\bimport\('([^']+)'\)/gm
  return [...text.matchAll(statement)].map((match) => {
    const named = (match[1] ?? match[2] ?? match[3]) as string
    const target = named.startsWith('.')
      ? normalize(join(dirname(file), named))
      : named.replace(/^#(registry|derive|import|sql|server)\//, '$1/')
    return { line: match[0].replaceAll('\n', ' '), target }
  })
}

test('SQL is written in sql/, but for what makes databases and what reads whatever tables there are', () => {
  const sql = /['"`](select|insert into|delete from|update [\w"]+ set|with \w+ as|create|alter|drop|truncate) /
  const makesDatabases =
    /^server\/(embedded\/|store\/(concurrent-index|company-rows|read-twice|citus\/distribution)\.ts)/
  const strays = ['registry/', 'derive/', 'import/', 'server/', 'console/'].flatMap((folder) => linesWith(folder, sql))
  expect(strays.filter((line) => !makesDatabases.test(line))).toEqual([])
})

test('no module keeps anything: what is remembered hangs on what it is about', () => {
  const kept =
    /^(export )?(let|var)\b|^(export )?const \w+(: [^=]+)? = (new Map\b|new Array\b|\[\]|\{\}|new Set(<\w+>)?\(\))/
  expect(linesWith('', kept)).toEqual([])
})

test('derived code asks the kind of a field, and compares no name of one', () => {
  const comparison = /\b(field|kind|fields\[[^\]]+\])\??\.kind\b|\.endsWith\('_/
  const shown = /^derive\/(form|import)[./]/
  const strays = ['derive/', 'sql/', 'server/'].flatMap((folder) => linesWith(folder, comparison))
  expect(strays.filter((line) => !shown.test(line))).toEqual([])
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

/**
 * Who opens a connection, and to what. A new line here belongs into docs/security/deployment.md, too.
 */
const connecting: { readonly [file: string]: string } = {
  'server/embedded/backup.ts': 'the bundled PostgreSQL',
  'server/embedded/members.ts': 'the bundled PostgreSQL',
  'server/store/connect.ts': 'the database',
  'server/store/database.ts': 'the database',
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

test('what callers send becomes no file: the modules that answer them write none [V5.3.1]', () => {
  const answering = /^server\/(agent|console-api|http|jobs|outbound|pipeline|records|service|webhooks|writes)\//
  const users = linesWith('server/', /from 'node:fs(\/promises)?'/).filter((line) => answering.test(line))
  expect(users.map((line) => line.replace(/^(\S+): import (.+) from .+$/, '$1 $2'))).toEqual([
    'server/console-api/app-files.ts { readFile }',
    'server/http/codings.ts { stat }',
    'server/http/send.ts { createReadStream }',
    'server/jobs/disk.ts { statfs }',
  ])
})

test('programs are started with a list of arguments, and a script of the shell is written here and not made [V1.2.5]', () => {
  expect(
    linesWith('', /\bexec(?:Sync)?\(|\bexecSync\b|shell: (?:true|['"`])/).filter(
      (line) => !/[\w.)/]\.exec\(/.test(line),
    ),
  ).toEqual([])
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
  const ofHeaders = linesWith('', /Access-Control-/i).filter((line) => !line.startsWith('derive/schemas/'))
  expect(new Set(ofHeaders.map((line) => line.split(':')[0]))).toEqual(new Set(['server/http/codings.ts']))
  const preflights = linesWith('', /\.\.\.preflightHeaders/).map((line) => line.split(':')[0])
  expect(preflights).toEqual(['server/http/api.ts'])
  const users = linesWith('', /\.\.\.openToAll/).map((line) => line.split(':')[0])
  expect([...new Set(users)].toSorted()).toEqual(['server/http/pages.ts'])
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
  expect(linesWith('console/', /\b(Buffer|process)[.(]/)).toEqual([])
})

test('what the database is asked for is waited for: a failure that nobody hears ends the process', () => {
  expect([...linesWith('sql/', /\bvoid (\w+\.)?(run|now)\(/), ...linesWith('server/', /\bvoid (\w+\.)?run\(/)]).toEqual(
    [],
  )
})
