import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { registry } from '#registry/resources/index.ts'
import type { Company } from '../stage/stage.ts'
import { type ConsoleStage, oneOfEach, openConsole, type Person } from './stage.ts'

let stage: ConsoleStage
let admin: Person & { company: Company }
beforeAll(async () => {
  stage = await openConsole()
  admin = await stage.admin()
})
afterAll(() => stage.close())

/** A reader of RFC 4180 of its own. */
function parsed(text: string): string[][] {
  expect(text.startsWith('\ufeff')).toBe(true)
  const rows: string[][] = [['']]
  let quoted = false
  for (let at = 1; at < text.length; at++) {
    const row = rows.at(-1) as string[]
    const pair = text.slice(at, at + 2)
    const sign = text.charAt(at)
    if (quoted && pair === '""') {
      row.push(`${row.pop()}"`)
      at++
    } else if (sign === '"') quoted = !quoted
    else if (!quoted && sign === ',') row.push('')
    else if (!quoted && pair === '\r\n') {
      rows.push([''])
      at++
    } else row.push(row.pop() + sign)
  }
  expect(rows.pop()).toEqual([''])
  return rows
}

const csv = async (person: Person, path: string) => {
  const answer = await person.get(`/console/records/${path}`)
  expect(answer.status, answer.text).toBe(200)
  return { answer, rows: parsed(answer.text) }
}

test.each(registry)('$name: a row a record, a column a field [V3.2.1] [V5.4.1] [V5.4.2]', async ({ name, fields }) => {
  const own = await stage.admin()
  const ids = await oneOfEach(own.company)
  const { answer, rows } = await csv(own, `${name}.csv`)
  expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8')
  expect(answer.headers['content-disposition']).toMatch(
    new RegExp(`^attachment; filename="${name}-\\d{4}-\\d\\d-\\d\\d\\.csv"$`),
  )
  expect(rows).toHaveLength(2)
  expect(rows[1]?.length).toBe(rows[0]?.length)
  expect(new Set(rows[0]?.map((title) => title.split('.')[0]))).toEqual(new Set(Object.keys(fields)))
  expect(rows[1]?.[0]).toBe(String(ids[name]))
})

describe('Cells [V1.1.2]', () => {
  test.each([
    ['=1+1', "'=1+1"],
    ['=HYPERLINK("http://evil.example","x")', '\'=HYPERLINK("http://evil.example","x")'],
    ['+cmd|calc', "'+cmd|calc"],
    ['-2+3', "'-2+3"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['a;=1+1', "a;'=1+1"],
    ['a\t=1+1', "a\t'=1+1"],
    ['a\n=1+1\r\n-x', "a\n'=1+1\r\n'-x"],
    ['a; "=1+1', 'a;\' "=1+1'],
    ['＝1+1', "'＝1+1"],
    ['a;-12.5\n+3', "a;'-12.5\n'+3"],
    ['a, =b and c=-d', 'a, =b and c=-d'],
    ['-12.5', '-12.5'],
    ['+441174960000', '+441174960000'],
    ['a "quoted" word, and a comma', 'a "quoted" word, and a comma'],
    ['two\nlines\r\nand more', 'two\nlines\r\nand more'],
    ['é 名 😀', 'é 名 😀'],
  ])('%j becomes %j', async (notes, cell) => {
    const id = await admin.company.record('clients', { name: 'N', notes })
    const { rows } = await csv(admin, `clients.csv?id_in=${id}&fields=notes`)
    expect(rows).toEqual([
      ['id', 'notes'],
      [String(id), cell],
    ])
  })

  test('an address has a column a part', async () => {
    const id = await admin.company.record('clients', { name: 'A', billing_address: { city: '=Bath', country: 'GB' } })
    const { rows } = await csv(admin, `clients.csv?id_in=${id}&fields=billing_address`)
    const [titles, values] = rows as [string[], string[]]
    expect(titles.slice(1)).toEqual(
      ['line1', 'line2', 'city', 'region', 'postal_code', 'country'].map((part) => `billing_address.${part}`),
    )
    expect(values.slice(1)).toEqual(['', '', "'=Bath", '', '', 'GB'])
  })
})

describe('What is exported', () => {
  test('is all that is filtered, in its order, beyond a page', async () => {
    const own = await stage.admin()
    await stage.sql(
      `insert into clients (company_id, name, status) select $1, 'Client ' || n, case when n % 2 = 0 then 'ACTIVE' else 'PROSPECT' end
       from generate_series(1, 2300) n`,
      own.company.id,
    )
    const { rows } = await csv(own, 'clients.csv?status=ACTIVE&sort=-id&fields=name')
    expect(rows).toHaveLength(1 + 1150)
    expect(rows[1]?.[1]).toBe('Client 2300')
    expect(rows.at(-1)?.[1]).toBe('Client 2')
    const ids = rows.slice(1).map(([id]) => Number(id))
    expect(ids).toEqual(ids.toSorted((one, other) => other - one))
  })

  test('takes no page: it would not be all', async () => {
    expect(await admin.get('/console/records/clients.csv?limit=10')).toMatchObject({
      status: 400,
      body: { code: 'unknown_parameter' },
    })
  })

  test('is nothing of another company', async () => {
    const other = await stage.admin()
    const { rows } = await csv(other, 'clients.csv')
    expect(rows).toHaveLength(1)
  })
})
