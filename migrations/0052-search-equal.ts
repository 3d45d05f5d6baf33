import type { MigrationBuilder } from 'node-pg-migrate'
import { createIndexConcurrently, dropIndexConcurrently } from '#server/store/concurrent-index.ts'

// A search finds capitals of every alphabet in every locale of a database, final sigmas, and texts with characters that
// nobody sees. Telephone numbers are found by their digits.

/** A field that the searched text of a record is made of. */
const searched = {
  projects: 'name',
  workers: 'name',
  clients: 'name',
  estimates: 'title',
  subcontractors: 'name',
  equipment: 'name',
  trades: 'name',
  categories: 'name',
  tasks: 'title',
  contacts: 'name',
  invoices: 'number',
  contracts: 'title',
}

const withPhone = ['workers', 'clients', 'subcontractors', 'contacts']

export async function up(pgm: MigrationBuilder): Promise<void> {
  for (const create of [folded, ...phoneFunctions]) await pgm.db.query(create)
  for (const table of withPhone) {
    const name = `${table}_phone`
    const on = `${table} using gin (phone_keys(company_id, phone)) with (fastupdate = off)`
    await createIndexConcurrently(pgm, { name, on: `${on} where removal_id is null and phone is not null` })
    await pgm.db.query(`alter index ${name} alter column 1 set statistics 0`)
  }
  // The indexes have waited for every transaction that folded as before.
  await foldAgain(pgm)
}

export async function down(pgm: MigrationBuilder): Promise<void> {
  for (const table of withPhone) await dropIndexConcurrently(pgm, `${table}_phone`)
  for (const signature of [
    'has_digits(text, text)',
    'phone_key(bigint, text)',
    'phone_keys(bigint, text)',
    'phone_digits(text)',
  ])
    await pgm.db.query(`drop function if exists ${signature}`)
  await pgm.db.query(foldedBefore)
  await foldAgain(pgm)
}

/** Writes the records again whose folded text is another one now. */
async function foldAgain(pgm: MigrationBuilder): Promise<void> {
  for (const [table, field] of Object.entries(searched)) {
    const [search] = await pgm.db.select(`select pg_get_expr(adbin, adrelid) as text from pg_attrdef
      join pg_attribute on attrelid = adrelid and attnum = adnum where adrelid = '${table}'::regclass and attname = 'search'`)
    await pgm.db.query(`update ${table} set ${field} = ${field} where search <> ${search.text}`)
  }
}

// Letters of ASCII, which are most, are folded at once. Invisible characters are those of email_key, but for controls of
// ASCII and line breaks. The capitals that the locale of the database does not know are left to fold_case.
const folded = `create or replace function folded(words text) returns text
  language plpgsql immutable strict parallel safe as $$
  begin
    if octet_length(words) = length(words) then
      return lower(words collate "C");
    end if;
    return public.fold_case(replace(lower(public.unaccent('public.unaccent'::regdictionary, normalize(regexp_replace(words,
      '[\\u0080-\\u0084\\u0086-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\U0001bca0-\\U0001bca3\\U0001d173-\\U0001d17a\\U000e0000-\\U000e0fff]',
      '', 'g'), NFKC))), 'ς', 'σ'));
  end $$`

const foldedBefore = `create or replace function folded(words text) returns text
  language sql immutable strict parallel safe
  return lower(public.unaccent('public.unaccent'::regdictionary, normalize(words, NFKC)))`

const phoneFunctions = [
  // Without an extension, the (0) of some countries, and zeros before a country or an area.
  `create or replace function phone_digits(phone text) returns text
    language sql immutable strict parallel safe
    return ltrim(translate(split_part(replace(phone, '(0)', ''), 'x', 1),
      U&'+()./- eE\\00a0\\2000\\2001\\2002\\2003\\2004\\2005\\2006\\2007\\2008\\2009\\200a\\2010\\2011\\2012\\2013\\2014\\2015\\202f\\205f\\2212\\3000\\fe58\\fe63\\ff0d', ''), '0')`,
  // A number of the index for five digits that follow each other, with their company, as in search_keys. A telephone number
  // has 15 digits at most (E.164). In this language it takes a quarter of the time.
  `create or replace function phone_keys(company bigint, phone text) returns bigint[]
    language plpgsql immutable strict parallel safe as $$
    declare
      digits text := public.phone_digits(phone);
    begin
      return array[${Array.from({ length: 11 }, (_, place) => `public.search_key(company, substr(digits, least(${place + 1}, length(digits) - 4), 5))`).join(', ')}];
    end $$`,
  // Every number that is found has the last five digits of the query.
  `create or replace function phone_key(company bigint, query text) returns bigint[]
    language sql immutable strict parallel safe
    return array[search_key(company, right(phone_digits(query), 5))]`,
  // The digits of the query are a part of the number; or those of the number, of seven or more, are the end of the query,
  // which begins with a country then.
  `create or replace function has_digits(phone text, query text) returns boolean
    language sql immutable strict parallel safe
    return length(phone_digits(query)) >= 5 and (strpos(phone_digits(phone), phone_digits(query)) > 0
      or (length(phone_digits(phone)) >= 7 and right(phone_digits(query), length(phone_digits(phone))) = phone_digits(phone)))`,
]
