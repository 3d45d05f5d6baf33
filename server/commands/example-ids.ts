import { registry } from '#registry/resources/index.ts'
import { type HistoryRow, recentHistory } from '#sql/records/history.ts'
import type { Run } from '#sql/statement.ts'
import { accountsOf } from '#sql/system/accounts.ts'
import { type CompanyRow, listCompaniesById } from '#sql/system/companies.ts'
import { webhooksOf } from '#sql/system/webhooks.ts'
import { connectionOf } from '../app.ts'
import { type Config, readConfig } from '../config/config.ts'
import { inspectEmbedded } from '../embedded/open.ts'
import { resolveByDns } from '../outbound/outbound.ts'
import { readUntil } from '../store/connect.ts'
import type { Connection } from '../store/database.ts'
import { inTime } from '../wait/wait.ts'
import type { Environment } from './terminal.ts'

/** Longest time that help waits for the database, from the first byte to the last. */
const limitMs = 300

/** Matches the words in examples that stand for ids. An example that erases or undoes at once has none of them. */
const idWord = /\{(company|account|webhook|write)\}/g

type ExampleIds = { readonly [word: string]: string | number | null | undefined }

/** Puts ids of the database into the examples of a help text, or `<id>` where none can be read at once. Never rejects. */
export async function fillExamples(help: string, environment: Environment): Promise<string> {
  const words = new Set([...help.matchAll(idWord)].map(([, word]) => word as string))
  const ids = await readIds(words, environment).catch((): ExampleIds => ({}))
  return help.replaceAll(idWord, (_, word: string) => String(ids[word] ?? '<id>'))
}

/** Reads the id of each word, of the first company that is not the demo, or else of the demo. */
async function readIds(words: ReadonlySet<string>, environment: Environment): Promise<ExampleIds> {
  const connection = await findAnswering(readConfig(environment))
  if (connection === undefined) return {}
  const read = async (run: Run): Promise<ExampleIds> => {
    const companies = await run<CompanyRow>(listCompaniesById())
    const { id } = companies.find(({ is_demo }) => !is_demo) ?? companies[0] ?? {}
    if (id === undefined) return {}
    const [account] = words.has('account') ? await run<{ id: number }>(accountsOf(id)) : []
    const [webhook] = words.has('webhook') ? await run<{ id: number }>(webhooksOf(id)) : []
    const [change] = words.has('write') ? await run<HistoryRow>(recentHistory(id, registry, 1)) : []
    return { company: id, account: account?.id, webhook: webhook?.id, write: change?.write_id }
  }
  return inTime({ ms: limitMs, of: 'reading the ids' }, (time) =>
    readUntil(connection, { time, resolve: (host) => resolveByDns(host, time) }, read),
  )
}

/** Returns the database of DATABASE_URL, or the bundled one if it runs. Starts nothing. */
async function findAnswering(config: Config): Promise<Connection | undefined> {
  if (config.databaseUrl !== null) return connectionOf(config.databaseUrl, config)
  const { connection } = await inspectEmbedded(config.dataFolder, config.databaseUser)
  return connection && { ...connection, ssl: false }
}
