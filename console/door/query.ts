/** A query out of what is set; the rest is left out. */
export function queryOf(parameters: { readonly [name: string]: unknown }): string {
  const pairs = Object.entries(parameters)
    .filter(([, value]) => value !== undefined && value !== null && value !== '')
    .map(([name, value]) => [name, String(value)])
  const text = new URLSearchParams(pairs).toString()
  return text === '' ? '' : `?${text}`
}
