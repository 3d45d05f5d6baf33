import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { curlOf } from '../../console/settings/calls/call-text.ts'

/** What a shell makes of the line: the words that curl is given. */
const wordsOf = (line: string): string[] =>
  execFileSync('/bin/sh', ['-c', `curl() { printf '%s\\0' "$@"; }; TOKEN=secret; ${line}`])
    .toString()
    .split('\0')
    .slice(0, -1)

const details = {
  ...{
    method: 'POST',
    path: '/v1/projects',
    query: 'dry_run=1&q=a%27b',
    request_bytes: 1,
    request_state: 'whole' as const,
  },
  ...{ answer_headers: {}, answer_body: '', answer_bytes: 0, answer_state: 'whole' as const, request_body: null },
  request_headers: {},
}

describe('A call as curl', () => {
  test.each([
    ['quotes', '{"name":"it\'s \\"quoted\\""}'],
    ['what a shell would run', '{"name":"$(id) `id` $HOME; rm -rf / \\\\ !! "}'],
    ['line breaks and other letters', '{"name":"a\\nb ü 🧱"}\n'],
    ['a body that looks like an option', '@/etc/passwd'],
  ])('says exactly what was sent: %s', (_what, body) => {
    const headers = { 'content-type': 'application/json', 'if-match': '"3-a\'b"', 'user-agent': 'x' }
    const line = curlOf({ ...details, request_body: body, request_headers: headers } as never, 'https://erp.example/')
    expect(line).not.toContain('secret')
    expect(wordsOf(line)).toEqual([
      ...['-g', '-X', 'POST', '-H', 'Authorization: Bearer secret', '-H', 'content-type: application/json'],
      ...['-H', 'if-match: "3-a\'b"', '--data-raw', body, 'https://erp.example/v1/projects?dry_run=1&q=a%27b'],
    ])
  })

  test('of a read has neither method nor body', () => {
    const line = curlOf({ ...details, method: 'GET', query: '', request_body: '' } as never, 'http://localhost:3000')
    expect(line).toBe(`curl -g -H "Authorization: Bearer $TOKEN" 'http://localhost:3000/v1/projects'`)
  })
})
