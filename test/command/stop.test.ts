import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, test } from 'vitest'

/** A process that listens for its stop, does `what`, and ends with the code asked for. */
async function processThat(what: string): Promise<{ code: number; log: string[] }> {
  const script = `
    import { pino } from 'pino'
    import { listenForStop } from './server/lifecycle.ts'
    const alive = setInterval(() => undefined, 1000)
    const stop = listenForStop()
    stop.watch(pino({ serializers: { error: pino.stdSerializers.errWithCause } }, pino.destination(1)))
    ${what}
    process.exitCode = await stop.asked
    clearInterval(alive)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: new URL('../..', import.meta.url),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let out = ''
  child.stdout.on('data', (chunk) => (out += chunk))
  const [code] = await once(child, 'close')
  const log = out.split('\n').filter(Boolean)
  return { code, log: log.map((line) => JSON.parse(line)).map(({ level, error }) => `${level} ${error.message}`) }
}

const soon = (what: string): string => `setTimeout(() => { ${what} }, 50)`

describe('A server', () => {
  test.for(['SIGTERM', 'SIGINT', 'SIGHUP'])('ends with 0 after %s', async (signal) => {
    expect(await processThat(`process.kill(process.pid, '${signal}')`)).toEqual({ code: 0, log: [] })
  })

  test('ends at once, with 1, after a second signal', async () => {
    const twice = `${soon("process.kill(process.pid, 'SIGHUP')")}
      setTimeout(() => process.kill(process.pid, 'SIGTERM'), 700)
      await stop.asked
      await new Promise((resolve) => setTimeout(resolve, 60_000))`
    expect(await processThat(twice)).toEqual({ code: 1, log: [] })
  })

  test('goes on after a promise that failed and nobody looked at, and logs it', async () => {
    const both = `Promise.reject(new Error('forgotten'));${soon("process.kill(process.pid, 'SIGTERM')")}`
    expect(await processThat(both)).toEqual({ code: 0, log: ['50 forgotten'] })
  })

  test('ends with 1 after an error that nobody caught, and logs it as fatal', async () => {
    expect(await processThat(soon("throw new Error('a bug')"))).toEqual({ code: 1, log: ['60 a bug'] })
  })
})
