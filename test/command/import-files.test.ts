import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatRow } from '#derive/csv.ts'
import { isObject, type Json, type JsonObject } from '#registry/json.ts'
import type { OpenApp } from '#server/app.ts'
import { createStage, jsonOf, type Stage } from './stage.ts'

/**
 * Files as people bring them, and what is right for them: those of `test/values/files`, and those of `shared/cases`
 * where a folder beside the checkout has them. Each company is empty but for the records that are there before.
 */

type Case = {
  file: string
  /** What the file shows. */
  show: string
  records: string
  currency: string
  before?: { [records: string]: JsonObject[] }
  runs: Run[]
}

/** A run of the command; either it counts rows, or it writes nothing and needs an option that the message names. */
type Run = {
  options: string[]
  needs?: string
  created?: number
  changed?: number
  same?: number
  stored?: JsonObject[]
  refused?: { line: number; field: string; says: string }[]
  /** How the file was read. */
  encoding?: string
  sheet?: string
  header_row?: number
  left_out?: number[]
}

const root = join(import.meta.dirname, '../..')
const own = join(root, 'test/values/files')
const folders = [own, join(root, '../shared/cases/values')].filter(existsSync)
const cases = folders.flatMap((folder) =>
  (JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as Case[]).map((one) => ({
    ...one,
    path: join(folder, one.file),
  })),
)

let stage: Stage
let opened: OpenApp
beforeAll(async () => {
  stage = await createStage('migrated')
  opened = await stage.open()
})
afterAll(async () => {
  await opened.close()
  await stage.clear()
})

const isRight = (words: string[]) => async () => {
  const { code, out, err } = await stage.give(words)
  expect(code, out + err).toBe(0)
  return out
}

describe.each(cases)('$file: $show', ({ file, path, records, currency, before = {}, runs }) => {
  let company: string
  beforeAll(async () => {
    const words = ['--name', file, '--currency', currency, '--plan', 'ENTERPRISE']
    const made = await stage.give(['company', 'create', ...words, '--json'])
    company = String(jsonOf(made).company_id)
    for (const [name, bodies] of Object.entries(before)) {
      const columns = Object.keys(bodies[0] ?? {})
      const flat = bodies.map((body) => flatten(body))
      const paths = [...new Set(flat.flatMap((body) => Object.keys(body)))]
      expect(columns.length).toBeGreaterThan(0)
      const text = [paths, ...flat.map((body) => paths.map((one) => body[one] ?? ''))]
        .map((row) => formatRow(row))
        .join('')
      const csv = join(stage.folder, 'before.csv')
      await writeFile(csv, text)
      await isRight(['import', name, csv, '--company', company])()
    }
  })

  const numbered = runs.map((run, n) => ({ ...run, n: n + 1 }))
  test.each(numbered)('run $n: $options', tryRun)

  async function tryRun(run: Run): Promise<void> {
    const count = await countOf(company, records)
    const output = await stage.give(['import', records, path, ...run.options, '--company', company, '--json'])
    if (run.needs !== undefined) {
      expect(output.code).not.toBe(0)
      expect(output.err).toMatch(new RegExp(run.needs))
      expect(await countOf(company, records)).toBe(count)
      return
    }
    expect(output.code, output.out + output.err).toBe(0)
    const { reading, left_out, ...counts } = jsonOf(output) as JsonObject & {
      reading: JsonObject
      left_out: JsonObject[]
    }
    const { created = 0, changed = 0, same = 0, refused = [] } = run
    expect(counts).toMatchObject({ created, changed, same, refused: refused.length })
    const problems = (counts.refused_rows as { line: number; problems: JsonObject[] }[]).map(({ line, problems }) => ({
      line,
      field: problems[0]?.field,
      says: problems.map(({ code, message }) => `${code} ${message}`).join('; '),
    }))
    expect(problems).toEqual(refused.map((one) => ({ ...one, says: expect.stringMatching(new RegExp(one.says)) })))
    for (const key of ['encoding', 'sheet', 'header_row'] as const)
      if (run[key] !== undefined) expect([key, reading[key]]).toEqual([key, run[key]])
    if (run.left_out) expect(left_out.map(({ line }) => line)).toEqual(run.left_out)
    for (const record of run.stored ?? []) expect(await findRecord(company, records, record)).toMatchObject(record)
  }
})

/** Returns the members of members by their paths, as columns of a file. */
const flatten = (body: JsonObject): { [path: string]: Json } =>
  Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) =>
      isObject(value)
        ? Object.entries(value).map(([member, inside]) => [`${name}.${member}`, inside])
        : [[name, value]],
    ),
  )

const rowsOf = (company: string, records: string) =>
  opened.app.database.read<{ record: JsonObject }>({
    text: `select to_jsonb(r) as record from ${records} r where company_id = $1 and deleted_at is null`,
    values: [company],
  })

const countOf = async (company: string, records: string): Promise<number> => (await rowsOf(company, records)).length

/** Finds the record with the reference of this one, or else its name, and returns its fields of the same paths. */
async function findRecord(company: string, records: string, like: JsonObject): Promise<JsonObject | undefined> {
  const by = like.external_ref === undefined ? 'name' : 'external_ref'
  const found = (await rowsOf(company, records)).map(({ record }) => record).filter((one) => one[by] === like[by])
  if (found.length !== 1) return undefined
  const record = found[0] as JsonObject
  const flat = flatten(record)
  const entries = Object.entries(like).map(async ([path, value]) => {
    // A reference is compared by what the record that it leads to has.
    if (isObject(value)) return [path, (await byId(company, 'clients', record[path])) ?? null] as const
    return [path, flat[path] ?? record[path] ?? null] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}

async function byId(company: string, records: string, id: Json | undefined): Promise<JsonObject | undefined> {
  return (await rowsOf(company, records)).map(({ record }) => record).find((one) => one.id === id)
}
