import { afterAll, beforeAll, expect, test } from 'vitest'
import { findFreePort } from '../../proof/free-port.ts'
import { send } from '../stage/http.ts'
import { startProcess, urlOf } from '../stage/process.ts'
import { openStage, type Stage } from '../stage/stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

const start = (more: { [name: string]: string }) =>
  startProcess({
    DATABASE_URL: urlOf(stage.connection),
    PLUMBLINE_SECRET: 'the sealing key of the tests, long enough',
    ...more,
  })

test('METRICS_ADDRESS serves /metrics of all processes, alone; the port of the service has none', async () => {
  const port = await findFreePort()
  const own = await start({ METRICS_ADDRESS: `127.0.0.1:${port}`, PROCESSES: '2' })
  const address = `http://127.0.0.1:${port}`
  try {
    const shown = await send(address, { method: 'GET', path: '/metrics' })
    expect(shown.status).toBe(200)
    expect(shown.text).toMatch(/^plumbline_processes 2$/m)
    for (const path of ['/', '/v1/openapi.json', '/healthz'])
      expect((await send(address, { method: 'GET', path })).status, path).toBe(404)
    expect((await send(address, { method: 'POST', path: '/metrics' })).status).toBe(405)
    expect((await send(own.url, { method: 'GET', path: '/metrics' })).status).toBe(404)
    for (const path of ['/healthz', '/readyz']) expect((await send(own.url, { method: 'GET', path })).status).toBe(200)
    const second = start({ METRICS_ADDRESS: `127.0.0.1:${port}` })
    await expect(second).rejects.toThrow(`METRICS_ADDRESS: 127.0.0.1:${port} cannot be listened on (EADDRINUSE)`)
  } finally {
    await own.stop()
  }
  await expect(send(address, { method: 'GET', path: '/metrics' })).rejects.toThrow()
})
