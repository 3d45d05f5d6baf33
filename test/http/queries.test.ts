import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Company, openStage, type Stage } from '../stage/stage.ts'

let stage: Stage
let company: Company
const ids: { [name: string]: number } = {}
beforeAll(async () => {
  stage = await openStage()
  company = await stage.company()
  const trade = await company.record('trades', { name: 'Mason' })
  const client = await company.create('clients', {
    name: 'Müller & Söhne',
    email: 'post@mueller.example',
    status: 'PROSPECT',
  })
  Object.assign(ids, { trade, client })
  for (let count = 1; count <= 120; count++) {
    await company.create('workers', {
      name: `Worker ${String(count).padStart(3, '0')}`,
      ...(count % 10 === 0 ? { trade_id: trade } : {}),
      ...(count % 40 === 0 ? { status: 'INACTIVE' } : {}),
    })
  }
  for (const name of ['100% wool', 'under_score', 'back\\slash', 'Crème brûlée', 'Straße 5', 'wall and wool']) {
    await company.create('projects', { name, client_id: client })
  }
})
afterAll(() => stage.close())

describe('Pages', () => {
  const rows: { why: string; query: string; length: number; meta: object }[] = [
    { why: 'the default page holds 50', query: '', length: 50, meta: { total: 120, limit: 50, offset: 0 } },
    { why: 'the largest page holds 100', query: 'limit=100', length: 100, meta: { total: 120, limit: 100, offset: 0 } },
    {
      why: 'more than 100 is taken as 100 and says so',
      query: 'limit=101',
      length: 100,
      meta: { total: 120, limit: 100, offset: 0 },
    },
    {
      why: 'far more too',
      query: 'limit=99999999999999999999',
      length: 100,
      meta: { total: 120, limit: 100, offset: 0 },
    },
    {
      why: 'the last page is short',
      query: 'limit=50&offset=100',
      length: 20,
      meta: { total: 120, limit: 50, offset: 100 },
    },
    {
      why: 'past the end is empty with the true total',
      query: 'offset=5000',
      length: 0,
      meta: { total: 120, limit: 50, offset: 5000 },
    },
    {
      why: 'the largest offset',
      query: 'offset=2147483647',
      length: 0,
      meta: { total: 120, limit: 50, offset: 2147483647 },
    },
    {
      why: 'the total does not depend on the page size',
      query: 'limit=1',
      length: 1,
      meta: { total: 120, limit: 1, offset: 0 },
    },
  ]
  test.each(rows)('$why', async ({ query, length, meta }) => {
    const { status, body } = await company.get(`/v1/workers?${query}`)
    expect(status).toBe(200)
    expect(body.data).toHaveLength(length)
    expect(body.meta).toEqual(meta)
  })

  test('pages follow each other by id without a gap or a repetition', async () => {
    const seen: number[] = []
    for (let offset = 0; offset < 120; offset += 30) {
      const { body } = await company.get(`/v1/workers?limit=30&offset=${offset}`)
      seen.push(...body.data.map(({ id }: { id: number }) => id))
    }
    expect(new Set(seen).size).toBe(120)
    expect(seen).toEqual(seen.toSorted((one, other) => one - other))
  })
})

