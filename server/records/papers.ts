import { type Definition, hasPaper, isIn, type PaperDefinition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import type { Author } from '#sql/author.ts'
import { holdInOrder } from '#sql/records/lock-order.ts'
import { appendMissingPapers, appendPapers, type PaperDue } from '#sql/records/papers.ts'
import type { Statement } from '#sql/statement.ts'
import type { WriteContext } from './actor.ts'

/** Returns whether a write issues a record, so that a paper of it is due. Decisions, Papers. */
export const isIssued = ({ paper }: Definition, before: JsonObject | null, after: JsonObject): boolean =>
  paper !== undefined && isIn(after, paper.when) && !(before && isIn(before, paper.when))

/** Returns the statement that fixes the papers of the records, to be sent with their write; none if none is due. */
export const papersOf = (author: Author, definition: Definition, due: readonly PaperDue[]): Statement[] =>
  hasPaper(definition) && due.length > 0 ? [appendPapers(author, definition, due)] : []

/** Adds a paper of now to records of the books that have none: an earlier version of the program issued them. */
export async function fillPapers(
  { transaction, actor }: WriteContext,
  definition: PaperDefinition,
  ids: readonly number[],
): Promise<void> {
  const holds = ids.map((id) => ({ id, hold: 'for no key update' as const }))
  transaction.send(holdInOrder(actor.companyId, definition.name, holds))
  // It has no write, so nothing is undone with it.
  const by = { ...actor, writeId: null }
  await transaction.run(
    appendMissingPapers(
      actor,
      definition,
      ids.map((id) => ({ id, by })),
    ),
  )
}
