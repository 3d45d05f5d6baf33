import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { expect } from 'vitest'
import { inspectEmbedded } from '#server/embedded/open.ts'
import { createStage, jsonOf } from '../command/stage.ts'
import { send } from '../stage/http.ts'
import { type Process, startProcess } from '../stage/process.ts'
import { eventually, pause } from '../stage/wait.ts'

/** The promise: after a fault has healed the same process answers again by itself. */
const backMsMax = 15_000

/** `serve` on a bundled database of its own, with a company; `data` is its data folder where it is not in the stage's. */
export async function openOwn(more: { [name: string]: string } = {}, data?: string) {
  const stage = await createStage(data === undefined ? 'migrated' : 'new')
  const folder = data ?? stage.data
  const environment = { PLUMBLINE_DATA: folder, ...more }
  const give = (...words: string[]) => stage.give(words, { PLUMBLINE_DATA: folder })
  jsonOf(await give('company', 'create', '--name', 'A', '--plan', 'ENTERPRISE', '--add-ons', 'all', '--json'))
  const account = ['--name', 'Ada', '--email', 'ada@a.example', '--permissions', 'all', '--json']
  jsonOf(await give('account', 'create', '--company', '1', ...account))
  const issued = ['token', 'issue', '--company', '1', '--account', '1', '--label', 'x', '--scopes', 'all', '--json']
  const { token } = jsonOf(await give(...issued)) as { token: string }
  return {
    stage,
    data: folder,
    token,
    give,
    start: (own: { [name: string]: string } = {}): Promise<Process> => startProcess({ ...environment, ...own }),
    cluster: join(folder, 'postgres', 'cluster'),
  }
}

export type Own = Awaited<ReturnType<typeof openOwn>>

export const headersOf = (token: string, key?: string): [string, string][] => [
  ['Authorization', `Bearer ${token}`],
  ['Content-Type', 'application/json'],
  ...(key === undefined ? [] : [['Idempotency-Key', key] as [string, string]]),
]

/** The status of a write, or why there was no answer. */
async function write({ url, token }: { url: string; token: string }, name: string): Promise<number | string> {
  try {
    const body = JSON.stringify({ name })
    const answer = await send(url, { method: 'POST', path: '/v1/clients', headers: headersOf(token, name), body })
    return answer.status
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error)
  }
}

/** Writes without an end, each under a key of its own, which is its name too. */
export function startLoad(to: { url: string; token: string }, label: string, writers = 4) {
  const names: string[] = []
  const acknowledged: string[] = []
  const seen = new Set<number | string>()
  let loading = true
  const writer = async (index: number): Promise<void> => {
    for (let count = 0; loading; count++) {
      const name = `${label}-${index}-${count}`
      names.push(name)
      const status = await write(to, name)
      seen.add(status)
      if (status === 201) acknowledged.push(name)
      else await pause(100)
    }
  }
  const running = Array.from({ length: writers }, (_, index) => writer(index))
  return {
    acknowledged,
    seen,
    /** Ends it, and gives each key once more that had no answer. */
    async settle(): Promise<void> {
      loading = false
      await Promise.all(running)
      const open = names.filter((each) => !acknowledged.includes(each))
      await Promise.all(open.map((name) => eventually(async () => expect(await write(to, name)).toBe(201), backMsMax)))
    },
    names,
  }
}

/** How often each name is there. */
async function countsIn({ data }: Own, label: string): Promise<Map<string, number>> {
  const { connection } = await inspectEmbedded(data, null)
  const client = new pg.Client(connection)
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string; count: number }>(
      'select name, count(*)::int as count from clients where name like $1 group by name',
      [`${label}-%`],
    )
    return new Map(rows.map(({ name, count }) => [name, count]))
  } finally {
    await client.end()
  }
}

/** Nothing that was acknowledged is lost, and nothing is there twice. */
export async function expectWhole(own: Own, label: string, names: readonly string[]): Promise<void> {
  const counts = await countsIn(own, label)
  expect(names.filter((name) => counts.get(name) !== 1)).toEqual([])
  expect(counts.size).toBe(names.length)
}

let written = 0
/** Waits until a write is done again; fails where that takes longer than is promised. */
export const untilBack = (to: { url: string; token: string }): Promise<void> =>
  eventually(async () => expect(await write(to, `back-${process.pid}-${written++}`)).toBe(201), backMsMax)

export const postmasterOf = async (cluster: string): Promise<number> =>
  Number((await readFile(join(cluster, 'postmaster.pid'), 'utf8')).split('\n')[0])

/** The value of a metric without labels, or with these; undefined where it is not shown. */
export async function metricOf(url: string, name: string): Promise<number | undefined> {
  const { text } = await send(url, { method: 'GET', path: '/metrics' })
  const line = text.split('\n').find((each) => each.startsWith(`${name} `))
  return line === undefined ? undefined : Number(line.slice(name.length + 1))
}
