import { spawn } from 'node:child_process'
import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { isRunning } from '../stage/process.ts'
import { eventually } from '../stage/wait.ts'
import type { Attack, Ground } from './attack.ts'
import { readFigures } from './attack-all.ts'
import { attacks } from './attacks/index.ts'
import { readOptions, secondsEach } from './options.ts'
import { startOthers } from './others.ts'
import { isPossible } from './possible.ts'
import { pageOf } from './report.ts'
import { createStatusReader } from './status-reader.ts'
import { createToolkit } from './toolkit.ts'
import { longForm, type Series, shortForm, type Trial } from './trial.ts'
import { longVerdictOf, seriesVerdictOf, verdictOf } from './verdict.ts'

/** What the suite itself does: that it sees what it has to see. */

const attack: Attack = {
  name: 'made-up',
  about: 'Does nothing of interest.',
  bounds: {
    memory: { most: 100, because: 'so it is' },
    answered: { most: 4, because: 'it is short' },
    never: { statuses: [100], because: 'nobody is asked' },
  },
  sockets: { short: 3, long: 3 },
  requests: 30,
  run: async () => {},
}

const good: Trial = {
  attack: 'made-up',
  outcome: { sockets: 3, requests: 10, sentBytes: 1000, answeredBytes: 40_960, statuses: { 200: 10 } },
  others: { asked: 50, answered: 50, failures: {} },
  quiet: { p50: 1, p99: 4 },
  beside: { p50: 2, p99: 20 },
  memory: { before: 150, peak: 250 },
  logBytes: 0,
  bugs: 0,
}

const holding = { peakMegabytes: 300, openFiles: 40, disk: { folder: 9e8, wal: 1e8 } }
const goodSeries: Series = {
  at: '2026-01-01T00:00:00.000Z',
  peakMegabytes: 400,
  attacked: [{ attack: 'made-up', before: holding, after: { ...holding, openFiles: 41 } }],
  kept: { bytes: 110, onPurpose: 100 },
}

describe('A verdict of the series', () => {
  test('has nothing to say where everything holds, to its last byte.', () =>
    expect(seriesVerdictOf(goodSeries)).toEqual([]))

  test.each([
    ['a process that is gone', { peakMegabytes: null }, /did not survive/],
    ['memory beyond the bound', { peakMegabytes: 513 }, /^It held 513 MB/],
    ['a disk that stays full', { kept: { bytes: 111, onPurpose: 100 } }, /a tenth more is allowed/],
    ['a disk of which nothing is known', { kept: { bytes: Number.NaN, onPurpose: 100 } }, /a tenth more is allowed/],
  ] as const)('names %s', (_, wrong, says) => {
    expect(seriesVerdictOf({ ...goodSeries, ...wrong })).toEqual([expect.stringMatching(says)])
  })

  test('stands in the page, with what was held before and after.', () => {
    const about = { at: goodSeries.at, machine: { cores: 2 }, secondsEach: 10 }
    expect(pageOf(about, [], goodSeries)).toContain('| made-up | 300 | 300 | 40 | 41 | 858 | 858 | 95 | 95 |')
  })
})

