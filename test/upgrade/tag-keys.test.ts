import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate, migrateBack } from '#server/store/migrate.ts'
import { openStage, type Stage } from '../stage/stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

test('Tags without a key are gone after the upgrade, the rest of an outcome stays, and every company has a key of its own.', async () => {
  const [own, other] = [await stage.company(), await stage.company()]
  const results = (etag: object) => [
    { n: 0, as: 'new', status: 201, ...etag, data: { id: 7, created: true, dry_run: false } },
    { n: 1, status: 200, ...etag, data: { id: 8, updated: true, dry_run: false, changed: ['hourly_cost_minor'] } },
    { n: 2, status: 200, data: { id: 9, deleted: true } },
  ]
  expect(await migrateBack(stage.connection, '0046-search-keys')).toContain('0047-tag-keys')
  await stage.sql(
    `insert into previews (company_id, id, token_id, hash, state, write_id, results, expires_at, ended_at)
    select $1, gen_random_uuid(), 1, 'h', 'applied', gen_random_uuid(), results::jsonb, now(), now() from unnest($2::text[]) results`,
    own.id,
    [results({ etag: `"12-${'A-_9'.repeat(5)}ab"` }), { write_id: 'w', undone: true }].map((one) =>
      JSON.stringify(one),
    ),
  )
  await stage.sql(
    `insert into call_details (company_id, request_id, at, method, path, query, request_headers, request_bytes,
      request_state, answer_headers, answer_bytes, answer_state)
    values ($1, 'r', now(), 'GET', '/v1/workers/7', '', '{}', 0, 'left_out', '{"etag": "x"}', 0, 'left_out')`,
    own.id,
  )
  await migrate(stage.connection, () => undefined)
  expect(await stage.sql('select results from previews order by results is json array desc')).toEqual([
    { results: results({}) },
    { results: { write_id: 'w', undone: true } },
  ])
  expect(await stage.sql('select from call_details')).toEqual([])
  const keys = await stage.sql<{ tag_key: string }>('select tag_key from companies where id = any ($1)', [
    own.id,
    other.id,
  ])
  expect(new Set(keys.map(({ tag_key }) => tag_key)).size).toBe(2)
  for (const { tag_key } of keys) expect(tag_key).toMatch(/^[0-9a-f]{128}$/)
})
