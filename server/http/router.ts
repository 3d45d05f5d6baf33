import { bodyTypes, type Route } from '#derive/routes.ts'

/** Finds the route of a path. All methods of a path stand together, for 405 and OPTIONS. */
export type Router = (path: string) => Place | undefined

export type Place = { byMethod: ReadonlyMap<string, Route>; id: string | undefined; allow: string; options: Options }

/** The headers that answer OPTIONS. */
type Options = { readonly [name: string]: string }

type Methods = { byMethod: Map<string, Route>; allow: string; options: Options }

export function makeRouter(routes: readonly Route[]): Router {
  const exact = new Map<string, Methods>()
  /** By what stands before the last slash. */
  const withId = new Map<string, Methods>()
  for (const route of routes) {
    const hasId = route.path.endsWith('/{id}')
    const table = hasId ? withId : exact
    const key = hasId ? route.path.slice(0, -'/{id}'.length) : route.path
    const byMethod = (table.get(key)?.byMethod ?? new Map()).set(route.method, route)
    const allow = allowed([...byMethod.keys()])
    // RFC 5789 3.1
    const patch = byMethod.has('PATCH') ? { 'Accept-Patch': bodyTypes('update').join(', ') } : {}
    table.set(key, { byMethod, allow, options: { Allow: allow, ...patch } })
  }
  return (path) => {
    const methods = exact.get(path)
    if (methods) return { ...methods, id: undefined }
    const slash = path.lastIndexOf('/')
    const one = withId.get(path.slice(0, slash))
    const id = path.slice(slash + 1)
    return one && id !== '' ? { ...one, id } : undefined
  }
}

/** HEAD goes where GET goes; OPTIONS goes everywhere. */
const allowed = (methods: readonly string[]): string =>
  [...methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'].join(', ')
