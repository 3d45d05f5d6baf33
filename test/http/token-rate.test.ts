import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serve } from '#server/serve.ts'
import { createTokenRates } from '#server/service/token-rate.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage({ TOKEN_REQUESTS_PER_MINUTE: '3' })
})
afterAll(() => stage.close())

const used = async (own: Company): Promise<void> => {
  for (let count = 0; count < 3; count++) await own.get('/v1/clients')
}

describe('Where a token has a limit', () => {
  test('every answer says what is left, and one too many gets 429 and when to come back; it is neither noted nor counted', async () => {
    const own = await stage.company()
    const answers = [
      await own.get('/v1/clients'),
      await own.call('POST', '/v1/clients', { body: {} }),
      await own.get('/v1/clients?nope=1'),
      await own.get('/v1/clients?nope=1'),
      await own.call('POST', '/v1/clients', { raw: '{' }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 422, 400, 429, 429])
    expect(answers.map(({ headers }) => headers['ratelimit-policy'])).toEqual(Array(5).fill('"token";q=3;w=60'))
    expect(answers.map(({ headers }) => headers.ratelimit?.replace(/;t=(\d+)$/, ''))).toEqual(
      [2, 1, 0, 0, 0].map((left) => `"token";r=${left}`),
    )
    const [, seconds] = /;t=(\d+)$/.exec(answers[4]?.headers.ratelimit ?? '') ?? []
    expect(Number(seconds)).toBeGreaterThan(0)
    expect(Number(seconds)).toBeLessThanOrEqual(60)
    expect(answers[3]?.body).toMatchObject({ code: 'too_many_requests' })
    expect(Number(answers[3]?.headers['retry-after'])).toBeLessThanOrEqual(60)
    expect((await own.calls()).map(({ status }) => status)).toEqual([200, 422, 400])
  })

  test('a refused write leaves its key free, and what it would have changed as it is', async () => {
    const own = await stage.company()
    await used(own)
    const write = { body: { name: 'Later' }, headers: { 'Idempotency-Key': 'later' } }
    expect((await own.call('POST', '/v1/clients', write)).status).toBe(429)
    expect(await stage.sql('select 1 from answers where company_id = $1', own.id)).toEqual([])
    expect(await stage.sql('select 1 from clients where company_id = $1', own.id)).toEqual([])
    // A new token has a limit of its own.
    const token = await own.rotate()
    const again = await own.call('POST', '/v1/clients', { ...write, token })
    expect(again.status).toBe(201)
    expect(again.headers['idempotency-replayed']).toBeUndefined()
  })

  test('calls that are refused before it use nothing up, and another company has its own', async () => {
    const [own, other] = [await stage.company(), await stage.company()]
    await own.allow(['10.0.0.0/8'])
    for (let count = 0; count < 5; count++) {
      const refused = await own.get('/v1/clients')
      expect(refused.body.code).toBe('ip_not_allowed')
      expect(refused.headers.ratelimit).toBeUndefined()
    }
    await used(other)
    await own.allow([])
    expect((await own.get('/v1/clients')).headers.ratelimit).toMatch(/^"token";r=2;/)
    expect((await other.get('/v1/clients')).status).toBe(429)
  })

  test('each process counts for itself: nobody gets less than the limit', async () => {
    const own = await stage.company()
    const other = await serve({ ...stage.app, tokenRates: createTokenRates(3, stage.app.clock) })
    try {
      await used(own)
      expect((await own.get('/v1/clients')).status).toBe(429)
      const headers = { Authorization: `Bearer ${own.token}` }
      expect((await fetch(`${other.url}/v1/clients`, { headers })).status).toBe(200)
    } finally {
      await other.drain()
    }
  })
})

test('Without a limit no answer speaks of one.', async () => {
  const free = await serve({ ...stage.app, tokenRates: null })
  try {
    const own = await stage.company()
    const { headers } = await fetch(`${free.url}/v1/clients`, { headers: { Authorization: `Bearer ${own.token}` } })
    expect([headers.get('ratelimit'), headers.get('ratelimit-policy')]).toEqual([null, null])
  } finally {
    await free.drain()
  }
})

describe('The count of a token', () => {
  test('begins anew a minute after it began', () => {
    let now = 0
    const rates = createTokenRates(2, { elapsed: () => now })
    const seen = [0, 10_500, 59_999, 60_000].map((moment) => {
      now = moment
      const { exceeded, remaining, resetSeconds } = rates.count(1, 1)
      return { exceeded, remaining, resetSeconds }
    })
    expect(seen).toEqual([
      { exceeded: false, remaining: 1, resetSeconds: 60 },
      { exceeded: false, remaining: 0, resetSeconds: 50 },
      { exceeded: true, remaining: 0, resetSeconds: 1 },
      { exceeded: false, remaining: 1, resetSeconds: 60 },
    ])
  })
})
