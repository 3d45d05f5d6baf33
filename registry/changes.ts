/**
 * Changes of /v1 that matter to callers, newest first; the documents show them. CHANGELOG.md has the same lines under
 * the same headings. A comparison lists new operations, parameters and members beside them (`additions.gen.ts`).
 */
export const changes: readonly { version: string; lines: readonly string[] }[] = [
  {
    version: 'Unreleased',
    lines: [
      'The discount of an estimate can be sent as an amount: `discount_minor`, while `discount_pct` is null. With a percentage it follows as before, and another amount is 422 `read_only`; above the sum of the lines it is `out_of_range`.',
      'Percentages have up to four decimals. Telephone numbers take `ext.` and `x` before an extension, every dash and no-break blanks, up to 40 characters, and `q` finds them by five digits or more.',
      'A required text of invisible characters alone, a control character in a text of one line and an invisible character in an e-mail address are 422 with the field code `invisible`. Stored values stay until the field is written.',
      'Unique values and `external_ref` are equal if people see them as equal: capitals of every alphabet, final sigmas and composed accents do not count.',
      'Pay, amounts, and tax and policy numbers have rights of their own: a field whose description names `PAY_VIEW`, `MONEY_VIEW` or `TAX_VIEW` is left out where the account of the token does not hold it, and a query or a body that names it is 403 `insufficient_scope`. Every account that there is holds all three.',
      '`GET /v1/me` shows the company, the token, what it may do at this moment, and the limits. `GET /v1/choices/<records>/<field>` lists by id and title what a field can refer to that has no routes of its own.',
      'Lists are narrowed by several values (`<field>_in`, `id_in`), by days (`<field>_from`, `<field>_to`) and by `external_ref`. A page that was found by `after_id` has a `Link` to the next one while more follows.',
      'A create, an update and an upsert answer the whole record beside `data` where `Prefer: return=representation` asks for it.',
      '`/v1/openapi-client.json` is the document for generators of clients, without `fields`; in `/v1/openapi.json` a list and a fetch promise no more than `id`, since `fields` can leave out the rest. Changes, batch operations and webhooks have types.',
      '`/v1/changes` and `/history` have an `ETag` and honour `If-None-Match` and `If-Match`. An unknown method is 501 `not_implemented`; a malformed header is refused once the token is known.',
      '`by` of a change has `preview_id`: the preview that an agent applied at `/mcp`, null of every other write.',
      'No write and no dry-run tells a difference to a token without the VIEW of a resource: `changed` has the names sent, the plan every record that was to be changed, each update is a change of one version also where nothing differs, and the `ETag` holds nothing of the record. To undo an update needs the VIEW too.',
      '`/llms.txt` says in a page what a language model needs to call this API: the documents, how to write safely, the operations.',
    ],
  },
  {
    version: '0.2.0',
    lines: [
      'What is refused of an ACCEPTED estimate says how a mistake is put right; the code `locked` is as before. Its `notes` and `external_ref` can be changed even where its project has another client by now.',
      '`POST /v1/batch` does up to 1,000 creates, updates, upserts and deletes in one call, all or each by itself; what is refused is named row by row. A batch that cannot be done whole is refused with 422 `batch_refused`.',
      'Every committed change is told in order by `GET /v1/changes`, those of one record by `GET /v1/<resource>/{id}/history`; lists take `after_id`. A cursor that cannot go on is refused with 410 `cursor_gone`.',
      '`PUT`, `GET` and `DELETE` `/v1/<resource>/by/external_ref/{value}` write and read by your own reference.',
      'A dry-run answers a `plan`: each record that would change with old and new values, and a hash. `If-Plan` makes the real call do exactly that, or answer 412 `plan_changed`.',
      '`POST /v1/writes/{write_id}/undo` takes back what a write did; changes carry their `write_id`.',
      'The OpenAPI document is made for generators: types have names, amounts and ids are `int64`, both answers of a create are one type, and what JSON Schema can say of a body is said. Generate your client anew; what is sent and answered is as before.',
      'A field that `sort` names twice is no longer refused; the first of the two counts.',
    ],
  },
]