describe('A verdict', () => {
  test('has nothing to say where everything holds, to its last byte.', () => {
    expect(verdictOf(attack, good)).toEqual([])
    expect(longVerdictOf(attack, good)).toEqual([])
  })

  const wrongs: { why: string; trial: Partial<Trial>; says: RegExp }[] = [
    {
      why: 'one of the others that was not served',
      trial: { others: { asked: 50, answered: 49, failures: { '503 overloaded': 1 } } },
      says: /^1 of 50 of the others were not served: 1 × 503 overloaded\.$/,
    },
    { why: 'others who never asked', trial: { others: { asked: 0, answered: 0, failures: {} } }, says: /Nobody else/ },
    { why: 'memory beyond the bound', trial: { memory: { before: 150, peak: 251 } }, says: /^It took 101 MB/ },
    { why: 'a process that is gone', trial: { memory: { before: 150, peak: null } }, says: /did not survive/ },
    { why: 'a log that grows with the attack', trial: { logBytes: 2_000_000 }, says: /^It left 1,953 KB in the log/ },
    { why: 'a process that does not answer', trial: { bugs: null }, says: /says nothing of itself/ },
    { why: 'a 500 that the process counted', trial: { bugs: 1 }, says: /^1 × 500/ },
    {
      why: 'bytes answered beyond the bound',
      trial: { outcome: { ...good.outcome, answeredBytes: 41_000 } },
      says: /KB for a request/,
    },
    {
      why: 'a status that is never right',
      trial: { outcome: { ...good.outcome, statuses: { 100: 2 } } },
      says: /^2 × 100, though nobody is asked/,
    },
    {
      why: 'an attack that reached nothing',
      trial: { outcome: { sockets: 0, requests: 0, sentBytes: 0, answeredBytes: 0, statuses: {} } },
      says: /did not reach/,
    },
  ]
  test.each(wrongs)('names $why', ({ trial, says }) => {
    expect(verdictOf(attack, { ...good, ...trial })).toEqual([expect.stringMatching(says)])
  })

  test('of the long form names others who wait longer, and a process that is larger.', () => {
    expect(longVerdictOf(attack, { ...good, beside: { p50: 2, p99: 21 } })).toEqual([
      expect.stringMatching(/5\.3 times/),
    ])
    const large = { ...good, memory: { before: 480, peak: 513 } }
    expect([verdictOf(attack, large), longVerdictOf(attack, large).length]).toEqual([[], 1])
  })
})

describe('The list', () => {
  test('names each attack once, in words that --only takes, with a sentence and reasons.', () => {
    expect(new Set(attacks.map(({ name }) => name)).size).toBe(attacks.length)
    for (const { name, about, bounds, sockets } of attacks) {
      expect(name).toMatch(/^[a-z-]+$/)
      expect(about).toMatch(/^[A-Z].*\.$/)
      for (const bound of [bounds.memory, bounds.answered]) expect(bound.because).not.toBe('')
      expect(sockets.short).toBeLessThanOrEqual(sockets.long)
    }
  })

  test('stands in the page whole, with what did not hold.', () => {
    const about = { at: '2026-01-01T00:00:00.000Z', machine: { cores: 2 }, secondsEach: 10 }
    const judged = attacks.map((one) => ({ attack: one, trial: good, wrong: one === attacks[0] ? ['Wrong.'] : [] }))
    const page = pageOf(about, judged, goodSeries)
    for (const { name } of attacks)
      expect(page.split('\n').filter((line) => line.startsWith(`| ${name} |`))).toHaveLength(2)
    expect(page).toContain(`${attacks.length - 1} of ${attacks.length} hold.\n\n${attacks[0]?.name}: Wrong.\n`)
  })
})

test('A series takes its place beside the figures of an earlier run, and needs none.', async () => {
  expect(await readFigures('docs/security/hostile')).toMatchObject({ trials: expect.any(Array) })
  expect(await readFigures('docs/security/no-such-file')).toBeNull()
})

describe('The options', () => {
  const name = attacks[0]?.name as string

  test('share the minutes among the attacks that are asked for.', () => {
    const all = readOptions(['--minutes', '60'], 'usual')
    expect([all.output, secondsEach(all)]).toEqual(['usual', 3600 / attacks.length])
    const one = readOptions(['--only', name, '--minutes', '2', '--output', 'there.md'], 'usual')
    expect([one.output, secondsEach(one)]).toEqual(['there', 120])
    expect(longForm(64).lasts.quiet + longForm(64).lasts.beside).toBe(60_000)
  })

  test('write nothing about some of the attacks, unless they are told where.', () => {
    expect(readOptions(['--only', name], 'usual').output).toBeNull()
  })

  test.each([
    [['--only', 'nothing'], /there are/],
    [['--minutes', 'many'], /must be a number/],
    [['--minutes', '0'], /must be a number/],
    [['--strange'], /See --help/],
  ])('%j are refused in a sentence.', (words, says) => {
    expect(() => readOptions(words, 'usual')).toThrow(says)
  })
})

