/**
 * Caches the result of `make` by object and text, so that derived values are not computed for each request. The cache
 * ends with the object.
 */
export function memoize<Of extends object, More extends string[], Made>(
  make: (of: Of, ...more: More) => Made,
): (of: Of, ...more: More) => Made {
  const all = new WeakMap<Of, Map<string, Made>>()
  return (of, ...more) => {
    const made = all.get(of) ?? new Map<string, Made>()
    all.set(of, made)
    const key = more.join('\n')
    const known = made.get(key)
    if (known !== undefined) return known
    const fresh = make(of, ...more)
    made.set(key, fresh)
    return fresh
  }
}
