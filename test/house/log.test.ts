import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readConfig } from '#server/config/config.ts'
import { identityOf } from '#server/http/request-handler.ts'
import { createLog } from '#server/log.ts'
import { createToken } from '#server/service/token-text.ts'

/** The lines of a log as they are written. */
function written(
  say: (log: ReturnType<typeof createLog>) => void,
  {
    format = 'json',
    ...options
  }: { format?: string } & Omit<NonNullable<Parameters<typeof createLog>[1]>, 'destination'> = {},
): string {
  let lines = ''
  const destination = { write: (line: string) => (lines += line) }
  say(createLog(readConfig({ LOG_LEVEL: 'debug', LOG_FORMAT: format }), { destination, ...options }))
  return lines
}

const token = createToken(7)
const digits = token.slice(-72)

test.each<[string, unknown]>([
  ['a path', { path: `/v1/projects/${token}` }],
  ['a query', { target: `/v1/projects?token=${token}&limit=2` }],
  ['a path, percent-encoded', { path: `/v1/${token.replaceAll('_', '%5F')}` }],
  ['a path, cut off', { path: `/v1/${token.slice(0, -3)}` }],
  ['an error and its cause', { error: new Error(`no ${token}`, { cause: new Error(token) }) }],
  ['a member of any name', { deep: { er: { still: [token] } } }],
  ['a name', { [token]: 1 }],
])('a token in %s is not in the line [V14.2.1] [V14.2.4] [V16.2.5]', (_, what) => {
  const line = written((log) => log.info(what as object, `refused ${token}`))
  expect(JSON.parse(line)).toMatchObject({ msg: 'refused plumb_live_[removed]' })
  expect(line).not.toContain(digits.slice(0, 8))
})

test('what is no token stays', () => {
  expect(written((log) => log.warn({ path: '/v1/plumb_live' }, 'Plumb alive'))).toMatch(
    /"\/v1\/plumb_live".*Plumb alive/,
  )
})

const refused = (log: ReturnType<typeof createLog>): void =>
  log.warn({ path: '/v1/projects', status: 401 }, 'a request was refused')

describe('LOG_FORMAT', () => {
  test.each([
    ['json', true, '{'],
    ['json', false, '{'],
    ['auto', false, '{'],
    ['auto', true, 'text'],
    ['text', false, 'text'],
  ])('%s, with a terminal: %s', (format, isTerminal, beginning) => {
    const line = written(refused, { format, isTerminal })
    if (beginning === '{') expect(JSON.parse(line)).toMatchObject({ level: 40, path: '/v1/projects', status: 401 })
    else expect(line).toMatch(/^\d\d:\d\d:\d\d WARN a request was refused {2}path=\/v1\/projects status=401\n$/)
  })

  test('json is what pino writes, member by member. [V16.2.2] [V16.2.4]', () => {
    const line = written(refused)
    const { time, pid, hostname } = JSON.parse(line)
    const members = { level: 40, time, pid, hostname, path: '/v1/projects', status: 401, msg: 'a request was refused' }
    expect(line).toBe(`${JSON.stringify(members)}\n`)
    // Milliseconds since 1970 in UTC, wherever the machine is.
    expect(Math.abs(Date.now() - time)).toBeLessThan(60_000)
  })

  test.each<[string, object, string]>([
    ['a blank', { name: 'Quay wall' }, ' name="Quay wall"'],
    ['a number and a flag', { ms: 1.5, ok: true }, ' ms=1.5 ok=true'],
    ['an escape sequence', { name: 'a\u001b[31mb' }, ' name=a⟨U+001B⟩[31mb'],
    ['a change of direction', { name: 'a\u202eb' }, ' name=a⟨U+202E⟩b'],
    ['a quotation mark', { name: 'a"b' }, ' name="a\\"b"'],
    ['an object', { load: { a: [1] } }, ' load={"a":[1]}'],
    ['nothing', { peer: null }, ' peer=null'],
  ])('text shows %s so that it cannot be taken for something else.', (_, what, end) => {
    expect(written((log) => log.info(what, 'said'), { format: 'text' }).slice(8)).toBe(` INFO said ${end}\n`)
  })

  test('In text nothing that a caller sends begins a line. [V16.4.1]', () => {
    const forged = 'x\n22:41:07 WARN forged\r\n22:41:08 WARN forged\u2028again'
    const text = written(
      (log) => {
        log.warn({ path: forged, [forged]: 1, deep: { er: forged } }, forged)
        log.error({ error: new Error(forged, { cause: new TypeError(forged) }) }, 'failed')
      },
      { format: 'text' },
    )
    const lines = text.trimEnd().split('\n')
    expect(lines.length).toBeGreaterThan(6)
    const beginnings = lines.filter((line) => !line.startsWith('    '))
    expect(beginnings.map((line) => line.slice(8, 17))).toEqual([' WARN x 22'.slice(0, 9), ' ERROR fai'.slice(0, 9)])
    expect(text).not.toMatch(/\r|\u2028/)
    expect(text).toMatch(/\n {4}Error: x\n(.*\n)+ {4}Caused by:\n {8}TypeError: x\n/)
  })

  test('text hides what json hides.', () => {
    const text = written((log) => log.warn({ password: 'hush', path: `/${token}` }, token), { format: 'text' })
    expect(text).toContain('plumb_live_[removed]  password=[removed] path=/plumb_live_[removed]')
  })
})

