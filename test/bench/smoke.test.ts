import { spawn } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { System } from '../../bench/measure.ts'
import { type Connection, urlOf } from '../../bench/postgres.ts'
import { type Generator, type Server, startFloor, startGenerator, startProduct } from '../../bench/processes.ts'
import { createProgress } from '../../bench/progress.ts'
import { mustAnswerTheSame } from '../../bench/same.ts'
import { createCompanies, readTokens } from '../../bench/scenario/companies.ts'
import { fill } from '../../bench/scenario/fill.ts'
import { layoutOf } from '../../bench/scenario/layout.ts'
import { systemOf } from '../../bench/stage.ts'
import { workNames, works } from '../../bench/works.ts'
import { freshDatabase } from '../stage/database.ts'
import { isRunning } from '../stage/process.ts'
import { patience } from '../stage/stage.ts'
import { eventually } from '../stage/wait.ts'

const layout = layoutOf(150, 2)
const silent = createProgress({ write: () => {} })
const adapters = new URL('../../bench/adapters/', import.meta.url)

let database: { connection: Connection; drop(): Promise<void> }
let servers: Server[]
let product: System
let floor: System
let generator: Generator
let tokens: string[]

beforeAll(async () => {
  database = await freshDatabase()
  await createCompanies(database.connection, 2, silent)
  await fill(database.connection, layout, silent)
  tokens = await readTokens(database.connection)
  const url = urlOf(database.connection)
  servers = await Promise.all([startProduct(url, { settings: patience }), startFloor(url)])
  product = await systemOf('product', servers[0] as Server, new URL('product.ts', adapters).pathname)
  floor = await systemOf('floor', servers[1] as Server, new URL('floor.ts', adapters).pathname)
  generator = startGenerator()
})

afterAll(async () => {
  generator?.stop()
  await Promise.all((servers ?? []).map((server) => server.stop()))
  await database?.drop()
})

test('product and floor answer reads with the same bytes', async () => {
  await mustAnswerTheSame(product, floor, { layout, tokens })
})

test('every work is done, and every answer is as expected', async () => {
  let number = 0
  for (const work of workNames) {
    for (const system of works[work].floor === work ? [product, floor] : [product]) {
      const about = { layout, tokens, url: system.server.url }
      const outcome = await generator.run({
        work,
        adapter: system.adapterFile,
        about,
        connections: 4,
        milliseconds: 100,
        number: ++number,
      })
      // That there are answers; how many is a matter of speed, and of no test.
      expect(outcome.answers, `${work} of the ${system.name}`).toBeGreaterThan(0)
      expect(outcome.p50).toBeLessThanOrEqual(outcome.p99)
    }
  }
})

test('a run with a wrong answer is refused', async () => {
  const about = { layout, tokens: tokens.map(() => 'none'), url: product.server.url }
  const run = {
    work: 'fetch',
    adapter: product.adapterFile,
    about,
    connections: 2,
    milliseconds: 100,
    number: 99,
  } as const
  await expect(generator.run(run)).rejects.toThrow(/fetch at http.*expected 200, got 401/)
})

test('arrivals that do not wait for answers are all answered, and counted by when they should have left', async () => {
  const about = { layout, tokens, url: product.server.url }
  const { phases } = await generator.pour({
    ...{ work: 'mix', adapter: product.adapterFile, about, number: 100, connections: 0, milliseconds: 0 },
    phases: [
      { perSecond: 200, milliseconds: 250 },
      { perSecond: 400, milliseconds: 250 },
    ],
  })
  expect(phases).toHaveLength(2)
  for (const { arrivals, answered, turnedAway, unavailable, slices, p50, p99, most } of phases) {
    expect(arrivals).toBeGreaterThan(0)
    expect(answered + turnedAway + unavailable).toBe(arrivals)
    expect(slices.reduce((sum, slice) => sum + slice.answered + slice.turnedAway, 0)).toBe(arrivals - unavailable)
    expect(p50).toBeLessThanOrEqual(p99)
    expect(p99).toBeLessThanOrEqual(most)
  }
})

test('a server ends with the bench, even where that is killed', async () => {
  const { connection, drop } = await freshDatabase()
  const script = `import { startProduct } from ${JSON.stringify(new URL('../../bench/processes.ts', import.meta.url).href)}
    const { pid } = await startProduct(${JSON.stringify(urlOf(connection))})
    console.log(pid)
    setInterval(() => {}, 1000)`
  const bench = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const pid = await new Promise<number>((resolve) => bench.stdout.once('data', (line) => resolve(Number(line))))
  expect(isRunning(pid)).toBe(true)
  bench.kill('SIGKILL')
  await eventually(async () => expect(isRunning(pid)).toBe(false))
  await drop()
})
