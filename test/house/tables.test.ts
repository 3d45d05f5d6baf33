import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { company } from '#registry/company.ts'
import { registry } from '#registry/resources/index.ts'
import { openStage, type Stage } from '../stage/stage.ts'
import { columnTexts, tables } from './asked-tables.ts'

/** The tables that the registry asks for are made beside the migrated ones, and the two catalogues compared. */
let stage: Stage
beforeAll(async () => {
  stage = await openStage()
  await stage.sql('create schema asked')
  await stage.inTransaction(async (transaction) => {
    const foundation = ['companies', 'removals'].map(
      (name) => `create table ${name} (like public.${name} including all)`,
    )
    for (const text of [
      'set local search_path = asked, public',
      ...foundation,
      ...tables(registry).split(/;\s*(?:\n|$)/),
    ]) {
      if (text.trim() !== '') await transaction.run({ text, values: [] })
    }
  })
})
afterAll(() => stage.close())

const names = registry.map(({ name }) => name)

const columns = `select table_name, column_name, data_type, numeric_precision, numeric_scale, is_nullable, is_identity, generation_expression
  from information_schema.columns where table_schema = $1 and table_name = any($2) order by table_name, column_name`
const constraints = `select c.conrelid::regclass::text as relation, c.contype, pg_get_constraintdef(c.oid) as definition
  from pg_constraint c join pg_namespace n on n.oid = c.connamespace
  where n.nspname = $1 and c.contype <> 'n' and split_part(c.conrelid::regclass::text, '.', -1) = any($2)`
const indexes = `select tablename, indexname, indexdef, attstattarget from pg_indexes
  join pg_attribute on attrelid = format('%I.%I', schemaname, indexname)::regclass and attnum = 1
  where schemaname = $1 and tablename = any($2) order by indexname`
const storage = `select c.relname as table_name, c.reloptions from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = $1 and c.relkind = 'r' and c.relname = any($2)`

/** The catalogue of a schema, without the schema's own name. */
async function catalogue(schema: string): Promise<{ [part: string]: string[] }> {
  const plain = (rows: object[]) => rows.map((row) => JSON.stringify(row).replaceAll(`${schema}.`, '')).toSorted()
  const parts = { columns, constraints, indexes, storage }
  const read = Object.entries(parts).map(
    async ([part, text]) => [part, plain(await stage.sql(text, schema, names))] as const,
  )
  return Object.fromEntries(await Promise.all(read))
}

describe('The migrated tables are what the registry asks for', () => {
  test.each(['columns', 'constraints', 'indexes', 'storage'])('%s', async (part) => {
    const [asked, migrated] = [await catalogue('asked'), await catalogue('public')]
    expect(asked[part]?.length).toBeGreaterThanOrEqual(registry.length)
    expect(migrated[part]).toEqual(asked[part])
  })
})

test('The table of companies has a column for each field of the company, with its type and check', async () => {
  const named = Object.keys(company.fields)
  const listed = named.map((name) => `'${name}'`).join()
  await stage.sql('create schema fields')
  await stage.sql(`create table fields.companies (${columnTexts(company.fields).join()})`)
  const read = (schema: string) =>
    Promise.all([
      stage.sql(
        `select column_name, data_type, is_nullable from information_schema.columns
          where table_schema = $1 and table_name = 'companies' and column_name in (${listed}) order by 1`,
        schema,
      ),
      stage.sql(
        `select pg_get_constraintdef(oid) as check from pg_constraint where contype = 'c' and conname not like '%plan%'
          and conrelid = ($1 || '.companies')::regclass order by 1`,
        schema,
      ),
    ])
  const [columns, checks] = await read('fields')
  expect(columns).toHaveLength(named.length)
  expect(await read('public')).toEqual([columns, checks])
})

test('every key begins with the company', async () => {
  const keys = await stage.sql<{ relation: string; first: string }>(
    `select i.indrelid::regclass::text as relation, a.attname as first from pg_index i
     join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
     join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'public' and i.indisprimary`,
  )
  const others = keys.filter(({ first }) => first !== 'company_id').map(({ relation }) => relation)
  expect(others.toSorted()).toEqual(['companies', 'log_epochs', 'log_marks', 'migrations', 'password_attempts'])
})

test('every foreign key between records carries the company', async () => {
  const keys = await stage.sql<{ definition: string }>(
    "select pg_get_constraintdef(oid) as definition from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace",
  )
  const loose = keys.filter(({ definition }) => !/^FOREIGN KEY \(company_id/.test(definition))
  expect(loose).toEqual([])
})
