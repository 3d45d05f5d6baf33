import { raw, type Sql } from 'sql-template-tag'
import { alwaysOpen } from '#registry/common.ts'
import { printedFields } from '#registry/company.ts'
import type { Definition, PaperDefinition } from '#registry/definition.ts'
import { referenceOf } from '#registry/fields/index.ts'
import type { JsonObject } from '#registry/json.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { byKey, companyRow, equalsIndexed, inOrderOf, rowsOf } from '../access.ts'
import type { LogAuthor, Origin } from '../author.ts'
import { identifier, instant, prepareStatement, query, type Run, type Statement, sql } from '../statement.ts'
import { matchConditions } from './lock-order.ts'
import { recordJson } from './record-json.ts'

/** Papers: what is printed of a record, fixed when it was issued. Decisions, Papers. */

/** Returns the resource to which the papers of a definition go. Throws if its paper names no reference. */
export function addresseeOf({ name, fields, paper }: PaperDefinition): Definition {
  const reference = referenceOf(fields[paper.to])
  const target = reference && definitionOf(registry, reference.to)
  if (!target) throw new Error(`the papers of ${name} go to no record`)
  return target
}

/** A record whose paper is due, and the call that wrote it. */
export type PaperDue = { id: number; by: Origin }

/** Appends a paper of each record as it is when the statement begins, after its write. It locks nothing. */
export const appendPapers = (author: LogAuthor, definition: PaperDefinition, due: readonly PaperDue[]): Statement =>
  append(author, definition, due, '')

/**
 * Appends a paper of each record that has none, or whose newest one is not what would be printed now, unless the record
 * is protected: papers of the books stay as they are. The records are locked.
 */
export const appendMissingPapers = (
  author: LogAuthor,
  definition: PaperDefinition,
  due: readonly PaperDue[],
): Statement => append(author, definition, due, 'missing')

function append(
  { companyId, accountId }: LogAuthor,
  definition: PaperDefinition,
  due: readonly PaperDue[],
  which: '' | 'missing',
): Statement {
  const { name, paper } = definition
  const rows = due.map(({ id, by }) => ({ record_id: id, write_id: by.writeId }))
  const statementOf = (ids?: readonly number[]): Statement => {
    const [column, drawn] = ids ? [sql`id, `, sql`due.id, `] : [sql``, sql``]
    const values = {
      companyId,
      accountId,
      due: JSON.stringify(rows.map((row, place) => ({ ...row, id: ids?.[place] }))),
    }
    return prepareStatement(
      definition,
      `${name}.append-papers${which && `-${which}`}${ids ? '-there' : ''}`,
      values,
      (given) => sql`
    insert into papers (company_id, ${column}records, record_id, version, addressee_id, account_id, write_id, content)
    select c.id, ${drawn}${raw(`'${name}'`)}, r.id, r.version, ${identifier(`r.${paper.to}`)}, ${given.accountId}::bigint,
      due.write_id, now.content
    from ${companyRow(given.companyId)} c
    cross join json_to_recordset(${given.due}::json) as due (id bigint, record_id bigint, write_id uuid)
    cross join lateral ${byKey(name, given.companyId, raw('due.record_id'))} r
    ${contentNow(definition, given.companyId)}${which === '' ? sql`` : onlyMissing(definition, given.companyId)}`,
    )
  }
  const steps = async (run: Run) => ({ rows: run(statementOf(await drawIds(run, rows.length))) })
  return { ...statementOf(), distributed: steps }
}

const onlyMissing = (definition: PaperDefinition, companyId: Sql): Sql => sql`
    left join lateral ${newestPaper(definition.name, companyId)} p on true
    where p.id is null or ${isOutdated(definition)}`

/** Draws ids of papers, in ascending order, where companies are distributed. */
const drawIds = async (run: Run, count: number): Promise<number[]> => {
  const drawn = query('papers.ids')`select nextval('papers_id_seq') as id from generate_series(1, ${count}::int)`
  return (await run<{ id: number }>(drawn)).map(({ id }) => id)
}

/** Joins `now`: the content that a paper of the record `r` of the company `c` would have now. */
function contentNow(definition: PaperDefinition, companyId: Sql | number): Sql {
  const { paper } = definition
  const target = addresseeOf(definition)
  const key = raw(`r.${paper.to}`)
  return sql`cross join lateral (select jsonb_build_object(
      'record', ${recordJson(definition, sql`c.currency`)}::jsonb,
      'addressee', (
        select ${recordJson(target, sql`c.currency`, target.addressee)}::jsonb from ${byKey(target.name, companyId, key)} r
      ),
      'letterhead', (select to_jsonb(letterhead) from (select ${letterhead}) letterhead)
    ) as content offset 0) now`
}

/** The columns of the company `c` that its papers show. */
const letterhead = raw([...printedFields, 'logo_hash as logo'].map((column) => `c.${column}`).join(', '))

const newestPaper = (records: string, companyId: Sql | number): Sql => sql`(
      select * from papers where company_id = ${companyId} and records = ${raw(`'${records}'`)}
        and ${equalsIndexed(sql`record_id`, sql`r.id`)} order by record_id desc, id desc limit 1
    )`

