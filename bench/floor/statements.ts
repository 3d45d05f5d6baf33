import { raw } from 'sql-template-tag'
import { kindOf } from '#registry/fields/index.ts'
import { projects } from '#registry/resources/projects.ts'
import { columnsOf } from '#sql/records/columns.ts'
import { recordJson } from '#sql/records/record-json.ts'

/** Statements for each kind of work, written by hand, so that a slow statement of the product shows. */

const currency = '(select currency from companies where id = $1)'

/** The members of a record, in the product's own format. */
const members = membersOf(recordJson(projects, raw(currency)).text)

const record = (rest: string): string =>
  `select row_to_json(record)::text as json from (select ${members} from projects r where r.company_id = $1 and r.deleted_at is null ${rest}) record`

/** The cheapest exact total that the tables offer. */
const tallied = `coalesce((select total from tallies where company_id = $1 and records = 'projects'), 0)
      + coalesce((select sum(change) from tally_changes where company_id = $1 and records = 'projects'), 0)`

const page = (conditions: string): string => `select
    ${conditions === '' ? tallied : `(select count(*) from projects r where r.company_id = $1 and r.deleted_at is null ${conditions})`} as total,
    (select coalesce(string_agg(row_to_json(record)::text, ','), '') from (
      select ${members} from projects r
      where r.company_id = $1 and r.deleted_at is null ${conditions} order by r.id limit 50
    ) record) as json`

/** Searches once, for the total and for the page. */
const searched = `with found as materialized (
      select r.id from projects r
      where r.company_id + 0 = $1 and r.deleted_at is null
        and search_keys(r.company_id, r.search) @> (select word_keys($1, $2)) and r.search like (select containing($2))
    ) select (select count(*) from found) as total,
    (select coalesce(string_agg((${record('and r.id = page.id')}), ','), '') from (
      select id from found order by id limit 50
    ) page) as json`

/** The columns in the order of the parameters of `create`, after the company. */
export const columns = columnsOf(projects)
  .map(([name, field]) => ({ name, kind: field.kind, type: kindOf(field).column(field) }))
  .filter(({ kind }) => kind !== 'id' && kind !== 'instant')

export const statements = {
  fetch: record('and r.id = $2'),
  list: page(''),
  filtered: page('and r.status = $2'),
  q: searched,
  update: `update projects set budget_minor = $3, version = version + 1, updated_at = now()
    where company_id = $1 and id = $2 returning id`,
  create: `insert into projects (company_id, ${columns.map(({ name }) => name).join(', ')})
    values ($1, ${columns.map((_, index) => `$${index + 2}`).join(', ')}) returning id`,
  batch: `with r as (
      insert into projects (company_id, ${columns.map(({ name }) => name).join(', ')})
      select $1, ${columns.map(({ name }) => name).join(', ')}
      from json_to_recordset($2::json) as given (${columns.map(({ name, type }) => `${name} ${type}`).join(', ')})
      returning company_id, id, version
    ), noted as (
      insert into history (company_id, door, records, record_id, action, version, epoch)
      select company_id, 'api', 'projects', id, 'created', version, 1 from r
    ) select count(*) from r`,
} as const

function membersOf(text: string): string {
  const inside = /from \(select (.*)\) record\)$/s.exec(text)?.[1]
  if (inside === undefined) throw new Error(`how a record is shown has changed: ${text}`)
  return inside
}
