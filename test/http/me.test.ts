import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStage, type Stage } from '../stage/stage.ts'
import { eventually } from '../stage/wait.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage({ TOKEN_REQUESTS_PER_MINUTE: '1000' })
})
afterAll(() => stage.close())

describe('GET /v1/me', () => {
  test('shows the company, the token, what is open to it and what is limited', async () => {
    const company = await stage.company({ scopes: ['PROJECTS_VIEW', 'PROJECTS_EDIT'] })
    await company.set({ plan: 'STARTER' })
    await company.create('projects', { name: 'Counted' })
    const { status, body } = await company.get('/v1/me')
    expect(status).toBe(200)
    const [token] = await stage.sql<{ id: number; label: string; account_id: number; name: string; add_ons: string[] }>(
      `select t.id, t.label, t.account_id, c.name, c.add_ons from tokens t join companies c on c.id = t.company_id
      where t.company_id = $1`,
      company.id,
    )
    expect(body).toEqual({
      data: {
        company: { id: company.id, name: token?.name, currency: 'USD', plan: 'STARTER' },
        token: { id: token?.id, label: token?.label, expires_at: null },
        account_id: token?.account_id,
        scopes: ['PROJECTS_VIEW', 'PROJECTS_EDIT'],
        add_ons: token?.add_ons,
        limits: [
          { records: 'projects', limit: 25, used: 1 },
          { records: 'workers', limit: 50, used: 0 },
        ],
        rate: { limit: 1000, window_seconds: 60 },
      },
    })
  })

  test('a scope that the account has lost is gone from the next call on, and the ETag with it', async () => {
    const company = await stage.company({ scopes: ['PROJECTS_VIEW', 'CLIENTS_VIEW'] })
    const before = await company.get('/v1/me')
    const tag = { 'If-None-Match': before.headers.etag as string }
    expect((await company.get('/v1/me', tag)).status).toBe(304)
    await company.setAccount({ permissions: ['CLIENTS_VIEW'] })
    const after = await company.get('/v1/me', tag)
    expect([after.status, after.body.data.scopes]).toEqual([200, ['CLIENTS_VIEW']])
  })

  test('a plan without a limit says null', async () => {
    const company = await stage.company()
    await company.set({ plan: 'ENTERPRISE' })
    const { limits } = (await company.get('/v1/me')).body.data
    expect(limits.map(({ limit }: { limit: number | null }) => limit)).toEqual([null, null])
  })

  test('needs no scope, and is counted like any call', async () => {
    const company = await stage.company({ scopes: ['WORKERS_VIEW'] })
    await company.setAccount({ permissions: [] })
    expect((await company.get('/v1/me')).body.data.scopes).toEqual([])
    await eventually(async () => {
      const calls = await stage.sql('select route, counted from calls where company_id = $1', company.id)
      expect(calls).toEqual([{ route: 'me', counted: true }])
    })
  })

  test('a token that is no longer active is told nothing', async () => {
    const company = await stage.company()
    await stage.sql('update tokens set revoked_at = now() where company_id = $1', company.id)
    expect((await company.get('/v1/me')).status).toBe(401)
  })
})
