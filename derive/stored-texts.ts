/**
 * Members of stored responses (`answers`, `batch_answers`) whose texts can hold values of a record, and those whose
 * texts cannot: codes, field names, ids, fixed sentences. A test compares both lists with the schemas of all stored
 * responses.
 */
export const textsWithValues = ['detail', 'message', 'name', 'email'] as const

/** Replaces such a text after a person of the company was erased. The schemas say that it is a text. */
export const erasedText = 'No longer kept: a person was erased.'
