/**
 * The members of stored answers (`answers`, `batch_answers`) whose texts can hold values of a record, and those whose
 * texts cannot: codes, names of fields, ids, and sentences that are the same for everybody. A test compares both lists
 * with the schemas of all answers that are stored.
 */
export const textsWithValues = ['detail', 'message', 'name', 'email'] as const

/** What stands in the place of such a text once a person of the company was erased. The schemas say that it is a text. */
export const erasedText = 'No longer kept: a person was erased.'
