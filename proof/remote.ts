import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { check, countCalls, sayResult } from './check.ts'
import { readHistory } from './history.ts'
import { openRecorder, type Recorder } from './recorder.ts'
import { type Account, loadedRecords, references, startLoad } from './workload.ts'

/**
 * `npm run proof -- --url https://… --token …`: loads a service that runs already, records what callers hear, and checks it.
 * It makes no fault. It writes clients, workers and projects into the company of the token, which has to have none, and
 * nobody else may write there meanwhile. With --token-b it loads a second company too.
 */
const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    token: { type: 'string' },
    'token-b': { type: 'string' },
    minutes: { type: 'string', default: '1' },
    writers: { type: 'string', default: '8' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    folder: { type: 'string', default: 'data/proof' },
  },
})
const problem = await prove()
if (problem !== null) {
  console.error(problem)
  process.exitCode = 2
}

/** Returns why nothing was proved; null where something was. */
async function prove(): Promise<string | null> {
  const { url, token, 'token-b': other } = values
  if (url === undefined || token === undefined)
    return 'Name a service and the token of an empty company: npm run proof -- --url https://erp.example --token …'
  mkdirSync(values.folder, { recursive: true })
  const file = join(values.folder, 'history.jsonl')
  const recorder = openRecorder(url.replace(/\/+$/, ''), file)
  const accounts = [token, other].flatMap((text, place): Account[] => {
    const name = 'ab'[place] as string
    return text === undefined ? [] : [{ name, token: { name, text } }]
  })
  try {
    for (const account of accounts) {
      const why = await whyNot(account, recorder)
      if (why !== null) return why
    }
    for (const line of references) recorder.write(line)
    const load = await startLoad({
      ...{ recorder, accounts, seed: Number(values.seed), writers: Number(values.writers), followers: 1 },
    })
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, 60_000 * Number(values.minutes))
      process.once('SIGINT', () => {
        clearTimeout(timer)
        resolve()
      })
    })
    await load.finish()
  } finally {
    await recorder.close()
  }
  const history = await readHistory(file)
  const violations = check(history)
  sayResult(violations)
  console.log(`${countCalls(history)} calls, ${violations.length} promises broken. The history is ${file}.`)
  if (violations.length > 0) process.exitCode = 1
  return null
}

/** Why a company cannot be loaded; null if it can. */
async function whyNot({ name, token }: Account, { send }: Recorder): Promise<string | null> {
  for (const records of loadedRecords) {
    const asked = { operation: 'begin', company: name, token, method: 'GET', path: `/v1/${records}?limit=1` }
    const { status, answer } = await send(asked)
    if (status !== 200) return `The list of ${records} is answered ${status ?? 'not at all'}: ${JSON.stringify(answer)}`
    if (answer.meta.total > 0)
      return `The company has ${answer.meta.total} ${records}. Name a token of a company that has none: this writes records of its own.`
  }
  return null
}
