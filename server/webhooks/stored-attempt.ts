import type { AttemptRow } from '#sql/system/webhook-attempts.ts'
import type { NotSentError, ReceiverResponse } from '../outbound/sender.ts'

/** The stored part of an answer: enough to find a failure, in a bounded size. */
type StoredAttempt = Pick<AttemptRow, 'status' | 'failure' | 'detail' | 'answer_headers' | 'answer_body' | 'answer_cut'>

const bodyBytesMax = 4 * 1024
const headerBytesMax = 2 * 1024
const detailBytesMax = 512

/** Returns whether a message arrived. Only the status decides. */
export const hasArrived = ({ status }: Pick<AttemptRow, 'status'>): boolean =>
  status !== null && status >= 200 && status < 300

/** Returns the status of a success, and the beginning of headers and body of a failure. */
export function storeResponse({ status, headers, body, isCut }: ReceiverResponse): StoredAttempt {
  const nothing = { answer_headers: null, answer_body: null, answer_cut: false }
  if (hasArrived({ status })) return { status, failure: null, detail: null, ...nothing }
  // PostgreSQL stores no NUL in a text.
  const text = body.replaceAll('\0', '\ufffd')
  const [keptHeaders, keptBody] = [firstHeaders(headers), cutText(text, bodyBytesMax)]
  return {
    ...{ status, failure: null, detail: null, answer_headers: keptHeaders, answer_body: keptBody },
    answer_cut: isCut || keptBody !== text || Object.keys(keptHeaders).length < Object.keys(headers).length,
  }
}

export const keptFailure = ({ failure, message }: NotSentError): StoredAttempt => ({
  ...{ status: null, failure, detail: cutText(message, detailBytesMax) },
  ...{ answer_headers: null, answer_body: null, answer_cut: false },
})

/** Returns the headers that fit whole into `headerBytesMax`, in their order. */
function firstHeaders(headers: ReceiverResponse['headers']): ReceiverResponse['headers'] {
  let room = headerBytesMax - 2
  const isRoom = ([name, value]: [string, string]): boolean => {
    room -= Buffer.byteLength(JSON.stringify({ [name]: value })) - 1
    return room >= 0
  }
  return Object.fromEntries(Object.entries(headers).filter(isRoom))
}

/** Cuts a long text between characters. */
export const cutText = (text: string, bytesMax: number): string =>
  Buffer.byteLength(text) <= bytesMax
    ? text
    : new TextDecoder().decode(Buffer.from(text).subarray(0, bytesMax), { stream: true })