/** Is true if the record `r` may still change, and what is printed of it is another than its newest paper `p` says. */
const isOutdated = (definition: PaperDefinition): Sql =>
  sql`(not ${isOfTheBooks(definition)} and ${printed(definition, 'p')} <> ${printed(definition, 'now')})`

/** Is true if the record `r` is protected, so that its papers stay by law. */
const isOfTheBooks = ({ protection }: PaperDefinition): Sql =>
  protection ? sql`(${matchConditions(protection.when)})` : sql`false`

/** Returns the content without members that no paper shows, or that are absent where they were not there yet. */
const printed = ({ paper }: PaperDefinition, source: 'p' | 'now'): Sql => {
  const [content, names] = [`${source}.content`, ['updated_at', ...Object.keys(paper.when), ...alwaysOpen]]
  return raw(
    `jsonb_strip_nulls(${content} || jsonb_build_object('record', (${content} -> 'record') - '{${names}}'::text[]))`,
  )
}

/**
 * Reads the newest paper of a live record, or what would be printed now if it has none. `now` reads that in any case, but
 * of records of the books, which are printed as they were issued.
 */
export const findPaper = (
  companyId: number,
  definition: PaperDefinition,
  id: number,
  which: 'newest' | 'now' = 'newest',
): Statement =>
  query(`${definition.name}.paper${which === 'now' ? '-now' : ''}`)`
    select coalesce(p.content, now.content) as content, p.id is not null as is_fixed,
      p.id is not null and ${isOutdated(definition)} as is_changed, coalesce(p.version, r.version) as version,
      case when ${matchConditions(definition.paper.across)} and (p.id is null or ${matchConditions(definition.paper.when)})
        then r.status end as across,
      ${instant('p.at')} as at, p.sent_on::text as sent_on, p.sent_by
    from ${companyRow(companyId)} c
    cross join lateral ${byKey(definition.name, companyId, id)} r
    ${contentNow(definition, companyId)}
    left join lateral ${newestPaper(definition.name, companyId)} p
      on ${which === 'now' ? isOfTheBooks(definition) : sql`true`}
    where r.deleted_at is null`

/** Notes the day on which the newest paper of a record was sent, and how. Returns its version. */
export const markPaperSent = (
  companyId: number,
  { name }: PaperDefinition,
  id: number,
  { on, by }: { on: string; by: string },
): Statement =>
  query('papers.mark-sent')`
    update papers set sent_on = ${on}::date, sent_by = ${by}
    where ${rowsOf(
      'papers',
      companyId,
      'id',
      sql`company_id = ${companyId} and records = ${name} and ${equalsIndexed(sql`record_id`, id)}
        order by record_id desc, id desc limit 1`,
    )} returning version`

/** Reads the ids of records of the books without a paper, after an id: an earlier version of the program issued them. */
export const recordsWithoutPaper = (
  companyId: number,
  definition: PaperDefinition,
  { most, after }: { most: number; after: number },
): Statement =>
  query(`${definition.name}.without-paper`)`
    select r.id from (
      select * from ${identifier(definition.name)} where company_id = ${companyId} and id > ${after} ${inOrderOf(sql`id`)}
    ) r
    where ${matchConditions(definition.paper.when)} and ${isOfTheBooks(definition)} and not exists (
      select from papers p where p.company_id = ${companyId} and p.records = ${raw(`'${definition.name}'`)}
        and p.record_id = r.id
    )
    order by r.id limit ${most}`

/** A paper that goes to a person. `is_of_the_books`: it stays by law. */
export type PaperOfPersonRow = {
  id: number
  records: string
  record_id: number
  version: number
  at: string
  content: JsonObject & { addressee: JsonObject | null }
  sent_on: string | null
  sent_by: string | null
  is_of_the_books: boolean
}

/** Reads the papers of a definition that go to a record, in the order of their own records. */
export const papersTo = (companyId: number, definition: PaperDefinition, addresseeId: number): Statement =>
  query(`${definition.name}.papers-to`)`
    select p.id, p.records, p.record_id, p.version, ${instant('p.at')} as at, p.content, p.sent_on::text as sent_on, p.sent_by,
      coalesce(${isOfTheBooks(definition)}, false) as is_of_the_books
    from (
      select * from papers where company_id = ${companyId} and records = ${definition.name}
      ${inOrderOf(sql`record_id`, sql`id`)}
    ) p
    left join lateral ${byKey(definition.name, companyId, raw('p.record_id'))} r on true
    where p.addressee_id = ${addresseeId}`

/** Replaces members of the addressee in papers of a resource. */
export const eraseAddressee = (
  companyId: number,
  records: string,
  ids: readonly number[],
  erased: JsonObject,
): Statement =>
  query('papers.erase-addressee')`
    update papers set content = jsonb_set(content, '{addressee}', content -> 'addressee' || ${JSON.stringify(erased)}::jsonb)
    where ${rowsOf(
      'papers',
      companyId,
      'id',
      sql`company_id = ${companyId} and records = ${records} and id = any (${ids}::bigint[]) order by record_id, id`,
    )}`
