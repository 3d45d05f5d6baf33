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
  const { answer, rows } = await csv(own, `${name}.csv?id_in=${ids[name]}`)
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

describe('An export for people', () => {
  const people = async (person: Person, path: string) =>
    (await person.get(`/console/records/${path}&form=people`)).text.slice(1).split('\r\n').slice(0, -1)

  test.each([
    ['en', 'ID,Name,Status,Client,Start,Contract value', ',Quay,On hold,Acme,31 Mar 2026,1250.50'],
    ['de', 'ID;Name;Status;Kunde;Beginn;Auftragswert', ';Quay;Pausiert;Acme;31.03.2026;"1250,50"'],
  ])('has titles, words, days and amounts of the language %s', async (language, head, row) => {
    const own = await stage.admin()
    const client_id = await own.company.record('clients', { name: 'Acme' })
    const id = await own.company.record('projects', {
      ...{ name: 'Quay', client_id, status: 'ON_HOLD', start_date: '2026-03-31', contract_minor: 125_050 },
    })
    const fields = 'name,client_id,status,start_date,contract_minor'
    expect(await people(own, `projects.csv?fields=${fields}&language=${language}`)).toEqual([head, id + row])
  })

  test.each([
    [',', 'ID,Name,Notes'],
    [';', 'ID;Name;Notes'],
  ])('has the chosen separator %s', async (delimiter, head) => {
    const [first] = await people(admin, `clients.csv?fields=name,notes&delimiter=${encodeURIComponent(delimiter)}`)
    expect(first).toBe(head)
  })

  test('titles that several records share have what tells them apart', async () => {
    const own = await stage.admin()
    const create = async (body: { name: string; external_ref?: string }) => {
      const client_id = await own.company.record('clients', body)
      await own.company.record('projects', { name: 'P', client_id })
      return client_id
    }
    await create({ name: 'Twin Ltd', external_ref: 'RT-8' })
    const second = await create({ name: 'twin ltd' })
    await create({ name: 'Alone Ltd', external_ref: 'RT-9' })
    const third = await create({ name: 'RT-9' })
    const rows = await people(own, 'projects.csv?fields=client_id&sort=id')
    expect(rows.map((row) => row.split(',')[1])).toEqual([
      'Client',
      'Twin Ltd (RT-8)',
      `twin ltd (#${second})`,
      'Alone Ltd',
      `RT-9 (#${third})`,
    ])
  })

  test('shows the titles of records that the account may not see, with their ids and nothing else', async () => {
    const own = await stage.admin()
    const client_id = await own.company.record('clients', { name: 'Unseen', external_ref: 'SECRET-1' })
    await own.company.record('projects', { name: 'P', client_id })
    const guest = await stage.person(own.company, ['PROJECTS_VIEW'])
    expect((await people(guest, 'projects.csv?fields=client_id'))[1]).toMatch(`,Unseen (#${client_id})`)
    await own.company.record('clients', { name: 'Unseen' })
    const rows = await people(guest, 'projects.csv?fields=client_id')
    expect(rows[1]).toMatch(`,Unseen (#${client_id})`)
    expect(rows.join()).not.toContain('SECRET')
  })

  test('names a deleted record with its id, since nobody finds it by its title', async () => {
    const own = await stage.admin()
    const supervisor_id = await own.company.record('workers', { name: 'Left' })
    await own.company.record('workers', { name: 'Stays', supervisor_id })
    await stage.sql(
      'update workers set deleted_at = now() where company_id = $1 and id = $2',
      own.company.id,
      supervisor_id,
    )
    expect((await people(own, 'workers.csv?fields=supervisor_id')).at(-1)).toMatch(`,Left (#${supervisor_id})`)
  })

  test.each(['form=both', 'language=fr', 'delimiter=x', 'week=2026-03-02'])('%s is refused', async (parameter) => {
    expect(await admin.get(`/console/records/clients.csv?${parameter}`)).toMatchObject({ status: 400 })
  })
})

describe('A week of hours', () => {
  test('has a row for each worker, a column for each day from Monday, and exact sums', async () => {
    const own = await stage.admin()
    const project_id = await own.company.record('projects', { name: 'P' })
    const other = await own.company.record('projects', { name: 'Q' })
    const [ada, bob] = [
      await own.company.record('workers', { name: 'Ada' }),
      await own.company.record('workers', { name: 'Bob' }),
    ]
    const entries: [worker_id: number, worked_on: string, hours: number, project: number][] = [
      [bob, '2026-03-02', 0.1, project_id],
      [bob, '2026-03-02', 0.2, other],
      [bob, '2026-03-08', 8, project_id],
      [bob, '2026-03-01', 5, project_id],
      [ada, '2026-03-04', 7.5, project_id],
      [ada, '2026-03-09', 5, project_id],
    ]
    for (const [worker_id, worked_on, hours, project] of entries)
      await own.company.record('time_entries', { worker_id, worked_on, hours, project_id: project })
    const path = '/console/records/time_entries.csv?form=people&week=2026-03-05'
    const { text } = await own.get(`${path}&language=de`)
    expect(text.slice(1).split('\r\n')).toEqual([
      'Mitarbeiter;02.03.2026;03.03.2026;04.03.2026;05.03.2026;06.03.2026;07.03.2026;08.03.2026;Summe',
      'Ada;;;"7,5";;;;;"7,5"',
      'Bob;"0,3";;;;;;8;"8,3"',
      '',
    ])
    const filtered = await own.get(`${path}&project_id=${other}`)
    expect(filtered.text.split('\r\n').slice(1)).toEqual(['Bob,0.2,,,,,,,0.2', ''])
  })

  test('takes no day that the calendar lacks', async () => {
    expect(await admin.get('/console/records/time_entries.csv?week=2026-02-30')).toMatchObject({
      status: 400,
      body: { code: 'invalid_parameter' },
    })
  })
})
