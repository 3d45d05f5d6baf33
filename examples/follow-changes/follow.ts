/**
 * Keeps a copy of a company in copy.json and follows its changes. Copy and cursor are stored in one step, so that after
 * any crash the next start goes on where the copy stands. Node.js 22.18 or newer: node follow.ts [--once]
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

type StateRow = { id: number; [field: string]: unknown }
type Change = { records: string; record_id: number; action: string; record: StateRow | null }
type State = { cursor: string; copy: { [records: string]: { [id: string]: StateRow } } }

const { PLUMBLINE_URL: base = 'http://127.0.0.1:3000', PLUMBLINE_TOKEN: token = '' } = process.env
const file = 'copy.json'
let reportedAt = Number.NEGATIVE_INFINITY
const once = process.argv.includes('--once')

let state: State = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : await start()
for (;;) {
  const answer = await ask(`/v1/changes?limit=100${once ? '' : '&wait=20'}&after=${state.cursor}`)
  if (answer.status === 410) {
    // The feed no longer goes on from there: what happened meanwhile is seen by listing everything.
    state = await start()
    continue
  }
  const { data, meta } = answer.body as { data: Change[]; meta: { next: string; more: boolean } }
  for (const change of data) apply(change)
  state.cursor = meta.next
  store()
  if (once && !meta.more && data.length === 0) break
}

/** The cursor first, then the lists: a change during the listing is told afterwards. */
async function start(): Promise<State> {
  const { meta } = (await ask('/v1/changes?after=now')).body as { meta: { next: string; records: string[] } }
  const begun: State = { cursor: meta.next, copy: {} }
  for (const records of meta.records) {
    const all: { [id: string]: StateRow } = {}
    for (let after = 0; ; ) {
      const { data } = (await ask(`/v1/${records}?limit=100&after_id=${after}`)).body as { data: StateRow[] }
      for (const row of data) all[row.id] = row
      if (data.length < 100) break
      after = data.at(-1)?.id ?? after
    }
    begun.copy[records] = all
  }
  return begun
}

/** `record` is the record as it is now, so a change that is applied twice does no harm. */
function apply({ records, record_id, action, record }: Change): void {
  const rows = state.copy[records] ?? {}
  state.copy[records] = rows
  if (action === 'deleted' || action === 'erased') delete rows[record_id]
  else if (record) rows[record_id] = record
}

function store(): void {
  writeFileSync(`${file}.new`, JSON.stringify(state))
  renameSync(`${file}.new`, file)
}

/** Names the address at the first failed attempt, then once a minute. */
function report(failure: string): void {
  if (performance.now() - reportedAt < 60_000) return
  reportedAt = performance.now()
  console.error(`${base} does not answer (${failure}); trying again.`)
}

/** Again after a pause where the service or the way to it fails; any other refusal is an error. */
async function ask(path: string): Promise<{ status: number; body: unknown }> {
  for (let pause = 500; ; pause = Math.min(pause * 2, 30_000)) {
    try {
      const answer = await fetch(base + path, { headers: { Authorization: `Bearer ${token}` } })
      const body = await answer.json()
      if (answer.ok || answer.status === 410) return { status: answer.status, body }
      if (answer.status !== 429 && answer.status < 500) throw new SyntaxError(JSON.stringify(body))
      report(`status ${answer.status}`)
    } catch (error) {
      if (error instanceof SyntaxError) throw error
      report('no connection')
    }
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}
