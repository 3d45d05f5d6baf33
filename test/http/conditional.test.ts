import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Company, openStage, type Stage } from '../stage/stage.ts'
import { eventually } from '../stage/wait.ts'

let stage: Stage
let company: Company
let id: number
let path: string
beforeAll(async () => {
  stage = await openStage()
  company = await stage.company()
  id = await company.create('clients', { name: 'Tagged' })
  path = `/v1/clients/${id}`
})
afterAll(() => stage.close())

describe('If-None-Match on a read that has not changed gets an empty 304', () => {
  const rows: { why: string; value: (tag: string) => string; status: number }[] = [
    { why: 'the tag itself', value: (tag) => tag, status: 304 },
    { why: 'the tag made weak', value: (tag) => `W/${tag}`, status: 304 },
    { why: 'the tag in a list', value: (tag) => `"other", ${tag} ,"third"`, status: 304 },
    { why: 'an asterisk', value: () => '*', status: 304 },
    { why: 'another tag', value: () => '"other"', status: 200 },
    { why: 'empty elements around the tag', value: (tag) => `, ,${tag},,`, status: 304 },
    { why: 'nothing but empty elements', value: () => ', ,', status: 200 },
    { why: 'the tag without its quotes', value: (tag) => tag.slice(1, -1), status: 200 },
    { why: 'the tag beside something that is none', value: (tag) => `${tag}, xyz`, status: 200 },
    { why: 'words', value: () => 'not a tag', status: 200 },
  ]
  test.each(rows)('$why: $status', async ({ value, status }) => {
    for (const target of [path, '/v1/clients']) {
      const plain = await company.get(target)
      const answer = await company.get(target, { 'If-None-Match': value(plain.headers.etag as string) })
      expect(answer.status).toBe(status)
      if (status !== 304) continue
      expect(answer.text).toBe('')
      for (const name of ['etag', 'cache-control', 'vary']) expect(answer.headers[name]).toBe(plain.headers[name])
      expect(answer.headers['content-type']).toBeUndefined()
    }
  })

  test('of the feed and of a history: until a change', async () => {
    const own = await stage.company()
    const followed = await own.create('clients', { name: 'Followed' })
    await eventually(async () => expect((await own.get('/v1/changes')).body.data).toHaveLength(1))
    for (const path of ['/v1/changes', '/v1/changes?records=clients', `/v1/clients/${followed}/history`]) {
      const { etag } = (await own.get(path)).headers
      const known = await own.get(path, { 'If-None-Match': etag as string })
      expect([known.status, known.text, known.headers.etag], path).toEqual([304, '', etag])
      expect((await own.get(path, { 'If-Match': '"other"' })).status).toBe(412)
      await own.call('PATCH', `/v1/clients/${followed}`, { body: { notes: path } })
      await eventually(async () => expect((await own.get(path, { 'If-None-Match': etag as string })).status).toBe(200))
    }
  })

  test('of a call that waits for changes: only at its end', async () => {
    const own = await stage.company()
    const start = (await own.get('/v1/changes?after=now')).body.meta.next
    const path = `/v1/changes?after=${start}`
    // The cursor moves on while transactions of others end, and the ETag with it.
    const tag = await eventually(async () => {
      const seen = { 'If-None-Match': (await own.get(path)).headers.etag as string }
      const before = performance.now()
      expect((await own.get(`${path}&wait=1`, seen)).status).toBe(304)
      expect(performance.now() - before).toBeGreaterThan(900)
      return seen
    })
    const waiting = own.get(`${path}&wait=20`, tag)
    const id = await own.create('clients', { name: 'Heard' })
    expect(await waiting).toMatchObject({ status: 200, body: { data: [{ record_id: id }] } })
  })

  test('never where the plain answer would be a refusal', async () => {
    const own = await stage.company({ scopes: ['WORKERS_VIEW'] })
    expect((await own.get('/v1/clients', { 'If-None-Match': '*' })).status).toBe(403)
    expect((await company.get('/v1/clients/999999999', { 'If-None-Match': '*' })).status).toBe(404)
    expect((await company.get('/v1/clients?limit=0', { 'If-None-Match': '*' })).status).toBe(400)
  })
})

