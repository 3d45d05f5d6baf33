/**
 * The document has two views. `all` is complete. `client` is for generators: it leaves out the parameter `fields`, so
 * that a list and a fetch answer whole records, the samples, which generators pass over, and `webhooks`, which some of them
 * take for calls. Decisions, Document.
 */
export type View = 'all' | 'client'

/** Whether a view has the query parameter of this name. */
export const isInView = (view: View, parameter: string): boolean => view === 'all' || parameter !== 'fields'
