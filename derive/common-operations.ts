/**
 * Returns operations, each as its method and its path, with `<records>` for the resource of those that every resource
 * has. They are then named once.
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