describe('The ETag of a record', () => {
  test('changes with every change and with nothing else', async () => {
    const own = await company.create('clients', { name: 'Changing' })
    const tag = async () => (await company.get(`/v1/clients/${own}`)).headers.etag as string
    const first = await tag()
    expect(await tag()).toBe(first)
    const patched = await company.call('PATCH', `/v1/clients/${own}`, { body: { notes: 'n' } })
    expect(patched.headers.etag).not.toBe(first)
    expect(await tag()).toBe(patched.headers.etag)
  })

  test('comes with a create, so that an update can follow without a fetch', async () => {
    const created = await company.call('POST', '/v1/clients', { body: { name: 'Fresh' } })
    const { id: own } = created.body.data
    expect((await company.get(`/v1/clients/${own}`)).headers.etag).toBe(created.headers.etag)
    const headers = { 'If-Match': created.headers.etag as string }
    expect((await company.call('PATCH', `/v1/clients/${own}`, { body: { notes: 'x' }, headers })).status).toBe(200)
  })

  test('of a list changes when the total does, even outside the page', async () => {
    const before = await company.get('/v1/clients?limit=1')
    await company.create('clients', { name: 'Beyond the page' })
    const after = await company.get('/v1/clients?limit=1')
    expect(after.body.data).toEqual(before.body.data)
    expect(after.headers.etag).not.toBe(before.headers.etag)
  })

  test('reads may be kept only by the caller and only with a check [V14.2.2]', async () => {
    const { headers } = await company.get(path)
    expect(headers).toMatchObject({ 'cache-control': 'private, no-cache', vary: 'Authorization, Accept-Encoding' })
  })
})

