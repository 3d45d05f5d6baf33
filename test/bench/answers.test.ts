import { describe, expect, test } from 'vitest'
import { createResponseReader, wrongWith } from '../../bench/load/response-reader.ts'

const answers = {
  'a body with its length': {
    text: 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\nX: y\r\n\r\nhello',
    status: 200,
    body: 'hello',
  },
  'an empty body': { text: 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', status: 200, body: '' },
  'no body at all': { text: 'HTTP/1.1 304 Not Modified\r\nETag: "x"\r\n\r\n', status: 304, body: '' },
  'a body in chunks': {
    text: 'HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nA\r\n 0\r\n\r\n world\r\n0\r\n\r\n'.replace(
      'A\r\n 0\r\n\r\n world',
      'b\r\n 0\r\n\r\nworld',
    ),
    status: 201,
    body: 'hello 0\r\n\r\nworld',
  },
}

describe.each(Object.entries(answers))('%s', (_, { text, status, body }) => {
  const bytes = Buffer.from(text)

  test.each([1, 3, 7, 1000])('is read from pieces of %i bytes, one answer after the other', (size) => {
    const reader = createResponseReader()
    for (let repeat = 0; repeat < 2; repeat++) {
      const read = []
      for (let at = 0; at < bytes.length; at += size) {
        const piece = bytes.subarray(at, at + size)
        const answer = reader.take(piece, piece.length)
        if (answer) read.push({ status: answer.status, body: answer.body.toString() })
      }
      expect(read).toEqual([{ status, body }])
    }
  })
})

test('a body longer than any buffer is read whole', () => {
  const body = 'é'.repeat(200_000)
  const bytes = Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  expect(createResponseReader().take(bytes, bytes.length)?.body.toString()).toBe(body)
})

test('what is more than one answer, or of unknown length, is an error', () => {
  const two = Buffer.from('HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n')
  expect(() => createResponseReader().take(two, two.length)).toThrow(/more arrived/)
  const endless = Buffer.from('HTTP/1.1 200 OK\r\n\r\n')
  expect(() => createResponseReader().take(endless, endless.length)).toThrow(/unknown length/)
})

test.each([
  { why: 'is as expected', expected: { status: 200, begins: '{"a"', ends: '}', bytesMin: 5 }, says: undefined },
  { why: 'has another status', expected: { status: 201 }, says: /expected 201, got 200 {"a":"ü"}/ },
  { why: 'begins otherwise', expected: { status: 200, begins: '{"b"' }, says: /expected {"b"…/ },
  { why: 'ends otherwise', expected: { status: 200, ends: 'u"}' }, says: /expected …u"}/ },
  { why: 'is too short', expected: { status: 200, bytesMin: 50 }, says: /at least 50 bytes/ },
])('an answer that $why is seen', ({ expected, says }) => {
  const wrong = wrongWith({ status: 200, body: Buffer.from('{"a":"ü"}') }, expected)
  if (says) expect(wrong).toMatch(says)
  else expect(wrong).toBeUndefined()
})
