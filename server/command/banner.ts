import type { Config } from '../config.ts'
import type { DemoCompany, DemoStory } from '../demo/seed.ts'
import { version } from '../version.ts'
import { named } from './in-world.ts'
import type { Answer } from './terminal.ts'

export type Ready = { config: Config; url: string; databaseIs: string; demo: DemoStory | null }

/** What the server says when it is ready: where it is, and the shortest way to a first answer. */
export function banner({ config, url, databaseIs, demo }: Ready): Answer {
  const shown = demo?.companies[0]
  const documents = { docs: `${url}/v1/docs`, openapi: `${url}/v1/openapi.json`, postman: `${url}/v1/postman.json` }
  const sections = [
    [`Plumbline ${version} is ready at ${url}`],
    table([
      ...(config.publicUrl === null ? [] : [['Public address', config.publicUrl] as const]),
      ['Web interface', `${url}/`],
      ['Reference page', documents.docs],
      ['Database', databaseIs],
      ...(config.processes === 1 ? [] : [['Processes', String(config.processes)] as const]),
    ]),
    ...(shown ? demoSections(shown, url, config) : [firstSteps]),
    ['Ctrl-C stops it.'],
  ]
  return {
    json: {
      url,
      ...documents,
      database: databaseIs,
      processes: config.processes,
      demo: shown ? demoJson(shown, url) : null,
    },
    text: `\n${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`,
  }
}

function demoSections(company: DemoCompany, url: string, config: Config): string[][] {
  const { owner, token } = company
  return [
    table([
      ['Demo company', named(company)],
      ['Sign-in', `${owner.email}, password ${owner.password}`],
      ['Token', token ?? 'none that can be shown; see "plumbline token --help"'],
    ]),
    ...(token === null ? [] : [['Try it:', '', `  ${curlLine(url, token)}`]]),
    ...(isLocal(config.host) ? [] : [[openToOthers]]),
  ]
}

/** Quoted, because some shells take a question mark for a pattern. */
const curlLine = (url: string, token: string): string =>
  `curl -H "Authorization: Bearer ${token}" "${url}/v1/projects?limit=3"`

const demoJson = ({ id, name, owner, token }: DemoCompany, url: string) => ({
  company_id: id,
  ...{ name, email: owner.email, password: owner.password, token },
  curl: token === null ? null : curlLine(url, token),
})

const table = (rows: readonly (readonly [name: string, value: string])[]): string[] =>
  rows.map(([name, value]) => `  ${name.padEnd(16)}${value}`)

const firstSteps = [
  'Make a company, an account and its token, as far as there are none:',
  '',
  '  bin/plumbline company create --name "My company" --add-ons all',
  '  bin/plumbline account create --company 1 --name "My name" --email me@example.com',
  '  bin/plumbline token issue --company 1 --account 1',
]

const openToOthers =
  'Others can reach this address, and everybody knows the demo passwords: set PLUMBLINE_DEMO=off where that matters.'

const isLocal = (host: string): boolean => /^(127\.|::1$|localhost$)/.test(host)
