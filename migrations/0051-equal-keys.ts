import type { MigrationBuilder } from 'node-pg-migrate'
import { greekAndCyrillic, letterTable } from '#registry/equal.ts'
import { createIndexConcurrently, replaceIndex } from '#server/store/concurrent-index.ts'

// Unique values of records are equal if people see them as equal: without regard to capitals, to the form of a final sigma,
// and to how letters and accents are composed. The key is the same in every locale of a database.

const uniqueFields = {
  projects: ['code', 'external_ref'],
  workers: ['employee_no', 'email', 'external_ref'],
  clients: ['tax_id', 'external_ref'],
  estimates: ['number', 'external_ref'],
  subcontractors: ['tax_id', 'external_ref'],
  equipment: ['code', 'serial_number', 'external_ref'],
  trades: ['name'],
  invoices: ['number'],
}

/** Fields that every record has. */
const required = ['estimates number', 'trades name', 'invoices number']

export async function up(pgm: MigrationBuilder): Promise<void> {
  for (const create of [foldCase, equalKey]) await pgm.db.query(create)
  for (const [table, columns] of Object.entries(uniqueFields)) {
    await pgm.db.query(`alter table ${table} add column if not exists twin_id bigint`)
    for (const column of columns) await replaceUniqueIndex(pgm, table, column)
    // Nearly empty; doctor reads it.
    const on = `${table} (company_id, twin_id) where twin_id is not null`
    await createIndexConcurrently(pgm, { name: `${table}_twin`, on })
  }
}

export async function down(pgm: MigrationBuilder): Promise<void> {
  for (const [table, columns] of Object.entries(uniqueFields)) {
    for (const column of columns) {
      const second = `lower(${column})`
      await replaceIndex(pgm, { ...uniqueIndex(table, column), on: `${table} (company_id, ${second})`, second })
    }
    await pgm.db.query(`alter table ${table} drop column if exists twin_id`)
  }
  for (const name of ['equal_key', 'fold_case']) await pgm.db.query(`drop function if exists ${name}(text)`)
}

const uniqueIndex = (table: string, column: string) => ({
  name: `${table}_${column}_live`,
  predicate: required.includes(`${table} ${column}`)
    ? '(deleted_at IS NULL)'
    : `((deleted_at IS NULL) AND (${column} IS NOT NULL))`,
  unique: true,
})

/**
 * Records that became equal are kept: all but the first of them get their own id as `twin_id`, which is a part of the key.
 * An older process may create another one until the index is there.
 */
async function replaceUniqueIndex(pgm: MigrationBuilder, table: string, column: string): Promise<void> {
  const second = `equal_key(${column})`
  const on = `${table} (company_id, ${second} collate "C", twin_id) nulls not distinct`
  for (let attempt = 1; ; attempt++) {
    await pgm.db.query(`update ${table} r set twin_id = r.id from (
        select company_id, id, row_number() over (partition by company_id, ${second} order by id) as place
        from ${table} where deleted_at is null and ${column} is not null
      ) equal where r.company_id = equal.company_id and r.id = equal.id and equal.place > 1 and r.twin_id is null`)
    try {
      return await replaceIndex(pgm, { ...uniqueIndex(table, column), on, second })
    } catch (error) {
      if ((error as { code?: unknown }).code !== uniqueViolation || attempt === attemptsMax) throw error
    }
  }
}

const uniqueViolation = '23505'
const attemptsMax = 5

// The letters of a text in NFD as small ones. Most texts have no letter of the table: Latin ones are composed of those of
// ASCII and their marks. These functions are in a language whose calls cost a tenth of those of a function in SQL.
const foldCase = `create or replace function fold_case(letters text) returns text
  language plpgsql immutable strict parallel safe as $$
  begin
    if letters ~ '${greekAndCyrillic.class}' then
      letters := translate(letters, '${greekAndCyrillic.from}', '${greekAndCyrillic.to}');
    end if;
    if letters ~ '${letterTable.class}' then
      letters := translate(letters, '${letterTable.from}', '${letterTable.to}');
    end if;
    return replace(lower(letters collate "C"), U&'i\\0307', 'i');
  end $$`

const equalKey = `create or replace function equal_key(value text) returns text
  language plpgsql immutable strict parallel safe as $$
  begin
    if octet_length(value) = length(value) then
      return lower(value collate "C");
    end if;
    return normalize(public.fold_case(normalize(value, NFD)), NFC);
  end $$`
