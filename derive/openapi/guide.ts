import { additions } from '#registry/additions.gen.ts'
import { changes } from '#registry/changes.ts'
import type { Definition } from '#registry/definition.ts'
import { allowlistMax, limits as limitRows, pageSizeDefault, pageSizeMax, replayWindowHours } from '#registry/limits.ts'
import { fieldPermissions, permission } from '#registry/permissions.ts'
import { tokenDigits, tokenPrefix } from '#registry/tokens.ts'
import { formatName, labelOf, planWords, series } from '../words.ts'

/** The form of a token. Spec, Authentication 2. */
export const tokenForm = `${tokenPrefix}<${tokenDigits} hexadecimal digits>`

/** Returns the first page of the reference: how to call the API, for a reader with a token and an hour. */
export function guide(definitions: readonly Definition[], errorsPage: string): string {
  const parts = [
    formatIntroduction(definitions),
    formatTokens(definitions),
    safety,
    bodies,
    lists,
    errors(errorsPage),
    limits(definitions),
    versions,
    history,
  ]
  return parts.join('\n\n')
}

const formatIntroduction = (definitions: readonly Definition[]): string =>
  `
Plumbline keeps the books of a contractor’s work. Over this API a program reads and writes the ${series(definitions.map(({ name }) => formatName(name)))} of one company, as JSON over HTTP.

All of them work alike: list, fetch, create, update, delete. A write is checked by the rules that the web interface keeps, and is refused or done as a whole.

\`\`\`sh
curl -H "Authorization: Bearer $TOKEN" "$BASE_URL/v1/projects?status=ACTIVE&limit=10"
\`\`\``.trim()

const formatTokens = (definitions: readonly Definition[]): string => {
  const example = definitions[0]?.name ?? 'projects'
  const extra = definitions
    .filter(({ served }) => served && served.addOn !== 'api')
    .map((definition) => formatName(definition.name))
  return `
## Tokens

Send \`Authorization: Bearer ${tokenForm}\` with every call; only the documents that describe the API do without. A company has one active token, issued, shown, rotated and revoked in Settings, API. The token decides which company a call is about, so no call names one.

- **Scopes.** Reading needs a scope like \`${permission(example, 'VIEW')}\`, creating and updating \`${permission(example, 'EDIT')}\`, deleting \`${permission(example, 'DELETE')}\`. A scope works while the account behind the token holds the same permission.
- **Fields.** ${fieldPermissions.map((one) => `\`${one}\``).join(', ')} are permissions of accounts and no scopes. A field whose description names one is left out where the account of the token does not hold it: in records, changes, webhooks and plans. A query or a body that names such a field is then refused with \`insufficient_scope\`.
- **Addresses.** A token can be tied to up to ${allowlistMax} IPv4 addresses or ranges. The address of the TCP connection counts; forwarding headers are not read.
- **Add-ons.** The company needs the add-on \`api\`${extra.length > 0 ? `; ${series(extra)} need their own besides` : ''}.
- **Changes** to a token, an account or an add-on hold from the next request on. A rotated or revoked token stops at once.
- **A token is for servers.** Whoever has it acts for the company, so keep it out of web pages and apps that others run. Pages of other sites may load these documents, and nothing else: no answer with data lets a browser pass it on to them.`.trim()
}

const safety = `
## Writing without fear

**Retry safely.** Put an \`Idempotency-Key\` on a create, update or delete, a fresh UUID for each operation. If the answer gets lost, send the same request again with the same key: what was done is not done twice, and you get the first answer, marked \`Idempotency-Replayed: true\`. A key is remembered for ${replayWindowHours} hours after its request ended. The same key with another method, path or body is refused; while the first request runs, a second one is asked to wait. A request that was refused before it could run, with 400 or 422 for example, leaves its key free; so does one whose condition did not hold (412), and \`If-Match\` may be another in the retry. A replay has an \`X-Request-Id\` of its own and names that of the first request in \`Idempotency-Original-Request-Id\`.

**Preview.** \`X-Dry-Run: 1\` (or \`?dry_run=1\`) checks a write in full, plan limit and dependencies included, and writes nothing. A dry-run of a delete lists what would go and what would stay. It needs the same scope and counts as a call. It does not touch the Idempotency-Key: preview first, then send the real call with the same key.

**Read what changed.** Every read has an \`ETag\`. Send it back as \`If-None-Match\` and the answer is an empty 304 while nothing has changed. Send it as \`If-Match\` on an update or delete, and somebody else’s change in between is answered with 412 and not overwritten. An answer over 1 KiB comes as br or gzip where \`Accept-Encoding\` takes it, with an ETag that ends in the coding; any of the forms will do in both headers. A tag that a proxy has made weak (\`W/\`) still saves a read, and never matches in \`If-Match\`.`.trim()

