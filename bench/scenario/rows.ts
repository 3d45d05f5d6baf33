import { type Block, blockOf, countPerCompany, type Layout } from './layout.ts'

/** The SQL here inserts records. Every value is computed from the id, so each load yields the same data. */

export type RecordLoad = { records: string; block: Block; insert: (from: number, to: number) => string }

/** Returns the loads in an order in which referenced records exist. */
export function recordLoads(layout: Layout): RecordLoad[] {
  const of = (records: string, blocks: readonly Block[], columns: (block: Block) => Columns): RecordLoad[] =>
    blocks.map((block) => ({ records, block, insert: (from, to) => insert(records, block, columns(block), from, to) }))
  return [
    ...of('categories', layout.categories, () => categories),
    ...of('workers', layout.workers, () => workers),
    ...of('clients', layout.clients, () => clients),
    ...of('projects', layout.projects, (block) => projects(layout, block)),
  ]
}

/** Column → expression over `i`, the id; `company`; and `k`, the ordinal of the record in its company. */
type Columns = { readonly [column: string]: string }

function insert(
  records: string,
  { from: start, first, companies }: Block,
  columns: Columns,
  from: number,
  to: number,
): string {
  return `insert into ${records} (company_id, id, ${Object.keys(columns).join(', ')})
    select company, i, ${Object.values(columns).join(', ')}
    from (select i, ${first} + (i - ${start}) % ${companies} as company, (i - ${start}) / ${companies} as k
      from generate_series(${from}::bigint, ${to}) i) numbered`
}

const pickWord = (words: readonly string[], by: string): string =>
  `(array[${words.map((word) => `'${word}'`).join(',')}])[1 + (${by}) % ${words.length}]`

const jobs = ['retaining wall', 'roof renewal', 'drainage', 'fit-out', 'resurfacing', 'foundations'] as const
const streets = ['Quay Street', 'Mill Lane', 'Church Road', 'Station Approach', 'Bridge End', 'Park Row', 'High Street']
const towns = ['Bristol', 'Leeds', 'Exeter', 'York', 'Dundee', 'Swansea', 'Norwich', 'Derby', 'Truro', 'Lincoln', 'Ely']
const givenNames = ['Ada', 'Grace', 'Ines', 'Tomás', 'Yusuf', 'Mei', 'Olga', 'Kwame', 'Zoë', 'Piotr', 'Anna', 'Luca']
const surnames = [
  'Byron',
  'Okafor',
  'Duarte',
  'Nowak',
  'Rahman',
  'Chen',
  'Petrova',
  'Mensah',
  'Müller',
  'Rossi',
  'Hall',
]

const digits = (of: string, width: number): string => `lpad((${of})::text, ${width}, '0')`
const address = (by: string): string =>
  `json_build_object('line1', ((${by}) % 180 + 1) || ' ' || ${pickWord(streets, by)}, 'line2', null, 'city', ${pickWord(towns, by)},
    'region', null, 'postal_code', 'BS' || (${by}) % 20 || ' ' || (${by}) % 9 || 'DJ', 'country', 'GB')`
/** Returns a moment within two years, which depends on the record alone. */
const moment = (by: string): string =>
  `timestamptz '2024-11-01T08:00Z' + make_interval(secs => ((${by}) * 7919) % 63072000)`

const categories: Columns = { name: `'Category ' || k + 1`, kind: `'project'` }

const workers: Columns = {
  name: `${pickWord(givenNames, 'i')} || ' ' || ${pickWord(surnames, 'i / 3')}`,
  employee_no: `'W-' || ${digits('k + 1', 4)}`,
  email: `'worker' || i || '@example.com'`,
  phone: `'+44117' || ${digits('i % 1000000', 6)}`,
  status: `'ACTIVE'`,
  employment_type: `'EMPLOYEE'`,
  hired_on: `date '2019-01-07' + (i % 1800)::int`,
  hourly_cost_minor: '2200 + i % 1800',
  bill_rate_minor: '4100 + i % 2600',
}

const clients: Columns = {
  name: `${pickWord(towns, 'i')} || ' ' || ${pickWord(surnames, 'i / 7')} || ' Trust ' || k + 1`,
  kind: pickWord(['COMPANY', 'INDIVIDUAL', 'PUBLIC'], 'k'),
  status: pickWord(['ACTIVE', 'ACTIVE', 'PROSPECT', 'INACTIVE'], 'k'),
  contact_name: `${pickWord(givenNames, 'i / 5')} || ' ' || ${pickWord(surnames, 'i')}`,
  email: `'client' || i || '@example.com'`,
  phone: `'+44113' || ${digits('i % 1000000', 6)}`,
  tax_id: `'GB' || ${digits('i', 9)}`,
  website: `'https://client' || i || '.example.com'`,
  billing_address: address('i'),
  payment_terms_days: '(15 * (1 + k % 4))::int',
  credit_limit_minor: '100000 * (1 + i % 90)',
}

const projects = (layout: Layout, { first }: Block): Columns => {
  const reference = (blocks: readonly Block[], ordinal: string): string => {
    const block = blockOf(blocks, first)
    return `${block.from} + (company - ${block.first}) + ${block.companies} * ((${ordinal}) % ${countPerCompany(block)})`
  }
  const job = pickWord(jobs, 'k')
  return {
    name: `${pickWord(streets, 'i / 11')} || ' ' || ${job}`,
    code: `'P-' || ${digits('i', 8)}`,
    description: `'Survey, ' || ${job} || ' and making good at ' || ${pickWord(towns, 'i / 13')} || ', in ' || 1 + k % 5 || ' stages.'`,
    status: pickWord(
      ['ACTIVE', 'ON_HOLD', 'BIDDING', 'ACTIVE', 'COMPLETED', 'ACTIVE', 'ON_HOLD', 'BIDDING', 'ACTIVE', 'CANCELLED'],
      'k',
    ),
    client_id: reference(layout.clients, 'k'),
    category_id: reference(layout.categories, 'k'),
    manager_id: reference(layout.workers, 'k / 3'),
    address: address('i / 2'),
    start_date: `date '2024-01-08' + (i % 900)::int`,
    end_date: `date '2024-01-08' + (i % 900)::int + 30 + (i % 400)::int`,
    contract_minor: '1000000 + (i * 7919) % 90000000',
    budget_minor: '800000 + (i * 6007) % 70000000',
    percent_complete: '(i % 101)::int',
    external_ref: `case when k % 2 = 0 then 'ERP-' || i end`,
    notes: `case when k % 3 = 0 then 'Access by the east gate; call ' || ${pickWord(givenNames, 'i')} || ' the day before.' end`,
    created_at: moment('i'),
    updated_at: `${moment('i')} + make_interval(hours => (i % 300)::int)`,
    version: '(1 + i % 4)::int',
  }
}
