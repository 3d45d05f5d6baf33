import { Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { JsonObject } from '#registry/json.ts'
import { readConfig } from '#server/config/config.ts'
import { type RehearsedCall, recordingFile, rehearse, rehearsedCalls } from '#server/rehearse.ts'
import { connectionPlace, messageReader, type RecordedAnswer, stringsOf } from '#server/store/stand-in.ts'
import type { TestResponse } from '../stage/http.ts'
import { startProcess, urlOf } from '../stage/process.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'

/** A rehearsal is answered what PostgreSQL answered: here its calls are made on a real one, and what it says is noted. */
const noted = new Map<string, RecordedAnswer>()
let isNoting = false
let stage: Stage
let company: Company
beforeAll(async () => {
  stage = await openStage({}, undefined, (connection) => ({ ...connection, stream: () => noting(new Socket()) }))
  // The first connection to a new database begins its log. What is asked of every other is noted.
  await stage.app.database.answers()
  isNoting = true
  await Promise.all([stage.app.database.answers(), stage.app.database.answers()])
  isNoting = false
  company = await stage.company()
  for (const [kind, body] of referredTo) expect(await company.record(kind, body)).toBe(1)
})
afterAll(() => stage.close())

/** What the calls of the rehearsal refer to. */
const referredTo: readonly [kind: string, body: JsonObject][] = [
  ['clients', { name: 'Harbour board' }],
  ['categories', { name: 'Roofs', kind: 'project' }],
  ['workers', { name: 'Ada Mason' }],
]

test('A rehearsal is answered what PostgreSQL answers', async () => {
  isNoting = true
  for (const { callOf, callers } of rehearsedCalls) {
    await make(callers.map(callOf))
    // Else the speed of the machine decides how many reads one statement logs.
    await stage.app.meter.flush()
    await stage.app.callDetails?.flush()
  }
  const statements = [...noted].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(lineOf)
  await expect(`{\n${statements.join(',\n')}\n}\n`).toMatchFileSnapshot(recordingFile)
})

/** A line for a statement, one for its columns, and one for each row. */
function lineOf([statement, { columns, rows, did }]: [string, RecordedAnswer]): string {
  const lines = rows.map((row) => `\n   ${JSON.stringify(row)}`)
  return ` ${JSON.stringify(statement)}: {\n  "columns": ${JSON.stringify(columns)},\n  "rows": [${lines.join()}],\n  "did": ${JSON.stringify(did)}\n }`
}

/** Makes calls at once. Those that share a transaction come one after the other, and leave when all of them are there. */
async function make(calls: readonly RehearsedCall[]): Promise<void> {
  const { groups } = stage.app
  const begins: (() => void)[] = []
  stage.app.groups = {
    run: (member) =>
      new Promise((resolve, reject) => {
        begins.push(() => groups.run(member).then(resolve, reject))
        if (begins.length === calls.length) for (const begin of begins) begin()
      }),
  }
  const answers: Promise<TestResponse>[] = []
  for (const { method, path, body, key } of calls) {
    const headers = key === undefined ? {} : { 'Idempotency-Key': key }
    answers.push(company.call(method, path, { body, headers }))
    if (calls.length > 1) await expect.poll(() => begins.length).toBe(answers.length)
  }
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(
    calls.map(({ method }) => (method === 'POST' ? 201 : 200)),
  )
  stage.app.groups = groups
}

/** Notes the answers to the statements that go over a connection. */
function noting(socket: Socket): Socket {
  const parsed = new Map<string, { statement: string; columns: RecordedAnswer['columns'] }>()
  const asked: { statement: string; columns: RecordedAnswer['columns'] }[] = []
  let bound = ''
  let described: string[] = []
  let rows: (string | null)[][] = []
  const readAsked = messageReader((type, body) => {
    const [first = '', second = ''] = stringsOf(body)
    if (type === 'P') parsed.set(first, { statement: first || second, columns: [] })
    if (type === 'B') bound = second
    if (type === 'D') described.push(first[0] === 'S' ? first.slice(1) : bound)
    if (type === 'E') asked.push(parsed.get(bound) as (typeof asked)[number])
    if (type === 'Q') asked.push({ statement: first, columns: [] })
  })
  const readTold = messageReader((type, body) => {
    if (type === 'T' || type === 'n') {
      const name = described.shift()
      const one = name === undefined ? asked[0] : parsed.get(name)
      if (one) one.columns = type === 'T' ? columnsOf(body) : []
    }
    if (type === 'D') rows.push(valuesOf(body))
    if (type === 'C') {
      const { statement, columns } = asked.shift() as (typeof asked)[number]
      note(statement, {
        columns,
        rows: rows.map((row) => row.map((value, at) => fixed(value, columns[at]))),
        did: stringsOf(body)[0] as string,
      })
      rows = []
    }
    if (type === 'Z') [asked.length, described] = [0, []]
  }, false)
  const { write } = socket
  // Connecting puts the method of the class in the place of any other.
  socket.once('connect', () => {
    socket.write = ((chunk: Buffer, ...rest: []) => {
      readAsked(Buffer.from(chunk))
      return write.call(socket, chunk, ...rest)
    }) as Socket['write']
  })
  socket.prependListener('data', readTold)
  return socket
}

/** All rows that a statement brought: a call finds its own by what stands in it. */
function note(statement: string, { columns, rows, did }: RecordedAnswer): void {
  if (!isNoting) return
  const all = new Map([...(noted.get(statement)?.rows ?? []), ...rows].map((row) => [JSON.stringify(row), row]))
  noted.set(statement, { columns, rows: [...all.values()], did })
}

const columnsOf = (body: Buffer): RecordedAnswer['columns'] => {
  let at = 2
  return Array.from({ length: body.readInt16BE(0) }, (): [string, number] => {
    const end = body.indexOf(0, at)
    const name = body.toString('utf8', at, end)
    at = end + 19
    return [name, body.readUInt32BE(end + 7)]
  })
}

const valuesOf = (body: Buffer): (string | null)[] => {
  let at = 2
  return Array.from({ length: body.readInt16BE(0) }, () => {
    const length = body.readInt32BE(at)
    const from = at + 4
    at = from + Math.max(0, length)
    return length < 0 ? null : body.toString('utf8', from, at)
  })
}

/** A value without what is another in each database: sessions, moments, ids by chance, and tags, which are made of moments. */
const fixed = (value: string | null, [name]: RecordedAnswer['columns'][number] = ['', 0]): string | null =>
  name === 'pid'
    ? connectionPlace
    : (value
        ?.replaceAll(/\d{4}-\d\d-\d\d([ T])\d\d:\d\d:\d\d(\.\d+)?/g, '2026-01-01$100:00:00')
        .replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, '00000000-0000-4000-8000-000000000000')
        .replaceAll(/"(\d+)-[\w-]{22}"/g, '"$1-AAAAAAAAAAAAAAAAAAAAAA"') ?? null)

