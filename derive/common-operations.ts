/**
 * Returns operations as method and path. An operation of every resource is named once, with `<records>` for the
 * resource.
 */
export function commonOperations(operations: readonly string[], resources: readonly string[]): string[] {
  const all = new Set(operations)
  const common = operations.map((operation) => {
    const resource = resources.find((name) => operation.split('/').includes(name))
    const withName = (name: string): string => operation.replace(`/${resource}`, `/${name}`)
    return resource !== undefined && resources.every((name) => all.has(withName(name)))
      ? withName('<records>')
      : operation
  })
  return [...new Set(common)]
}
