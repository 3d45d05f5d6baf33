import type { CallDetailsResult } from '../../client/answers.ts'
import { asForeign, type ForeignText } from '../../texts/foreign.ts'
import { rawText } from '../../texts/raw-text.ts'

/** Formats a call as a curl command, with `$TOKEN` for its token. `base` is the address of the service. */
export function curlOf(
  {
    method,
    path: pathText,
    query: queryText,
    request_headers,
    request_body,
  }: NonNullable<CallDetailsResult['details']>,
  base: string,
): string {
  const [path, query] = [rawText(pathText), rawText(queryText)]
  const address = base.replace(/\/$/, '') + path + (query === '' ? '' : `?${query}`)
  const headers = Object.entries(request_headers).filter(([name]) => name !== 'user-agent' && name !== 'accept')
  return [
    // -g takes brackets in the address literally.
    'curl -g',
    ...(method === 'GET' ? [] : ['-X', method]),
    // In double quotes, the shell replaces $TOKEN.
    ...['-H', '"Authorization: Bearer $TOKEN"'],
    ...headers.flatMap(([name, value]) => ['-H', quoteWord(`${name}: ${rawText(value)}`)]),
    ...(request_body
      ? [...(request_headers['content-type'] ? [] : untyped), '--data-raw', quoteWord(rawText(request_body))]
      : []),
    quoteWord(address),
  ].join(' ')
}

/** Removes the content type, because curl would send that of a form. */
const untyped = ['-H', "'Content-Type:'"]

/** Quotes a word for a POSIX shell. */
const quoteWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

type Message = {
  line?: string | undefined
  headers: { readonly [name: string]: ForeignText }
  body: ForeignText | null
}

/** Most characters of a body on a page: more than the service stores. */
export const bodyMax = 200_000

/** Formats a request or an answer for `Foreign`: its first line, its headers and, below them, its body. */
export function formatMessage({ line, headers, body }: Message): ForeignText {
  const lines = [
    ...(line ? [line] : []),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${rawText(value)}`),
  ]
  return asForeign([lines.join('\n'), body && rawText(formatBody(body))].filter(Boolean).join('\n\n'))
}

/** Formats a body. Indents JSON; returns cut JSON and any other text unchanged. */
export function formatBody(body: ForeignText): ForeignText {
  try {
    return asForeign(JSON.stringify(JSON.parse(rawText(body)), null, 2))
  } catch {
    return body
  }
}
