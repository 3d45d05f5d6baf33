import type { Route } from '#derive/routes.ts'

/** Finds the route of a path. All methods of a path stand together, for 405 and OPTIONS. */
export type Router = (path: string) => Place | undefined

export type Place = { byMethod: ReadonlyMap<string, Route>; id: string | undefined; allow: string }

type Methods = Map<string, Route>

export function makeRouter(routes: readonly Route[]): Router {
  const exact = new Map<string, Methods>()
  /** By what stands before the last slash. */
  const withId = new Map<string, Methods>()
  for (const route of routes) {
    const hasId = route.path.endsWith('/{id}')
    const table = hasId ? withId : exact
    const key = hasId ? route.path.slice(0, -'/{id}'.length) : route.path
    table.set(key, (table.get(key) ?? new Map()).set(route.method, route))
  }
  return (path) => {
    const methods = exact.get(path)
    if (methods) return { byMethod: methods, id: undefined, allow: allowed(methods) }
    const slash = path.lastIndexOf('/')
    const one = withId.get(path.slice(0, slash))
    const id = path.slice(slash + 1)
    return one && id !== '' ? { byMethod: one, id, allow: allowed(one) } : undefined
  }
}

/** HEAD goes where GET goes; OPTIONS goes everywhere. */
const allowed = (methods: Methods): string =>
  [...methods.keys()]
    .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    .concat('OPTIONS')
    .join(', ')
