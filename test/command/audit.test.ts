import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OpenApp } from '#server/app.ts'
import { createStage, jsonOf, type Stage } from './stage.ts'

let stage: Stage
let opened: OpenApp
let company: string
beforeAll(async () => {
  stage = await createStage('migrated')
  opened = await stage.open()
  company = String(jsonOf(await stage.give(['company', 'create', '--name', 'Quay', '--json'])).company_id)
  const account = ['account', 'create', '--company', company, '--name', 'Ada\u202e', '--email', 'ada@quay.example']
  const { account_id } = jsonOf(await stage.give([...account, '--json']))
  await stage.give(['account', 'set', String(account_id), '--permissions', 'CLIENTS_VIEW'])
  await opened.app.database.read({
    text: `insert into history (company_id, account_id, door, records, record_id, action, epoch, at, peer)
      select $1, $2, 'web', 'sessions', $2, 'signed_in', 1, '2026-03-31T23:59:59.5Z'::timestamptz + n * interval '1 day', '192.0.2.' || n
      from generate_series(0, 2) n`,
    values: [Number(company), account_id],
  })
})
afterAll(async () => {
  await opened.close()
  await stage.clear()
})

const audit = (...words: string[]) => stage.give(['audit', '--company', company, ...words])
const lines = async (...words: string[]) => {
  const { code, out, err } = await audit(...words, '--json')
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return out
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

describe('audit', () => {
  test('lists what was done, newest first, one a line, for people and for programs.', async () => {
    const all = await lines()
    expect(all.map(({ action, records }) => `${records} ${action}`)).toEqual([
      ...['accounts changed', 'accounts created'],
      ...['sessions signed_in', 'sessions signed_in', 'sessions signed_in'],
    ])
    expect(all[0]).toMatchObject({ actor: null, channel: 'command', peer: null })
    expect(all[4]).toMatchObject({ actor: { name: 'Ada\u202e' }, channel: 'console', peer: '192.0.2.0' })
    const { out } = await audit()
    expect(out.split('\n')[0]).toMatch(/^\S+Z {2}changed {2}accounts \d+ \(.+\) {2}by command {2}permissions$/)
    expect(out).toContain('  from 192.0.2.1')
    // Nothing of a name can turn a terminal's line about.
    expect(out).not.toContain('\u202e')
  })

  test.each([
    ['a day, whole', ['--from', '2026-03-31', '--to', '2026-03-31'], ['192.0.2.0']],
    ['days, both whole', ['--from', '2026-03-31', '--to', '2026-04-01'], ['192.0.2.1', '192.0.2.0']],
    ['moments', ['--from', '2026-04-01T00:00:00Z', '--to', '2026-04-02T23:59:59.500Z'], ['192.0.2.2', '192.0.2.1']],
    ['a time without anything', ['--to', '2020-01-01'], []],
  ])('narrows to %s.', async (_, words, peers) => {
    expect((await lines(...words)).map(({ peer }) => peer)).toEqual(peers)
  })

  test.each([
    { words: ['--company', '999'], code: 1, error: 'not_found' },
    { words: ['--company', '1', '--from', 'yesterday'], code: 2, error: 'usage' },
    { words: ['--company', '1', '--from', '2026-04-01', '--to', '2026-03-31'], code: 2, error: 'usage' },
    { words: [], code: 2, error: 'usage' },
  ])('$words ends with $code.', async ({ words, code, error }) => {
    const said = await stage.give(['audit', ...words, '--json'])
    expect(said.code).toBe(code)
    expect(JSON.parse(said.err)).toMatchObject({ code: error, exit_code: code })
  })

  test('says that a company was exported, and imported where it was.', async () => {
    const archive = join(stage.folder, 'quay.tar')
    expect(await stage.give(['export', '--company', company, '--to', archive])).toMatchObject({ code: 0 })
    expect((await lines())[0]).toMatchObject({ records: 'exports', action: 'company_exported', channel: 'command' })
    const { company_id } = jsonOf(await stage.give(['import-company', archive, '--json']))
    const { out } = await stage.give(['audit', '--company', String(company_id), '--json'])
    expect(JSON.parse(out.split('\n')[0] as string)).toMatchObject({ records: 'imports', action: 'company_imported' })
  })
})