describe('What cannot be read is refused with 400 and says what is valid', () => {
  const rows: { query: string; code: string; says: RegExp }[] = [
    { query: 'limit=0', code: 'invalid_parameter', says: /limit .* from 1/ },
    { query: 'limit=-1', code: 'invalid_parameter', says: /limit/ },
    { query: 'limit=', code: 'invalid_parameter', says: /limit/ },
    { query: 'limit=1e2', code: 'invalid_parameter', says: /limit/ },
    { query: 'limit=1.0', code: 'invalid_parameter', says: /limit/ },
    { query: 'limit=%201', code: 'invalid_parameter', says: /limit/ },
    { query: 'limit=%D9%A3', code: 'invalid_parameter', says: /limit/ },
    { query: 'limit=5&limit=5', code: 'invalid_parameter', says: /limit is given twice/ },
    { query: 'offset=-1', code: 'invalid_parameter', says: /offset/ },
    { query: 'offset=2147483648', code: 'invalid_parameter', says: /2147483647/ },
    { query: 'status=active', code: 'invalid_parameter', says: /ACTIVE, INACTIVE/ },
    { query: 'status=', code: 'invalid_parameter', says: /ACTIVE/ },
    { query: 'trade_id=x', code: 'invalid_parameter', says: /trade_id/ },
    { query: 'trade_id=0', code: 'invalid_parameter', says: /trade_id/ },
    { query: 'fields=', code: 'invalid_parameter', says: /name/ },
    { query: 'fields=name,nope', code: 'invalid_parameter', says: /"nope".*employee_no/ },
    { query: 'sort=notes', code: 'invalid_parameter', says: /sort .*name/ },
    { query: 'sort=', code: 'invalid_parameter', says: /sort/ },
    { query: 'updated_since=yesterday', code: 'invalid_parameter', says: /updated_since/ },
    { query: 'updated_since=2026-02-30T00:00:00Z', code: 'invalid_parameter', says: /updated_since/ },
    { query: 'q=%00', code: 'invalid_parameter', says: /NUL/ },
    { query: 'q=%ff', code: 'invalid_parameter', says: /UTF-8/ },
    { query: `q=${'a'.repeat(201)}`, code: 'invalid_parameter', says: /200/ },
    {
      query: 'nope=1',
      code: 'unknown_parameter',
      says: /"nope".*limit, offset, after_id, q, id_in, status, status_in, trade_id/,
    },
    { query: 'client_id=1', code: 'unknown_parameter', says: /client_id/ },
    { query: 'dry_run=1', code: 'unknown_parameter', says: /dry_run/ },
    { query: '__proto__=1', code: 'unknown_parameter', says: /__proto__/ },
  ]
  test.each(rows)('$query [V15.3.7]', async ({ query, code, says }) => {
    const { status, body } = await company.get(`/v1/workers?${query}`)
    expect({ status, code: body.code }).toEqual({ status: 400, code })
    expect(body.detail).toMatch(says)
  })
})

describe('Filters', () => {
  test('by status', async () => {
    expect((await company.get('/v1/workers?status=INACTIVE')).body.meta.total).toBe(3)
  })
  test('by a reference', async () => {
    expect((await company.get(`/v1/workers?trade_id=${ids.trade}`)).body.meta.total).toBe(12)
  })
  test('together they narrow', async () => {
    expect((await company.get(`/v1/workers?trade_id=${ids.trade}&status=INACTIVE`)).body.meta.total).toBe(3)
  })
  test('a reference to no record gives an empty list', async () => {
    expect((await company.get('/v1/workers?trade_id=999999999')).body).toMatchObject({ data: [], meta: { total: 0 } })
  })
  test('updated_since keeps what changed at or after a moment, also as it is shown', async () => {
    const { body } = await company.get('/v1/workers?sort=-updated_at&limit=1')
    const [last] = body.data
    const since = await company.get(`/v1/workers?updated_since=${encodeURIComponent(last.updated_at)}`)
    expect(since.body.data.map(({ id }: { id: number }) => id)).toContain(last.id)
    expect((await company.get('/v1/workers?updated_since=2100-01-01T00:00:00Z')).body.meta.total).toBe(0)
    for (const early of [
      '2020-01-01T00:00:00%2B02:00',
      '2020-01-01T00:00:00+23:59',
      '0000-01-01t00:00:00.123456789123z',
    ])
      expect((await company.get(`/v1/workers?updated_since=${early}`)).body.meta.total, early).toBe(120)
    expect((await company.get('/v1/workers?updated_since=9999-12-31T23:59:59-23:59')).body.meta.total).toBe(0)
  })
})

describe('q: every word must occur in one of the searchable fields', () => {
  const rows: { q: string; resource?: string; total: number }[] = [
    { q: 'worker 007', resource: 'workers', total: 1 },
    { q: 'WORKER', resource: 'workers', total: 120 },
    { q: 'muller sohne', resource: 'clients', total: 1 },
    { q: 'MÜLLER', resource: 'clients', total: 1 },
    { q: 'mueller.example', resource: 'clients', total: 1 },
    { q: 'creme brulee', total: 1 },
    { q: 'strasse', total: 1 },
    { q: '100%', total: 1 },
    { q: '%', total: 1 },
    { q: 'under_score', total: 1 },
    { q: 'under-score', total: 0 },
    { q: '_', total: 1 },
    { q: '\\', total: 1 },
    { q: 'wool wall', total: 1 },
    { q: 'wool', total: 2 },
    { q: 'wool nothing', total: 0 },
    { q: '  wool  ', total: 2 },
    { q: '   ', total: 6 },
    { q: '', total: 6 },
    { q: "'; drop table projects; --", total: 0 },
  ]
  test.each(rows)('$q finds $total', async ({ q, resource = 'projects', total }) => {
    const { status, body } = await company.get(`/v1/${resource}?q=${encodeURIComponent(q)}`)
    expect(status).toBe(200)
    expect(body.meta.total).toBe(total)
    expect(body.data).toHaveLength(Math.min(total, 50))
  })
})