test('The status of every answer is seen, wherever the stream is cut.', () => {
  const stream = Buffer.from(
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\nbodyHTTP/1.1 503 No\r\n\r\nHTTP/1.1 2',
  )
  for (let cut = 0; cut <= stream.length; cut++) {
    const seen: number[] = []
    const read = createStatusReader((status) => void seen.push(status))
    read(stream.subarray(0, cut))
    read(stream.subarray(cut))
    expect(seen).toEqual([100, 200, 503])
  }
})

describe('Attackers and others', () => {
  test.runIf(isPossible)('count what they send and hear, come from their own addresses, and end.', async () => {
    const peers = new Set<string | undefined>()
    await onServer(
      (server) =>
        server.on('request', (request, response) => {
          peers.add(request.socket.remoteAddress)
          response.end('x'.repeat(1000))
        }),
      async (url) => {
        const { promise: over, resolve: enough } = Promise.withResolvers<void>()
        const ground = { ...nowhere, url }
        const made = { attack: { ...attack, peers: 2 }, ground, form: 'short' as const }
        const { toolkit, release } = createToolkit(made, { placed: enough, over })
        await toolkit.flood({ ahead: 2, next: () => 'GET / HTTP/1.1\r\nHost: x\r\n\r\n' })
        const { requests, sockets, sentBytes, answeredBytes, statuses } = await release()
        expect([requests, sockets, sentBytes]).toEqual([30, 3, 30 * 27])
        expect(Object.keys(statuses)).toEqual(['200'])
        expect(answeredBytes).toBeGreaterThan(24 * 1000)
        expect([...peers].toSorted()).toEqual(['127.66.0.1', '127.66.0.2'])
      },
    )
  })

  test.runIf(isPossible)('What the others are refused, and what is cut off, is counted by its reason.', async () => {
    await onServer(
      (server) =>
        server.on('request', ({ url, socket }, response) => {
          if (url === '/readyz') socket.destroy()
          else response.writeHead(url === '/healthz' ? 200 : 503).end('{"code":"overloaded"}')
        }),
      async (url) => {
        const pace = { callsPerSecond: shortForm.callsPerSecond, probesPerSecond: 40, signInsPerSecond: 0 }
        const others = await startOthers({ ...nowhere, url }, pace)
        await others.settle(20)
        const { asked, answered, failures } = others.met()
        await others.stop()
        expect(Object.keys(failures).toSorted()).toEqual(['503 overloaded', 'the connection was cut'])
        expect(answered).toBeGreaterThan(0)
        expect(Object.values(failures).reduce((sum, count) => sum + count, answered)).toBeLessThanOrEqual(asked)
      },
    )
  })
})

test('What is attacked ends with the suite, even where that is killed and the process is past hearing.', async () => {
  const script = `
    import { spawn } from 'node:child_process'
    import { startAttacker } from ${JSON.stringify(new URL('attacking.ts', import.meta.url).href)}
    import { attacks } from ${JSON.stringify(new URL('attacks/index.ts', import.meta.url).href)}
    const deaf = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'
    const { pid } = spawn(process.execPath, ['--eval', deaf], { stdio: 'ignore' })
    await startAttacker(attacks[0]).prepare({ ground: ${JSON.stringify(nowhere)}, form: 'short', pid })
    console.log(pid)`
  const suite = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const pid = await new Promise<number>((resolve) => suite.stdout.once('data', (line) => resolve(Number(line))))
  try {
    expect(isRunning(pid)).toBe(true)
    suite.kill('SIGKILL')
    await eventually(async () => expect(isRunning(pid)).toBe(false))
  } finally {
    if (isRunning(pid)) process.kill(pid, 'SIGKILL')
  }
})

const nowhere: Ground = {
  url: 'http://127.0.0.1:9',
  attacker: { company: 1, token: 'one' },
  victim: { company: 2, token: 'two', email: '', password: '', clients: [1] },
}

async function onServer(prepare: (server: HttpServer) => void, work: (url: string) => Promise<void>): Promise<void> {
  const server = createServer()
  prepare(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}