describe('If-Match on PATCH and DELETE refuses a record that has changed', () => {
  const stale = '"1-aaaaaaaaaaaaaaaaaaaaaa"'
  const rows: { why: string; value: (tag: string) => string; status: number }[] = [
    { why: 'the present tag', value: (tag) => tag, status: 200 },
    {
      why: 'the tag of another representation of the same version',
      value: (tag) => `${tag.split('-')[0]}-aaaaaaaaaaaaaaaaaaaaaa"`,
      status: 200,
    },
    { why: 'an asterisk', value: () => '*', status: 200 },
    { why: 'an older tag', value: () => stale, status: 412 },
    { why: 'an older tag and the present one', value: (tag) => `${stale}, ${tag}`, status: 200 },
    { why: 'the present tag made weak', value: (tag) => `W/${tag}`, status: 412 },
    { why: 'a foreign tag', value: () => '"xyz"', status: 412 },
    { why: 'no quotes', value: () => 'xyz', status: 400 },
    { why: 'nothing', value: () => '', status: 400 },
    { why: 'the present tag as gzip had it', value: (tag) => tag.replace(/"$/, '-gzip"'), status: 200 },
    { why: 'an older tag as br had it', value: () => stale.replace(/"$/, '-br"'), status: 412 },
    { why: 'the present tag of no such coding', value: (tag) => tag.replace(/"$/, '-zip"'), status: 412 },
  ]
  test.each(rows)('$why: $status', async ({ value, status }) => {
    for (const method of ['PATCH', 'DELETE']) {
      const own = await company.create('clients', { name: 'Guarded' })
      const changed = await company.call('PATCH', `/v1/clients/${own}`, { body: { notes: 'second version' } })
      const headers = { 'If-Match': value(changed.headers.etag as string) }
      const options = method === 'PATCH' ? { body: { notes: 'third' }, headers } : { headers }
      const answer = await company.call(method, `/v1/clients/${own}`, options)
      expect(answer.status).toBe(status)
      if (status === 412) expect(answer.body.code).toBe('precondition_failed')
      const now = await company.get(`/v1/clients/${own}`)
      if (status !== 200) expect(now.body.data.notes).toBe('second version')
    }
  })

  test('of two callers who both read version 1, one wins and one is told', async () => {
    const created = await company.call('POST', '/v1/clients', { body: { name: 'Race' } })
    const headers = { 'If-Match': created.headers.etag as string }
    const target = `/v1/clients/${created.body.data.id}`
    const answers = await Promise.all(
      ['one', 'other'].map((notes) => company.call('PATCH', target, { body: { notes }, headers })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412])
  })
})

test('A tag that was weakened on the way is told so, and not that the record has changed', async () => {
  const created = await company.call('POST', '/v1/clients', { body: { name: 'Weakened' } })
  const target = `/v1/clients/${created.body.data.id}`
  const weak = { 'If-Match': `W/${created.headers.etag}` }
  for (const answer of [
    await company.call('PATCH', target, { body: { notes: 'x' }, headers: weak }),
    await company.call('DELETE', target, { headers: weak }),
    await company.get(target, weak),
  ]) {
    expect(answer).toMatchObject({ status: 412, body: { code: 'precondition_failed' } })
    expect(answer.body.detail).toMatch(/weak ETag.*without W\//)
    expect(answer.body.detail).not.toContain('changed')
  }
  const stale = await company.get(target, { 'If-Match': '"9-aaaaaaaaaaaaaaaaaaaaaa"' })
  expect(stale.body.detail).toContain('changed')
})

describe('If-Match on a read refuses what has changed (RFC 9110 13.1.1)', () => {
  const rows: { why: string; value: (tag: string) => string; status: number }[] = [
    { why: 'the present tag', value: (tag) => tag, status: 200 },
    { why: 'the present tag as br had it', value: (tag) => tag.replace(/"$/, '-br"'), status: 200 },
    { why: 'an asterisk', value: () => '*', status: 200 },
    { why: 'another tag', value: () => '"xyz"', status: 412 },
    { why: 'the present tag made weak', value: (tag) => `W/${tag}`, status: 412 },
    { why: 'one that cannot be read, which costs no read', value: () => 'xyz', status: 200 },
  ]
  test.each(rows)('$why: $status', async ({ value, status }) => {
    for (const target of [path, '/v1/clients?limit=2']) {
      const tag = (await company.get(target)).headers.etag as string
      expect((await company.get(target, { 'If-Match': value(tag) })).status, target).toBe(status)
    }
  })

  test('comes before If-None-Match, and after 404', async () => {
    const tag = (await company.get(path)).headers.etag as string
    expect((await company.get(path, { 'If-Match': '"xyz"', 'If-None-Match': tag })).status).toBe(412)
    expect((await company.get(path, { 'If-Match': tag, 'If-None-Match': tag })).status).toBe(304)
    expect((await company.get('/v1/clients/999999999', { 'If-Match': '*' })).status).toBe(404)
  })
})

describe('If-None-Match on PATCH and DELETE refuses the state that it names (RFC 9110 13.1.2)', () => {
  const rows: { why: string; value: (tag: string) => string; status: number }[] = [
    { why: 'the present tag', value: (tag) => tag, status: 412 },
    { why: 'the present tag made weak', value: (tag) => `W/${tag}`, status: 412 },
    { why: 'the present tag as gzip had it', value: (tag) => tag.replace(/"$/, '-gzip"'), status: 412 },
    { why: 'an asterisk', value: () => '*', status: 412 },
    { why: 'an older tag', value: () => '"1-aaaaaaaaaaaaaaaaaaaaaa"', status: 200 },
    { why: 'one that cannot be read: no write is done on a guess', value: () => 'xyz', status: 400 },
  ]
  test.each(rows)('$why: $status', async ({ value, status }) => {
    for (const method of ['PATCH', 'DELETE']) {
      const own = await company.create('clients', { name: 'Guarded' })
      const changed = await company.call('PATCH', `/v1/clients/${own}`, { body: { notes: 'second version' } })
      const headers = { 'If-None-Match': value(changed.headers.etag as string) }
      const options = method === 'PATCH' ? { body: { notes: 'third' }, headers } : { headers }
      const answer = await company.call(method, `/v1/clients/${own}`, options)
      expect(answer.status).toBe(status)
      if (status !== 200) expect((await company.get(`/v1/clients/${own}`)).body.data.notes).toBe('second version')
    }
  })
})