describe('Sorting', () => {
  test('descending by name', async () => {
    const { body } = await company.get('/v1/workers?sort=-name&limit=2')
    expect(body.data.map(({ name }: { name: string }) => name)).toEqual(['Worker 120', 'Worker 119'])
  })
  test('of a field that is named twice the first counts', async () => {
    const { body } = await company.get('/v1/workers?sort=-name,name&limit=1')
    expect(body.data.map(({ name }: { name: string }) => name)).toEqual(['Worker 120'])
  })
  test('equals are ordered by id, and what is empty comes last', async () => {
    const { body } = await company.get('/v1/workers?sort=status,-trade_id,name&limit=100')
    expect(body.code).toBe('invalid_parameter')
    const sorted = await company.get('/v1/workers?sort=status&limit=100')
    const own = sorted.body.data
      .filter(({ status }: { status: string }) => status === 'ACTIVE')
      .map(({ id }: { id: number }) => id)
    expect(own).toEqual(own.toSorted((one: number, other: number) => one - other))
  })
  test('capitals and accents do not count', async () => {
    const { body } = await company.get('/v1/projects?sort=name')
    expect(body.data.map(({ name }: { name: string }) => name)).toEqual([
      '100% wool',
      'back\\slash',
      'Crème brûlée',
      'Straße 5',
      'under_score',
      'wall and wool',
    ])
  })
})

describe('fields', () => {
  test('gives the fields named, in the order of the record, and always the id', async () => {
    const { body } = await company.get(`/v1/clients/${ids.client}?fields=status,name`)
    expect(Object.keys(body.data)).toEqual(['id', 'name', 'status'])
  })
  test('on lists too', async () => {
    const { body } = await company.get('/v1/projects?fields=name&limit=1')
    expect(Object.keys(body.data[0])).toEqual(['id', 'name'])
  })
  test('another set of fields has another ETag', async () => {
    const tags = await Promise.all(
      ['', '?fields=name', '?fields=status'].map(
        async (query) => (await company.get(`/v1/clients/${ids.client}${query}`)).headers.etag,
      ),
    )
    expect(new Set(tags).size).toBe(3)
  })
})