const rehearsed = async (file?: string) => {
  const said: string[] = []
  const log = { warn: (_: object, sentence: string) => void said.push(sentence) }
  await rehearse(readConfig({ REHEARSAL_MS: '200', LOG_LEVEL: 'silent' }), log, file)
  return said
}

test('A rehearsal says nothing', async () => {
  expect(await rehearsed()).toEqual([])
})

test.for(['.env.example', 'biome.json', 'no-such-file'])(
  'A rehearsal that fails (%s) is logged, and the start goes on',
  async (file) => {
    expect(await rehearsed(join(import.meta.dirname, '../..', file))).toEqual(['the rehearsal before the start failed'])
  },
)

test('A service has rehearsed when it is ready, and nothing of it is counted, logged or written', async () => {
  const count = () =>
    stage.sql(
      'select (select count(*) from history) as changes, (select count(*) from calls) as calls, (select last_value from projects_id_seq) as id',
    )
  const before = await count()
  const served = await startProcess({ DATABASE_URL: urlOf(stage.connection), REHEARSAL_MS: '500', LOG_LEVEL: 'debug' })
  const metrics = await (await fetch(`${served.url}/metrics`)).text()
  await served.stop()
  expect(metrics).not.toMatch(/^plumbline_(request_seconds_count|write_group_rows_count)\S* [1-9]/m)
  expect(await count()).toEqual(before)
  expect(served.log()).not.toMatch(/\/v1\/|rehearsal/)
})
