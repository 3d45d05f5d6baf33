import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { cp, readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pack } from 'tar-stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { definitionOf, registry } from '#registry/resources/index.ts'
import type { OpenApp } from '#server/app.ts'
import { readTar } from '#server/backup/tar.ts'
import { operator } from '#server/records/actor.ts'
import { createRecord } from '#server/records/write-record.ts'
import { readChanges } from '#server/service/changes.ts'
import { companyTables, inSnapshot, leftOut } from '#server/store/company-rows.ts'
import { createStage, jsonOf, type Stage } from '../command/stage.ts'
import { recordsWithoutLogTime } from '../stage/log-times.ts'

let stage: Stage
let opened: OpenApp
let archive: string
const other = { PLUMBLINE_DATA: '' }
beforeAll(async () => {
  stage = await createStage('demo')
  opened = await stage.open()
  const odd = definitionOf(registry, 'trades')
  await opened.app.database.transaction((transaction) =>
    createRecord(transaction, operator(1), odd!, { name: 'Line\u2028separator "quoted" \\ \u{1f600} ä\u0301' }),
  )
  await opened.app.database.read({
    text: `insert into previews (company_id, id, token_id, client, why, call, hash, plan, expires_at)
      values (1, gen_random_uuid(), 1, 'agent', 'asked for', '{"operations": []}', 'h', '{"total": 0}', now())`,
    values: [],
  })
  archive = join(stage.folder, 'company.tar')
  other.PLUMBLINE_DATA = join(stage.folder, 'other')
  expect(await stage.give(['export', '--company', '1', '--to', archive])).toMatchObject({ code: 0 })
  await stage.give(['company', 'create', '--name', 'First here'], other)
})
afterAll(async () => {
  await opened.close()
  await stage.clear()
})

/** All rows of a company, as text and without its id; what is not moved is the same for all. */
async function contentsOf({ connection }: OpenApp, companyId: number): Promise<{ [table: string]: string[] }> {
  return inSnapshot(connection, async (client) => {
    const contents: { [table: string]: string[] } = {}
    for (const { table, columns } of await companyTables(client)) {
      const kept = columns.filter(
        (column) =>
          !['password_hash', 'hash', 'sealed', 'tag_key', 'revoked_at', 'is_demo', 'epoch', 'pos'].includes(column),
      )
      const { rows } = await client.query<{ line: string }>(
        `select row_to_json(r)::text as line from (select ${kept.map((name) => `"${name}"`).join(', ')} from "${table}"
         where ${table === 'companies' ? 'id' : 'company_id'} = $1) r order by 1`,
        [companyId],
      )
      contents[table] = rows.map(({ line }) => line)
    }
    return contents
  })
}

describe('A company', () => {
  test('is the same in another database, row by row, under a new id.', async () => {
    const there = await stage.open(other)
    try {
      const said = jsonOf(await stage.give(['import-company', archive, '--json'], other))
      expect(said).toMatchObject({ company_id: 2 })
      const [from, to] = [await contentsOf(opened, 1), await contentsOf(there, 2)]
      expect(Object.values(from).flat().length).toBeGreaterThan(1000)
      // Only its import is new there.
      const [arrived, ...more] = (to.history as string[]).filter((line) => !from.history?.includes(line))
      expect(more).toEqual([])
      expect(JSON.parse(`${arrived}`)).toMatchObject({
        records: 'imports',
        action: 'company_imported',
        door: 'command',
      })
      expect({ ...to, history: (to.history as string[]).filter((line) => line !== arrived) }).toEqual(from)
      // The archive has the row of its own export.
      expect(from.history?.filter((line) => line.includes('"company_exported"'))).toHaveLength(1)
    } finally {
      await there.close()
    }
  })

  test('goes on: new records get ids of their own, and another company has none of it.', async () => {
    const made = jsonOf(
      await stage.give(
        ['record', 'create', 'trades', '--company', '2', '--json-body', '{"name":"New"}', '--json'],
        other,
      ),
    )
    expect(made.id).toBeGreaterThan(20)
    const there = await stage.open(other)
    expect(Object.values(await contentsOf(there, 1)).flat().length).toBeLessThan(5)
    const ask = { companyId: 2, after: null, records: ['trades'], limit: 1000, keptDays: 30 }
    const { changes } = await readChanges(there.app.database, ask)
    expect(changes.length).toBeGreaterThan(1)
    expect(changes.at(-1)?.record_id).toBe(made.id)
    await there.close()
  })

  test('brings no secret along: nobody signs in, no token is in force, and tags have another key.', async () => {
    const secrets = await opened.app.database.read<{ text: string }>({
      text: `select password_hash as text from accounts where password_hash is not null
        union all select tag_key from companies union all select encode(hash, 'hex') from tokens union all select encode(sealed, 'hex') from tokens`,
      values: [],
    })
    const bytes = await readFile(archive, 'latin1')
    expect(secrets.length).toBeGreaterThan(3)
    for (const { text } of secrets) expect(bytes).not.toContain(text)
    const { out } = await stage.give(['company', 'show', '2'], other)
    expect(out).toMatch(/Token +none/)
    const there = await stage.open(other)
    const keys = await there.app.database.read<{ tag_key: string }>({
      text: 'select tag_key from companies',
      values: [],
    })
    await there.close()
    expect(new Set([...keys.map(({ tag_key }) => tag_key), ...secrets.map(({ text }) => text)]).size).toBe(
      keys.length + new Set(secrets.map(({ text }) => text)).size,
    )
  })

  test('has every table that belongs to companies, but those that are left out for a reason.', async () => {
    const named = await opened.app.database.read<{ name: string }>({
      text: "select table_name::text as name from information_schema.columns where column_name = 'company_id' and table_schema = 'public'",
      values: [],
    })
    const moved = (await inSnapshot(opened.connection, companyTables)).map(({ table }) => table)
    expect([...moved, ...Object.keys(leftOut)].toSorted()).toEqual(
      [...named.map(({ name }) => name), 'companies'].toSorted(),
    )
  })

  test('that is not there is refused, and where a file is already.', async () => {
    const { err } = await stage.give(['export', '--company', '77', '--to', join(stage.folder, 'none.tar')])
    expect(err).toBe('There is no company 77. "plumbline company list" shows them.\n')
    const taken = await stage.give(['export', '--company', '1', '--to', archive])
    expect(taken.err).toBe(`${archive} is there already: name another file.\n`)
  })
})

