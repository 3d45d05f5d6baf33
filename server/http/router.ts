import findMyWay from 'find-my-way'
import { bodyTypes } from '#derive/routes.ts'

/** Finds the routes of a path. All methods of a path stand together, for 405 and OPTIONS. */
export type Router<Route> = (path: string) => Place<Route> | undefined

export type Place<Route> = Methods<Route> & { params: { readonly [name: string]: string | undefined } }

type Methods<Route> = {
  byMethod: ReadonlyMap<string, Route>
  allow: string
  /** The headers that answer OPTIONS. */
  options: { readonly [name: string]: string }
}

/** A parameter is as long as a request line can be; Node takes no longer one. */
const maxParamLength = 16 * 1024

/** Of paths with `{name}` where one of several is meant. */
export function makeRouter<Route extends { method: string; path: string }>(routes: readonly Route[]): Router<Route> {
  const router = findMyWay({ maxParamLength })
  // Every path is found as GET, whatever its methods are: a path that lacks one is 405 and no other path.
  for (const [path, ofPath] of Map.groupBy(routes, ({ path }) => path))
    router.on('GET', path.replaceAll(/\{(\w+)\}/g, ':$1'), () => {}, methodsOf(ofPath))
  return (path) => {
    // What is no path of ours, but might be read as one: an absolute address, a fragment.
    const found = path.startsWith('/') && !path.includes('#') ? router.find('GET', path) : null
    if (!found || Object.values(found.params).includes('')) return undefined
    return { ...(found.store as Methods<Route>), params: found.params }
  }
}

function methodsOf<Route extends { method: string }>(routes: readonly Route[]): Methods<Route> {
  const byMethod = new Map(routes.map((route) => [route.method, route]))
  // HEAD goes where GET goes; OPTIONS goes everywhere.
  const methods = [...byMethod.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  const allow = [...methods, 'OPTIONS'].join(', ')
  // RFC 5789 3.1
  const patch = byMethod.has('PATCH') ? { 'Accept-Patch': bodyTypes('update').join(', ') } : {}
  return { byMethod, allow, options: { Allow: allow, ...patch } }
}
