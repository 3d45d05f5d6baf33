import type { CallDetailsResult } from '#derive/console/responses.ts'

/** Formats a call as a curl command, with `$TOKEN` for its token. `base` is the address of the service. */
export function curlOf(
  { method, path, query, request_headers, request_body }: NonNullable<CallDetailsResult['details']>,
  base: string,
): string {
  const address = base.replace(/\/$/, '') + path + (query === '' ? '' : `?${query}`)
  const headers = Object.entries(request_headers).filter(([name]) => name !== 'user-agent' && name !== 'accept')
  return [
    // -g takes brackets in the address literally.
    'curl -g',
    ...(method === 'GET' ? [] : ['-X', method]),
    // In double quotes, the shell replaces $TOKEN.
    ...['-H', '"Authorization: Bearer $TOKEN"'],
    ...headers.flatMap(([name, value]) => ['-H', quoteWord(`${name}: ${value}`)]),
    ...(request_body
      ? [...(request_headers['content-type'] ? [] : untyped), '--data-raw', quoteWord(request_body)]
      : []),
    quoteWord(address),
  ].join(' ')
}

/** Removes the content type, because curl would send that of a form. */
const untyped = ['-H', "'Content-Type:'"]

/** Quotes a word for a POSIX shell. */
const quoteWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

type Message = { line?: string | undefined; headers: { readonly [name: string]: string }; body: string | null }

/** Formats a request or an answer: its first line, its headers and, below them, its body. */
export function formatMessage({ line, headers, body }: Message): string {
  const lines = [...(line ? [line] : []), ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)]
  return [lines.join('\n'), body && formatBody(body)].filter(Boolean).join('\n\n')
}

/** Formats a body. Indents JSON; returns cut JSON and any other text unchanged. */
export function formatBody(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