/** The archive with its entries as `change` makes them. */
async function repack(to: string, change: (path: string, content: Buffer) => Buffer | null): Promise<void> {
  const packed = pack()
  const written = once(packed.pipe(createWriteStream(to)), 'finish')
  for await (const { path, content } of readTar(archive)) {
    const chunks: Uint8Array[] = []
    for await (const chunk of content) chunks.push(chunk)
    const changed = change(path, Buffer.concat(chunks))
    if (changed) packed.entry({ name: path }, changed)
  }
  packed.finalize()
  await written
}

const replaced = (bytes: Buffer, from: string, to: string): Buffer => Buffer.from(bytes.toString().replace(from, to))

describe('An archive is refused by name, and nothing is imported, where', () => {
  test.each<[string, (to: string) => Promise<unknown>, RegExp]>([
    [
      'a row was changed',
      (to) => repack(to, (path, bytes) => (path === 'accounts.jsonl' ? replaced(bytes, 'Ada', 'Eve') : bytes)),
      /^accounts\.jsonl in .* was changed or is damaged/,
    ],
    [
      'a file was taken out',
      (to) => repack(to, (path, bytes) => (path === 'history.jsonl' ? null : bytes)),
      /^history\.jsonl is missing in /,
    ],
    [
      'the manifest was changed',
      (to) =>
        repack(to, (path, bytes) => (path === 'manifest.json' ? replaced(bytes, '"rows": ', '"rows": 1') : bytes)),
      /^manifest\.json in .* is damaged: it does not have its own checksum/,
    ],
    [
      'the manifest is missing',
      (to) => repack(to, (path, bytes) => (path === 'manifest.json' ? null : bytes)),
      /holds no manifest\.json: it is no archive of a company/,
    ],
    [
      'it is cut off',
      async (to) => {
        await cp(archive, to)
        await truncate(to, 20_000)
      },
      /is damaged or cut off/,
    ],
    ['it is something else', (to) => writeFile(to, 'no archive'), /is damaged or cut off/],
  ])('%s', async (what, mutate, says) => {
    const file = join(stage.folder, `${what}.tar`)
    await mutate(file)
    const { code, err } = await stage.give(['import-company', file], other)
    expect(code).toBe(1)
    expect(err.trim().split('\n').at(-1)).toMatch(says)
    expect((await stage.give(['company', 'show', '3'], other)).code).toBe(1)
  })
})

test('A company of a distributed database, whose log has times of another server, is listed whole by its changes.', async () => {
  const run = (text: string) => opened.app.database.read({ text, values: [] })
  const apart = join(stage.folder, 'apart.tar')
  // As two servers give it: the change a little earlier, or later, than the record.
  await run("update history set at = at + (case id % 2 when 0 then -1 else 1 end) * interval '1 second'")
  expect(await recordsWithoutLogTime(run)).not.toEqual([])
  expect(await stage.give(['export', '--company', '1', '--to', apart])).toMatchObject({ code: 0 })
  expect(await stage.give(['import-company', apart, '--json'], other)).toMatchObject({ code: 0 })
  const there = await stage.open(other)
  try {
    expect(await recordsWithoutLogTime((text) => there.app.database.read({ text, values: [] }))).toEqual([])
  } finally {
    await there.close()
  }
})
