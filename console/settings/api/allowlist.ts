/** What is typed into the list of addresses, one a line; commas do as well. */
export const entriesOf = (typed: string): string[] =>
  typed
    .split(/[\s,;]+/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
