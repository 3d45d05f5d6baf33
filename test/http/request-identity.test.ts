import { afterAll, beforeAll, expect, test } from 'vitest'
import { send } from '../stage/http.ts'
import { type Process, startProcess, urlOf } from '../stage/process.ts'
import { type Company, openStage, patience, type Stage } from '../stage/stage.ts'
import { eventually } from '../stage/wait.ts'

let stage: Stage
let company: Company
let service: Process
beforeAll(async () => {
  stage = await openStage()
  company = await stage.company()
  const secret = { PLUMBLINE_SECRET: 'the sealing key of the tests, long enough' }
  service = await startProcess({ DATABASE_URL: urlOf(stage.connection), ...secret, ...patience })
})
afterAll(async () => {
  await service.kill()
  await stage.close()
})

const trace = '4bf92f3577b34da6a3ce929d0e0e4736'

test('The ids of a caller stand in the lines of its request alone, and the answer has an id of our own.', async () => {
  const ask = (headers: [string, string][]) => send(service.url, { method: 'GET', path: '/v1/projects', headers })
  const traceparent: [string, string] = ['traceparent', `00-${trace}-00f067aa0ba902b7-01`]
  const identified = await ask([traceparent, ['X-Request-Id', company.token]])
  const forged = await ask([['X-Request-Id', 'a\tb'], traceparent, traceparent])
  expect([identified.status, forged.status]).toEqual([401, 401])

  const lineOf = (id: string | undefined) =>
    eventually(async () => {
      const line = service
        .log()
        .split('\n')
        .find((text) => text.includes(`"request_id":"${id}"`))
      if (line === undefined) throw new Error(`no line of ${id}: ${service.log()}`)
      return JSON.parse(line)
    })
  expect(identified.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  expect(await lineOf(identified.headers['x-request-id'])).toMatchObject({
    ...{ msg: 'refused', trace_id: trace, caller_request_id: 'plumb_live_[removed]' },
  })
  const other = await lineOf(forged.headers['x-request-id'])
  expect([other.trace_id, other.caller_request_id]).toEqual([undefined, undefined])
})