const bodies = `
## Bodies

Send \`Content-Type: application/json\` in UTF-8. An update may also say \`application/merge-patch+json\`, which is what it is: what is absent stays, \`null\` clears, an array replaces the whole array.

Nothing is guessed or dropped. A member that does not exist, a number sent as text or a field that the service sets is refused by name. Only the blanks around a text are taken off. A required text that nobody sees (zero-width characters, soft hyphens, marks of direction), a control character in a text of one line and an invisible character in an e-mail address are refused; what is stored stays. Amounts are whole numbers in the smallest unit of the company’s currency (\`*_minor\`, cents for most), percentages are in percent, days are \`YYYY-MM-DD\`, moments are RFC 3339 in UTC.`.trim()

const lists = `
## Lists

A list is answered as \`{ "data": [...], "meta": { "total", "limit", "offset" } }\`. \`total\` counts all records that match, whatever the page. A page has ${pageSizeDefault} records unless \`limit\` says otherwise; ${pageSizeMax} is the most. Records come by id, or as \`sort\` says (\`sort=name,-updated_at\`). The \`Link\` header leads to the \`next\`, \`prev\` and \`first\` page.

\`fields=id,status\` leaves out all other fields, in lists and in single records. Clients that are generated take \`/v1/openapi-client.json\`: the same document without \`fields\`, so that every member of a record is there. \`updated_since\` narrows a list to what changed; it misses deletions, and writes that ended after you looked. To miss none, follow \`/v1/changes\`; to page through everything, use \`after_id\`. A parameter that a route does not know is refused, so a typing error never widens a list.`.trim()

const errors = (errorsPage: string): string =>
  `
## Errors

Every refusal is \`application/problem+json\` (RFC 9457). Decide by \`code\`, which is never renamed; \`detail\` is written for people. A 422 lists everything that is wrong in \`errors\`, one entry a field. Quote \`request_id\` when you ask about an answer. [All codes and what to do](${errorsPage}).

Repeat a request after 409 \`idempotency_in_progress\`, 429 and 503, once \`Retry-After\` has passed. After 503 \`outcome_unknown\` it is open whether a write happened: repeat it with its Idempotency-Key, or look first. Any other refusal stays the same until something is changed.`.trim()

function limits(definitions: readonly Definition[]): string {
  const plans = definitions.flatMap((definition) => {
    const words = planWords(definition)
    return words ? [`| ${labelOf(definition)} of a company | ${words} |`] : []
  })
  return `
## Limits

| What | Limit |
|---|---|
${limitRows.map(({ what, value, unit }) => `| ${what} | ${formatAmount(value, unit)} |`).join('\n')}
${plans.join('\n')}

A call is counted once token, address, scope and add-on have let it through, whatever it is answered and in a dry-run too. Replays and the documents about the API are not counted.`.trim()
}

/** Returns an amount with its unit; bytes as KiB or MiB. */
export function formatAmount(value: number, unit: string): string {
  if (unit !== 'bytes') return `${value.toLocaleString('en')} ${unit}`
  const kibibytes = value / 1024
  return kibibytes < 1024 ? `${kibibytes} KiB` : `${kibibytes / 1024} MiB`
}

const versions = `
## Versions

The version is the first part of the path, \`/v1\`. Members, parameters and codes may be added to it, so pass over what you do not know; a code never gets another name. An operation that is to go says so in every answer for months before: \`Deprecation\` (RFC 9745) has the day since when, \`Sunset\` (RFC 8594) the day until when. This description is made from the routes that are served, so it is never behind. \`/llms.txt\` is its summary for language models.`.trim()

const history = `
## Changes

${changes.map(changesOf).join('\n\n')}`.trim()

/** Returns the sentences of a version, and its additions by comparison with the document before. */
function changesOf({ version, lines }: (typeof changes)[number]): string {
  const items = [...lines, ...(additions[version] ?? [])].map((line) => `- ${line}`)
  return `**${version}**\n\n${items.join('\n')}`
}
