import type { ExpectedVersion } from '#derive/expected-version.ts'
import type { SendingMethod } from '#derive/paper-content.ts'
import { isIn, type PaperDefinition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { invalidField } from '#registry/refusals.ts'
import { appendMissingPapers, markPaperSent } from '#sql/records/papers.ts'
import type { WriteContext } from './actor.ts'
import { runCommand, updateOne } from './write-record.ts'

/** `on` is the day, `YYYY-MM-DD`. */
export type SendRequest = { id: number; expected: ExpectedVersion; by: SendingMethod; on: string }

/**
 * Notes on the newest paper of a record how and when it was sent. A draft takes the state that its paper `sends` first.
 * What was changed since the newest paper gets a new one. Returns the version of the record on the paper. Throws if
 * nothing is sent of such a draft.
 */
export async function sendPaper(
  { transaction, actor }: WriteContext,
  definition: PaperDefinition,
  { id, expected, by, on }: SendRequest,
): Promise<{ version: number }> {
  const { one, paper } = definition
  const { companyId } = actor
  // An update of nothing: it locks the record and checks its version.
  const { json } = await runCommand(transaction, actor, updateOne(companyId, definition, { id, body: {}, expected }))
  if (isIn(JSON.parse(json as string) as JsonObject, paper.when))
    await transaction.run(appendMissingPapers(actor, definition, [{ id, by: actor }]))
  else {
    const { sends: status } = paper
    if (status === undefined)
      throw invalidField('status', 'not_issued', `is that of a draft, of which nothing is sent; issue the ${one} first`)
    const step = { id, body: { status }, expected: undefined }
    await runCommand(transaction, actor, updateOne(companyId, definition, step))
  }
  const [sent] = await transaction.run<{ version: number }>(markPaperSent(companyId, definition, id, { on, by }))
  return sent as { version: number }
}
