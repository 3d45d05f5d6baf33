import { execFile } from 'node:child_process'
import { createServer } from 'node:net'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createStage, jsonOf, pause, type Stage } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await createStage()
})
afterAll(() => stage.clear())

const onFreePort = { PORT: '0' }
const serve = (more: { [name: string]: string } = {}, ...words: string[]) =>
  stage.start(['serve', ...words], { ...onFreePort, ...more })
const ready = 'Ctrl-C stops it.'

const found = (text: string, pattern: RegExp): string => {
  const match = pattern.exec(text)?.[1]
  if (match === undefined) throw new Error(`${pattern} is not in ${text}`)
  return match
}
const tokenIn = (text: string): string => found(text, /Token +(plumb_live_[0-9a-f]{72})\n/)
const urlIn = (text: string): string => found(text, /ready at (http:\S+)\n/)

/** The line as somebody would paste it; without curl on this machine, the same call. */
async function paste(line: string): Promise<{ meta: { total: number }; data: unknown[] }> {
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', line]).catch(async (error: { code: unknown }) => {
    if (error.code !== 127) throw error
    const [, header = '', url = ''] = /-H "Authorization: (.*?)" "(.*?)"/.exec(line) ?? []
    return { stdout: await (await fetch(url, { headers: { Authorization: header } })).text() }
  })
  return JSON.parse(stdout)
}

