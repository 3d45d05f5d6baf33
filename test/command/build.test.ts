import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, chmod, readdir, readFile, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { isRoot, readStatus } from '#server/embedded/processes.ts'
import { copyOfCheckout } from '../stage/checkout.ts'
import { linkFile } from '../stage/link-tree.ts'
import { eventually } from '../stage/wait.ts'
import { type CommandOutput, createStage, type Stage } from './stage.ts'

let stage: Stage
let checkout: string
beforeAll(async () => {
  stage = await createStage()
  checkout = await copyOfCheckout(join(stage.folder, 'checkout'))
})
afterAll(() => stage.clear())

/** A machine may have other work. */
const timeoutMilliseconds = 20_000
const ready = 'Ctrl-C stops it.'
// NODE_ENV is what a test runner sets: with it a bundler would make React's development version.
const serve = () => stage.start(['serve'], { PORT: '0', NODE_ENV: 'test' }, join(checkout, 'bin/plumbline'))
const builtIn = async (): Promise<string[]> =>
  (await readdir(join(checkout, 'console'))).filter((name) => name.startsWith('dist'))
/** While one is at work. */
const unfinished = async (): Promise<void> =>
  eventually(
    async () => expect(await builtIn()).toContainEqual(expect.stringMatching(/^dist-\d+$/)),
    timeoutMilliseconds,
  )

/** Breaks a source of the interface until the test is over; returns where. */
async function breakSource(): Promise<string> {
  const file = join(checkout, 'console/main.tsx')
  const { length } = await readFile(file)
  await appendFile(file, 'const half =\n')
  onTestFinished(() => truncate(file, length))
  return 'console/main.tsx'
}

describe('An interface that cannot be built', () => {
  test('is told with all that the bundler said, and the API is served.', async () => {
    const file = await breakSource()
    const server = serve()
    const url = /ready at (http:\S+)\n/.exec(await server.shows(ready))![1]
    const told = server.said.err
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .find(({ level }) => level === 50)
    expect(told.msg).toBe('The web interface could not be built, and is not served until it is')
    // Where it is, what is wrong, and no codes of a terminal's colours.
    expect(told.error.message).toMatch(
      new RegExp(`^Build failed with 1 error:[^\u001b]*Unexpected token[^\u001b]*${file}:`),
    )
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    server.child.kill('SIGTERM')
    expect((await server.ended).code).toBe(0)
    expect(await builtIn()).toEqual([])
  })

  test('ends `npm run build` with 1, and what the bundler said.', async () => {
    const file = await breakSource()
    const build = stage.start([join(checkout, 'server/commands/build.ts')], {}, process.execPath)
    const { code, err } = await build.ended
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(`${file}:`) })
    expect(await builtIn()).toEqual([])
  })
})

test('In a checkout that may not be written nothing is built, and the sentence names the place.', async () => {
  // What another user, as whom root has to do it, needs to reach.
  const node = join(stage.folder, 'node')
  await linkFile(process.execPath, node)
  await promisify(execFile)('chmod', ['-R', 'a+rX', checkout])
  await chmod(join(checkout, 'console'), 0o555)
  onTestFinished(() => chmod(join(checkout, 'console'), 0o755))
  const other = isRoot() ? { uid: 65_534, gid: 65_534 } : {}
  const build = promisify(execFile)(node, [join(checkout, 'server/commands/build.ts')], { ...other, cwd: '/' })
  await expect(build).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(/EACCES.*console\/dist-\d+'\n$/) })
  expect(await builtIn()).toEqual([])
})

describe('A build', () => {
  /** In a process group of its own, as a terminal starts it. */
  function startGroup() {
    const child = spawn(join(checkout, 'bin/plumbline'), ['serve'], {
      env: { ...stage.environment, PORT: '0', PLUMBLINE_DATA: join(stage.folder, 'never-made') },
      cwd: stage.folder,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const said = { out: '', err: '' }
    child.stdout.on('data', (chunk) => (said.out += chunk))
    child.stderr.on('data', (chunk) => (said.err += chunk))
    const ended = once(child, 'close').then(([code]): CommandOutput => ({ code, ...said }))
    return { pid: child.pid as number, ended }
  }

  test.for(['SIGINT', 'SIGTERM'] as const)('ends at once with %s to all that the terminal runs.', async (signal) => {
    const { pid, ended } = startGroup()
    await unfinished()
    process.kill(-pid, signal)
    expect(await ended).toEqual({ code: 0, out: '', err: '' })
    expect(await builtIn()).toEqual([])
    // Nothing was begun that would have to be ended.
    expect(await readdir(stage.folder)).not.toContain('never-made')
  })

  test('ends when the process that wants it is killed, and leaves nothing.', async () => {
    const { pid, ended } = startGroup()
    await unfinished()
    process.kill(pid, 'SIGKILL')
    await ended
    // Its own process had the same group.
    await eventually(async () => expect(() => process.kill(-pid, 0)).toThrow('ESRCH'), timeoutMilliseconds)
    expect(await builtIn()).toEqual([])
  })

  test('leaves the processes that serve as small as they are; of two at once on a checkout, both serve the interface.', async () => {
    const both = [serve(), serve()]
    for (const { shows, child } of both) {
      const url = /ready at (http:\S+)\n/.exec(await shows(ready))![1]
      const page = await (await fetch(`${url}/`)).text()
      const script = /src="(\/assets\/[^"]+\.js)"/.exec(page)![1]
      const answer = await fetch(`${url}${script}`)
      expect(answer.status).toBe(200)
      expect((await answer.text()).includes('Each child in a list')).toBe(false)
      if (process.platform === 'linux') expect(await mostMemory(child.pid as number)).toBeLessThan(200)
    }
    expect(await builtIn()).toEqual(['dist'])
    for (const { child } of both) child.kill('SIGTERM')
    for (const { ended } of both) expect((await ended).code).toBe(0)
    expect((await readStatus(join(stage.data, 'postgres', 'cluster'))).state).not.toBe('alive')
  }, 180_000)
})

/** The most that was ever resident of a process, in megabytes. */
const mostMemory = async (pid: number): Promise<number> =>
  Number(/^VmHWM:\s+(\d+) kB/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))![1]) / 1024
