import { inLine } from '#derive/format-printable.ts'
import { type Config, version } from '../config/config.ts'
import { isPlain, plainSentence } from '../config/exposure.ts'
import type { DemoAccount, DemoCompany, DemoStory } from '../demo/seed.ts'
import type { CommandResult } from './terminal.ts'
import { formatCompanyName } from './with-app.ts'

type ReadyService = { config: Config; url: string; databaseIs: string; demo: DemoStory }

/** Formats the message of a ready server: its addresses, and the shortest way to a first answer. */
export function banner({ config, url, databaseIs, demo }: ReadyService): CommandResult {
  const shown = findSignIn(demo)
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
    ...(demo.notes.length > 0 ? [demo.notes] : []),
    ...(shown ? demoSections(shown, url) : [firstSteps]),
    ...(isPlain(config) ? [[plainSentence]] : []),
    ['Ctrl-C stops it.'],
  ]
  return {
    json: {
      url,
      ...documents,
      database: databaseIs,
      processes: config.processes,
      demo: shown ? demoJson(shown, url) : null,
      notes: [...demo.notes, ...(isPlain(config) ? [plainSentence] : [])],
    },
    text: `\n${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`,
  }
}

type SignIn = { company: DemoCompany; account: DemoAccount }

/** Finds the first demo account with a known password: the owner's, unless somebody has changed its password. */
function findSignIn({ companies }: DemoStory): SignIn | undefined {
  const all = companies.flatMap((company) => company.accounts.map((account) => ({ company, account })))
  return all.find(({ account }) => account.password !== null)
}

function demoSections({ company, account }: SignIn, url: string): string[][] {
  const { token } = company
  return [
    table([
      ['Demo company', formatCompanyName(company)],
      ['Sign-in', `${inLine(account.email)}, password ${account.password}`],
      ['Token', token ?? 'none that can be shown; see "plumbline token --help"'],
    ]),
    ...(token === null ? [] : [['Try it:', '', `  ${curlLine(url, token)}`]]),
  ]
}

/** Formats a curl command. The URL is quoted because some shells take a question mark for a pattern. */
const curlLine = (url: string, token: string): string =>
  `curl -H "Authorization: Bearer ${token}" "${url}/v1/projects?limit=3"`

const demoJson = ({ company: { id, name, token }, account: { email, password } }: SignIn, url: string) => ({
  company_id: id,
  ...{ name, email, password, token },
  curl: token === null ? null : curlLine(url, token),
})

const table = (rows: readonly (readonly [name: string, value: string])[]): string[] =>
  rows.map(([name, value]) => `  ${name.padEnd(16)}${value}`)

const firstSteps = [
  'Create a company, an account and a token if there are none yet:',
  '',
  '  bin/plumbline company create --name "My company" --add-ons all',
  '  bin/plumbline account create --company 1 --name "My name" --email me@example.com',
  '  bin/plumbline token issue --company 1 --account 1',
]