test('The log goes to the standard error, and nothing of it to the standard output [V16.2.3]', () => {
  const say = `import { createLog } from '#server/log.ts'; import { readConfig } from '#server/config/config.ts'
    createLog(readConfig({ LOG_FORMAT: 'json' })).warn('said')`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', say], {
    cwd: join(import.meta.dirname, '../..'),
    encoding: 'utf8',
    env: {},
  })
  expect(stdout).toBe('')
  expect(JSON.parse(stderr)).toMatchObject({ msg: 'said' })
})

const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
const parent = '00f067aa0ba902b7'

describe('What a caller calls a request', () => {
  test.each<[string, string | undefined, string | undefined, object | undefined]>([
    ['a trace', `00-${trace}-${parent}-01`, undefined, { trace_id: trace }],
    ['an id', undefined, 'order-7/a', { caller_request_id: 'order-7/a' }],
    ['both', `00-${trace}-${parent}-00`, 'x', { trace_id: trace, caller_request_id: 'x' }],
    ['a trace that is not one, and an id', 'no', 'x', { caller_request_id: 'x' }],
    ['a trace of zeros', `00-${'0'.repeat(32)}-${parent}-01`, undefined, undefined],
    ['a parent of zeros', `00-${trace}-${'0'.repeat(16)}-01`, undefined, undefined],
    ['another version', `01-${trace}-${parent}-01`, undefined, undefined],
    ['more than a version 00 has', `00-${trace}-${parent}-01-x`, undefined, undefined],
    ['capital letters', `00-${trace.toUpperCase()}-${parent}-01`, undefined, undefined],
    ['a trace twice', `00-${trace}-${parent}-01, 00-${trace}-${parent}-01`, undefined, undefined],
    ['an id twice', undefined, 'a, b', undefined],
    ['an id with a blank', undefined, 'a b', undefined],
    ['an id beyond ASCII', undefined, 'ä', undefined],
    ['an empty id', undefined, '', undefined],
    ['128 characters', undefined, 'a'.repeat(128), { caller_request_id: 'a'.repeat(128) }],
    ['129 characters', undefined, 'a'.repeat(129), undefined],
    ['neither', undefined, undefined, undefined],
  ])('is read from %s.', (_, traceparent, id, identity) => {
    expect(identityOf({ headers: { traceparent, 'x-request-id': id } })).toEqual(identity)
  })

  test('stands in each line of that request and in no other, without a token.', () => {
    const identities = new Map([['one', { trace_id: trace, caller_request_id: token }]])
    const lines = written(
      (log) => {
        log.info({ request_id: 'one' }, 'refused')
        log.error({ request_id: 'one', code: 'unavailable' }, 'failed')
        log.info({ request_id: 'other' }, 'refused')
        log.info('listening')
      },
      { identities },
    )
    const members = { trace_id: trace, caller_request_id: 'plumb_live_[removed]' }
    const [first, second, ...rest] = lines
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect([first, second]).toMatchObject([members, members])
    for (const line of rest) expect(line).not.toHaveProperty('trace_id')
  })
})
