import { type Definition, isIn } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import type { Author } from '#sql/author.ts'
import { appendPapers, hasPaper, type PaperDue } from '#sql/records/papers.ts'
import type { Statement } from '#sql/statement.ts'

/** Returns whether a write issues a record, so that a paper of it is due. Decisions, Papers. */
export const isIssued = ({ paper }: Definition, before: JsonObject | null, after: JsonObject): boolean =>
  paper !== undefined && isIn(after, paper.when) && !(before && isIn(before, paper.when))

/** Returns the statement that fixes the papers of the records, to be sent with their write; none if none is due. */
export const papersOf = (author: Author, definition: Definition, due: readonly PaperDue[]): Statement[] =>
  hasPaper(definition) && due.length > 0 ? [appendPapers(author, definition, due)] : []
