import findMyWay from 'find-my-way'
import { colonPath } from '#derive/routes.ts'
import { headerBytesMax } from '#registry/limits.ts'
import type { RouteAddress } from '../pipeline/bind.ts'
import type { PathParams } from '../pipeline/call.ts'

/** Finds the route of a path. All methods of a path are in one route, for 405 and OPTIONS. */
export type Router<Placed> = (path: string) => RouteMatch<Placed> | undefined

export type RouteMatch<Placed> = Methods<Placed> & { params: PathParams }

type Methods<Placed> = {
  byMethod: ReadonlyMap<string, Placed>
  allow: string
  /** The headers that answer OPTIONS. */
  options: { readonly [name: string]: string }
}

/** A parameter may be as long as the request line, which Node limits to this. */
const maxParamLength = headerBytesMax

/** Creates a router of paths with parameters as `{name}`. */
export function createRouter<Placed extends RouteAddress>(all: readonly Placed[]): Router<Placed> {
  const router = findMyWay({ maxParamLength })
  // Every path is registered as GET, whatever its methods are: a known path without a method is 405, not 404.
  for (const [path, ofPath] of Map.groupBy(all, ({ path }) => path))
    router.on('GET', colonPath(path), () => {}, methodsOf(path, ofPath))
  return (path) => {
    // An absolute address or a fragment is no path, though the router could take it for one.
    const found = path.startsWith('/') && !path.includes('#') ? router.find('GET', path) : null
    if (!found || Object.values(found.params).includes('')) return undefined
    return { ...(found.store as Methods<Placed>), params: found.params }
  }
}

/** Returns the header Allow of these methods: HEAD goes where GET goes, OPTIONS everywhere. */
export const allowOf = (methods: Iterable<string>): string =>
  [...[...new Set(methods)].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'].join(', ')

function methodsOf<Placed extends RouteAddress>(path: string, all: readonly Placed[]): Methods<Placed> {
  const byMethod = new Map(all.map((each) => [each.method, each]))
  if (byMethod.size < all.length) throw new Error(`${path} has two operations with one method`)
  const allow = allowOf(byMethod.keys())
  // RFC 5789 3.1
  const types = byMethod.get('PATCH')?.accepts ?? []
  const patch = types.length > 0 ? { 'Accept-Patch': types.join(', ') } : {}
  return { byMethod, allow, options: { Allow: allow, ...patch } }
}