describe('Link leads to the pages around a page (RFC 8288)', () => {
  const linksOf = async (path: string): Promise<{ [relation: string]: string }> => {
    const { status, headers } = await company.get(path)
    expect(status).toBe(200)
    const links = (headers.link ?? '').matchAll(/<([^<>]*)>; rel="(\w+)"/g)
    return Object.fromEntries([...links].map(([, target = '', relation = '']) => [relation, target]))
  }

  test('so that whoever follows next has seen every record once, and prev leads back', async () => {
    const start = '/v1/workers?limit=50&fields=name&sort=-name'
    const pages = []
    for (let at: string | undefined = start; at; at = (await linksOf(at)).next) pages.push(at)
    expect(pages.slice(1)).toEqual(
      [50, 100].map((offset) => `/v1/workers?limit=50&fields=name&sort=-name&offset=${offset}`),
    )
    const seen = await Promise.all(pages.map(async (page) => (await company.get(page)).body.data))
    expect(new Set(seen.flat().map(({ id }: { id: number }) => id)).size).toBe(120)
    expect(await linksOf(pages[2] as string)).toEqual({ prev: pages[1], first: `${start}&offset=0` })
  })

  const rows: { why: string; path: string; links: { [relation: string]: string } }[] = [
    { why: 'no link where all is on the page', path: '/v1/workers?status=INACTIVE', links: {} },
    { why: 'a page that fits exactly has no next', path: '/v1/workers?status=INACTIVE&limit=3', links: {} },
    {
      why: 'the default page size',
      path: '/v1/workers',
      links: { next: '/v1/workers?offset=50' },
    },
    {
      why: 'what is beyond the most is kept as it was sent',
      path: '/v1/workers?limit=1000',
      links: { next: '/v1/workers?limit=1000&offset=100' },
    },
    {
      why: 'the query is kept, percent-encoded, whatever is in it',
      path: '/v1/workers?limit=1&offset=1&q=%3Ca%3E%22%0D%0A%2C%20%C3%A9',
      links: {
        prev: '/v1/workers?limit=1&q=%3Ca%3E%22%0D%0A,%20%C3%A9&offset=0',
        first: '/v1/workers?limit=1&q=%3Ca%3E%22%0D%0A,%20%C3%A9&offset=0',
      },
    },
    {
      why: 'a page that is no multiple leads back to the first',
      path: '/v1/workers?limit=100&offset=30',
      links: {
        prev: '/v1/workers?limit=100&offset=0',
        first: '/v1/workers?limit=100&offset=0',
      },
    },
    {
      why: 'past the end, what comes before is the last page',
      path: '/v1/workers?offset=5000',
      links: { prev: '/v1/workers?offset=70', first: '/v1/workers?offset=0' },
    },
  ]
  test.each(rows)('$why', async ({ path, links }) => {
    expect(await linksOf(path)).toEqual(links)
    for (const target of Object.values(links)) expect((await company.get(target)).status).toBe(200)
  })

  const names = (count: number): string => Array(count).fill('name').join()
  const lengths: { why: string; path: string; relations: string[] }[] = [
    {
      why: 'a long query is said back while all links have 3,000 characters',
      path: `/v1/workers?limit=1&offset=1&fields=${names(180)}`,
      relations: ['next', 'prev', 'first'],
    },
    {
      why: 'beyond that the next page alone is named',
      path: `/v1/workers?limit=1&offset=1&fields=${names(220)}`,
      relations: ['next'],
    },
    {
      why: 'a query that is too long to be said back is not',
      path: `/v1/workers?limit=1&offset=1&fields=${names(600)}`,
      relations: [],
    },
  ]
  test.each(lengths)('$why', async ({ path, relations }) => {
    expect(Object.keys(await linksOf(path))).toEqual(relations)
    const { link = '' } = (await company.get(path)).headers
    expect(link.length).toBeLessThanOrEqual(3000)
  })

  const walks: { why: string; query: string; shown: number[] }[] = [
    { why: 'all records', query: 'limit=50', shown: [50, 50, 20] },
    { why: 'a page that fits exactly', query: 'limit=60', shown: [60, 60] },
    { why: 'some of them', query: 'limit=2&status=INACTIVE&fields=name', shown: [2, 1] },
    { why: 'those with a word', query: 'limit=70&q=worker', shown: [70, 50] },
    { why: 'those that changed since', query: 'limit=100&updated_since=2020-01-01T00:00:00Z', shown: [100, 20] },
    { why: 'none', query: 'q=nobodyhasthisname', shown: [0] },
  ]
  test.each(walks)('a walk that begins with after_id=0 ends where nothing follows: $why', async ({ query, shown }) => {
    const seen: number[][] = []
    for (let at: string | undefined = `/v1/workers?${query}&after_id=0`; at; ) {
      const { body, headers } = await company.get(at)
      seen.push(body.data.map(({ id }: { id: number }) => id))
      expect(body.meta.total).toBe(shown.reduce((sum, count) => sum + count, 0))
      const links: { [relation: string]: string } = await linksOf(at)
      expect(links.first).toBe(`/v1/workers?${query.replace(/:/g, '%3A')}&after_id=0`)
      const known = await company.get(at, { 'If-None-Match': headers.etag as string })
      expect([known.status, known.headers.link]).toEqual([304, headers.link])
      at = links.next
    }
    expect(seen.map(({ length }) => length)).toEqual(shown)
    expect(seen.flat()).toEqual([...new Set(seen.flat())].toSorted((one, other) => one - other))
  })

  test('the pages of a history', async () => {
    const id = await company.create('clients', { name: 'Many lives' })
    for (const notes of ['a', 'b', 'c']) await company.call('PATCH', `/v1/clients/${id}`, { body: { notes } })
    const path = `/v1/clients/${id}/history`
    expect(await linksOf(path)).toEqual({})
    expect(await linksOf(`${path}?limit=3`)).toEqual({ next: `${path}?limit=3&offset=3` })
    const first = `${path}?limit=1&offset=0`
    expect(await linksOf(`${path}?limit=1&offset=3`)).toEqual({ prev: `${path}?limit=1&offset=2`, first })
  })
})
