import type { CallDetailsResult } from '#derive/console/responses.ts'

/** A call as a line for a terminal, with `$TOKEN` where its token was. `base` is where the service is. */
export function curlOf(
  { method, path, query, request_headers, request_body }: NonNullable<CallDetailsResult['details']>,
  base: string,
): string {
  const address = base.replace(/\/$/, '') + path + (query === '' ? '' : `?${query}`)
  const headers = Object.entries(request_headers).filter(([name]) => name !== 'user-agent' && name !== 'accept')
  return [
    // An address is taken as it is, whatever brackets it has.
    'curl -g',
    ...(method === 'GET' ? [] : ['-X', method]),
    // Double quotes, in which a shell puts the token in its place.
    ...['-H', '"Authorization: Bearer $TOKEN"'],
    ...headers.flatMap(([name, value]) => ['-H', quoteWord(`${name}: ${value}`)]),
    ...(request_body
      ? [...(request_headers['content-type'] ? [] : untyped), '--data-raw', quoteWord(request_body)]
      : []),
    quoteWord(address),
  ].join(' ')
}

/** Otherwise curl would say that a body is a form. */
const untyped = ['-H', "'Content-Type:'"]

/** A word of a POSIX shell, which is changed by nothing in it. */
const quoteWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
