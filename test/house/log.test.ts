import { expect, test } from 'vitest'
import { makeLog } from '#server/app.ts'
import { readConfig } from '#server/config/config.ts'
import { makeToken } from '#server/service/token-text.ts'

/** The lines of a log as they are written. */
function written(say: (log: ReturnType<typeof makeLog>) => void): string {
  let lines = ''
  say(makeLog(readConfig({ LOG_LEVEL: 'debug' }), { write: (line) => (lines += line) }))
  return lines
}

const token = makeToken(7)
const digits = token.slice(-72)

test.each<[string, unknown]>([
  ['a path', { path: `/v1/projects/${token}` }],
  ['a query', { target: `/v1/projects?token=${token}&limit=2` }],
  ['a path, percent-encoded', { path: `/v1/${token.replaceAll('_', '%5F')}` }],
  ['a path, cut off', { path: `/v1/${token.slice(0, -3)}` }],
  ['an error and its cause', { error: new Error(`no ${token}`, { cause: new Error(token) }) }],
  ['a member of any name', { deep: { er: { still: [token] } } }],
  ['a name', { [token]: 1 }],
])('a token in %s is not in the line', (_, what) => {
  const line = written((log) => log.info(what as object, `refused ${token}`))
  expect(JSON.parse(line)).toMatchObject({ msg: 'refused plumb_live_[removed]' })
  expect(line).not.toContain(digits.slice(0, 8))
})

test('what is no token stays', () => {
  expect(written((log) => log.warn({ path: '/v1/plumb_live' }, 'Plumb alive'))).toMatch(
    /"\/v1\/plumb_live".*Plumb alive/,
  )
})
