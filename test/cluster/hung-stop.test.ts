import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { expect, type TestContext, test } from 'vitest'
import { type Stage as CommandStage, createStage } from '../command/stage.ts'
import { openProxy } from '../stage/proxy.ts'
import { openStage } from '../stage/stage.ts'
import { eventually, pause } from '../stage/wait.ts'
import { openSocketServer } from '../webhooks/receiver.ts'

/** A stop by SIGTERM with the settings as they are: within this time, whatever the service waits for. */
const stopMsMax = 12_000
/** Time that a process may wait for a processor which other tests use. */
const slackMs = 500

/** Undoes something at the end of one test: all go on side by side, because most of their time is waited for. */
type AtEnd = TestContext['onTestFinished']

/** The receivers of webhooks that never let an attempt end by themselves. */
const receivers: { readonly [does: string]: (socket: Socket) => void } = {
  'never answers': () => undefined,
  'changes the protocol': (socket) =>
    void socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
  'says Continue and no more': (socket) => void socket.write('HTTP/1.1 100 Continue\r\n\r\n'),
  'stops within the head': (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-'),
  'never ends its body': (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'),
}

/** A connection to the service that sends bytes and does no more, not even read. */
async function openCaller(atEnd: AtEnd, url: string, bytes: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname).on('error', () => undefined)
  atEnd(() => void socket.destroy())
  await once(socket, 'connect')
  socket.pause().write(bytes)
  return socket
}

async function commandStage(atEnd: AtEnd): Promise<CommandStage> {
  const commands = await createStage('migrated')
  atEnd(() => commands.clear())
  return commands
}

/** SIGTERM to a process of the service. Returns its exit code and how long it took. */
async function stop({ child, ended }: ReturnType<CommandStage['start']>) {
  const since = performance.now()
  child.kill('SIGTERM')
  const { code, err } = await ended
  return { code, err, ms: performance.now() - since }
}

const settings = { PORT: '0', PLUMBLINE_DEMO: 'off', LOG_LEVEL: 'info', WEBHOOK_NETWORKS: '127.0.0.1' }

test.concurrent.for([1, 2])(
  'A stop ends in its time and stops the bundled PostgreSQL, with %s at work, whatever callers, receivers and a process of its own do.',
  async (processes, { onTestFinished }) => {
    const commands = await commandStage(onTestFinished)
    const service = commands.start(['--json', 'serve'], { ...settings, PROCESSES: String(processes) })
    const url = JSON.parse(await service.shows('"url"')).url as string
    const give = async (...words: string[]): Promise<string> => {
      const { code, out, err } = await commands.give([...words, '--quiet'], settings)
      expect({ code, err }).toEqual({ code: 0, err: '' })
      return out.trim()
    }
    const company = await give('company', 'create', '--name', 'Quay', '--plan', 'ENTERPRISE')
    const of = ['--company', company]
    const account = await give('account', 'create', ...of, '--name', 'Ada', '--email', 'ada@example.com')
    const token = await give('token', 'issue', ...of, '--account', account)
    const hanging = await Promise.all(Object.values(receivers).map((behave) => openSocketServer(behave)))
    for (const receiver of hanging) onTestFinished(() => receiver.close())
    for (const [index, { url }] of hanging.entries())
      await give('webhooks', 'create', ...of, '--name', `H${index}`, '--url', url)
    const head = (method: string, path: string, more = ''): string =>
      `${method} ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n${more}\r\n`
    const create = (length: number): string =>
      head('POST', '/v1/clients', `Content-Type: application/json\r\nContent-Length: ${length}\r\n`)
    const body = JSON.stringify({ name: 'Long', notes: 'x'.repeat(2000) })
    const writer = await openCaller(onTestFinished, url, (create(body.length) + body).repeat(100))
    writer.resume()
    await eventually(async () => expect(hanging.map(({ got }) => got() > 0)).toEqual(hanging.map(() => true)))

    await openCaller(onTestFinished, url, create(1000))
    await openCaller(onTestFinished, url, `${create(1000)}{"name":`)
    await openCaller(onTestFinished, url, 'GET /v1/cli')
    await openCaller(onTestFinished, url, head('GET', '/v1/changes?after=now&wait=30'))
    await openCaller(onTestFinished, url, head('GET', '/v1/clients?limit=100').repeat(100))
    await openCaller(onTestFinished, url, '')
    await pause(500)
    if (processes > 1) {
      const { pid } = service.child
      const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ').map(Number)
      const workers = await Promise.all(
        children.map(async (child) =>
          (await readFile(`/proc/${child}/cmdline`, 'utf8')).includes('worker.ts') ? [child] : [],
        ),
      )
      process.kill(workers.flat()[0] as number, 'SIGSTOP')
    }
    const { code, ms, err } = await stop(service)
    expect(ms, err).toBeLessThan(stopMsMax + slackMs)
    expect(code, err).toBe(0)
    await eventually(async () => expect(await commands.databaseRuns()).toBe(false), 5000)
  },
)

/** A service whose way to the database falls silent when the test says so. */
async function silentStage(atEnd: AtEnd) {
  const stage = await openStage()
  atEnd(() => stage.close())
  const network = await openProxy(stage.connection)
  atEnd(() => network.close())
  const environment = {
    ...settings,
    DATABASE_URL: network.url,
    PLUMBLINE_SECRET: 'the sealing key of the tests, long enough',
  }
  const commands = await commandStage(atEnd)
  return { stage, network, start: () => commands.start(['--json', 'serve'], environment) }
}

test.concurrent('A stop ends in its time where the network to the database falls silent while it serves.', async ({
  onTestFinished,
}) => {
  const { stage, network, start } = await silentStage(onTestFinished)
  const company = await stage.company()
  const service = start()
  const url = JSON.parse(await service.shows('"url"')).url as string
  network.fail('silent', 'all')
  const ask = (path: string): string =>
    `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${company.token}\r\n\r\n`
  for (const path of ['/v1/clients', '/v1/clients?q=silent', '/v1/changes?after=now&wait=30'])
    await openCaller(onTestFinished, url, ask(path))
  await pause(3000)
  const { ms, err } = await stop(service)
  expect(ms, err).toBeLessThan(stopMsMax + slackMs)
  await network.heal()
})

test.concurrent('A stop ends in its time where the network to the database falls silent while it starts.', async ({
  onTestFinished,
}) => {
  const { network, start } = await silentStage(onTestFinished)
  // A migration may take hours, so nothing else ends the wait for its answer.
  network.fail('silent', { mark: 'from migrations', sends: 'from migrations' })
  const service = start()
  await pause(3000)
  const { ms, err } = await stop(service)
  expect(ms, err).toBeLessThan(stopMsMax + slackMs)
  await network.heal()
})