describe('serve', () => {
  test('says where it is, how to sign in, the token and a line that works when pasted; a warm start says the same.', async () => {
    const cold = serve()
    const text = await cold.shows(ready)
    expect(text).toMatch(/Reference page +http:\S+\/v1\/docs\n/)
    expect(text).toMatch(/Sign-in +ada@harbor-masonry\.example, password \S+\n/)
    expect(text).toContain('(created)')
    const line = found(text, /^ +(curl .*)$/m)
    expect(line).toContain(tokenIn(text))
    expect(await paste(line)).toMatchObject({ meta: { total: 40 } })
    expect((await fetch(`${urlIn(text)}/v1/docs`)).status).toBe(200)

    cold.child.kill('SIGTERM')
    const stoppedAt = performance.now()
    const { code, err } = await cold.ended
    expect(code).toBe(0)
    expect(performance.now() - stoppedAt).toBeLessThan(5000)
    expect(await stage.databaseRuns()).toBe(false)
    // Not on a terminal: the standard error is the log, a JSON object a line.
    const log = err
      .trim()
      .split('\n')
      .map((entry) => JSON.parse(entry) as { msg: string })
    expect(log.map(({ msg }) => msg).filter((msg) => !msg.endsWith('…'))).toEqual(['listening', 'stopping'])

    const warm = serve()
    const again = await warm.shows(ready)
    expect(again).toContain('(started)')
    const same = (banner: string) => banner.replaceAll(urlIn(banner), 'URL').replace(/\((created|started)\)/, '')
    expect(same(again)).toBe(same(text))
    warm.child.kill('SIGINT')
    expect((await warm.ended).code).toBe(0)
  })

  test('says it as one JSON object with --json.', async () => {
    const server = serve({}, '--json')
    const { url, demo, ...rest } = JSON.parse(await server.shows('\n'))
    expect(rest).toEqual({
      docs: `${url}/v1/docs`,
      openapi: `${url}/v1/openapi.json`,
      postman: `${url}/v1/postman.json`,
      database: expect.stringContaining('the bundled PostgreSQL'),
      processes: 1,
      notes: [],
    })
    expect(demo).toMatchObject({ company_id: 1, name: 'Harbor Masonry', email: 'ada@harbor-masonry.example' })
    expect(await paste(demo.curl)).toMatchObject({ meta: { total: 40 } })
    server.child.kill('SIGTERM')
    expect((await server.ended).code).toBe(0)
  })

  test('Two servers share one data folder; the database stops with the second, and commands work all the time.', async () => {
    const one = serve()
    const other = serve()
    const [first, second] = await Promise.all([one.shows(ready), other.shows(ready)])
    expect(tokenIn(first)).toBe(tokenIn(second))

    const { token } = jsonOf(await stage.give(['token', 'rotate', '--company', '1', '--json']))
    for (const banner of [first, second]) {
      const call = (with_: unknown) =>
        fetch(`${urlIn(banner)}/v1/projects`, { headers: { Authorization: `Bearer ${with_}` } })
      expect((await call(tokenIn(banner))).status).toBe(401)
      expect((await call(token)).status).toBe(200)
    }

    one.child.kill('SIGTERM')
    expect((await one.ended).code).toBe(0)
    expect(await stage.databaseRuns()).toBe(true)
    expect(await stage.give(['company', 'show', '1'])).toMatchObject({ code: 0 })
    expect((await fetch(`${urlIn(second)}/readyz`)).status).toBe(200)
    other.child.kill('SIGTERM')
    expect((await other.ended).code).toBe(0)
    expect(await stage.databaseRuns()).toBe(false)

    // And with no server: the command starts the database, and stops it.
    expect(jsonOf(await stage.give(['token', 'show', '--company', '1', '--json']))).toEqual({ expires_at: null, token })
    expect(await stage.databaseRuns()).toBe(false)
  })

  test('A port that is taken is named, in one sentence.', async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    const { port } = taken.address() as { port: number }
    const { code, out, err } = await serve({ PORT: String(port), LOG_LEVEL: 'silent' }).ended
    expect({ code, out, err }).toEqual({
      code: 1,
      out: '',
      err: `Port ${port} on 127.0.0.1 is taken by another program: stop that one, or set PORT to another port (0 takes a free one).\n`,
    })
    expect(await stage.databaseRuns()).toBe(false)
    taken.close()
  })

  test('Without the demo it says how to begin.', async () => {
    const server = serve({ PLUMBLINE_DEMO: 'off' })
    const text = await server.shows(ready)
    expect(text).toContain('bin/plumbline company create')
    expect(text).not.toContain('plumb_live_')
    server.child.kill('SIGTERM')
    await server.ended
  })

  test('Where others can reach it without TLS it says so, and where TLS is in front it does not.', async () => {
    for (const [more, isPlain] of [
      [{ HOST: '0.0.0.0' }, true],
      [{ HOST: '0.0.0.0', PUBLIC_URL: 'https://erp.example.com' }, false],
      [{ PUBLIC_URL: 'http://erp.example.com' }, true],
      [{}, false],
    ] as const) {
      const server = serve(more)
      expect((await server.shows(ready)).includes('crosses the network unencrypted')).toBe(isPlain)
      server.child.kill('SIGTERM')
      expect((await server.ended).err.includes('crosses the network unencrypted')).toBe(isPlain)
    }
  })

  test('The password that it prints opens the demo, and none does after PLUMBLINE_DEMO=off; neither is in the log.', async () => {
    const signIn = (url: string, password: string) =>
      fetch(`${url}/console/session`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Origin: url, 'Sec-Fetch-Site': 'same-origin' },
        body: JSON.stringify({ email: 'ada@harbor-masonry.example', password }),
      }).then(({ status }) => status)
    // A test before this one has closed it.
    await stage.give(['demo'])
    const open = serve({ LOG_LEVEL: 'debug' }, '--json')
    const { url, demo } = JSON.parse(await open.shows('\n'))
    expect(await signIn(url, demo.password)).toBe(200)
    expect(await signIn(url, 'harbor-demo-1')).toBe(401)
    open.child.kill('SIGTERM')
    const { err } = await open.ended
    expect(err).not.toContain(demo.password)
    expect(err).not.toContain(demo.token)

    const closed = serve({ PLUMBLINE_DEMO: 'off', HOST: '0.0.0.0' }, '--json')
    const after = JSON.parse(await closed.shows('\n'))
    expect(after.notes[0]).toContain('4 demo accounts disabled and 2 tokens revoked')
    const here = after.url.replace('0.0.0.0', '127.0.0.1')
    expect(await signIn(here, demo.password)).toBe(401)
    expect(await signIn(here, 'harbor-demo-1')).toBe(401)
    const call = await fetch(`${here}/v1/projects`, { headers: { Authorization: `Bearer ${demo.token}` } })
    expect(call.status).toBe(401)
    closed.child.kill('SIGTERM')
    await closed.ended
    await stage.give(['demo'])
  })

  test('A signal during the start stops it in good order.', async () => {
    const server = serve()
    while (!(await stage.databaseRuns())) await pause(5)
    server.child.kill('SIGTERM')
    expect((await server.ended).code).toBe(0)
    expect(await stage.databaseRuns()).toBe(false)
  })

  test('A request that runs is answered before the end; a second signal does not wait for it.', async () => {
    const slow = async (server: ReturnType<typeof serve>) => {
      const url = new URL(urlIn(await server.shows(ready)))
      const { connect } = await import('node:net')
      const socket = connect(Number(url.port), url.hostname)
      let answer = ''
      socket.on('data', (chunk) => (answer += chunk)).on('error', () => undefined)
      socket.write(
        'POST /v1/projects HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{',
      )
      await pause(200)
      return { socket, answer: () => answer }
    }
    const patient = serve()
    const { socket, answer } = await slow(patient)
    patient.child.kill('SIGTERM')
    await pause(600)
    expect(patient.child.exitCode).toBe(null)
    socket.write('}')
    expect((await patient.ended).code).toBe(0)
    expect(answer()).toContain('401')

    const hurried = serve()
    await slow(hurried)
    hurried.child.kill('SIGTERM')
    // The same key press, passed on by npm, is not a second one.
    hurried.child.kill('SIGTERM')
    await pause(700)
    expect(hurried.child.exitCode).toBe(null)
    hurried.child.kill('SIGTERM')
    expect((await hurried.ended).code).toBe(1)
  })
})
