import findMyWay from 'find-my-way'
import { colonPath } from '#derive/routes.ts'
import { headerBytesMax } from '#registry/limits.ts'
import type { RouteAddress } from '../pipeline/bind.ts'
import type { PathParams } from '../pipeline/call.ts'

/** Finds what is at a path. All methods of a path stand together, for 405 and OPTIONS. */
export type Router<Placed> = (path: string) => RouteMatch<Placed> | undefined

export type RouteMatch<Placed> = Methods<Placed> & { params: PathParams }

type Methods<Placed> = {
  byMethod: ReadonlyMap<string, Placed>
  allow: string
  /** The headers that answer OPTIONS. */
  options: { readonly [name: string]: string }
}

/** A parameter is as long as a request line can be; Node takes no longer one. */
const maxParamLength = headerBytesMax

/** Of paths with `{name}` where one of several is meant. */
export function createRouter<Placed extends RouteAddress>(all: readonly Placed[]): Router<Placed> {
  const router = findMyWay({ maxParamLength })
  // Every path is found as GET, whatever its methods are: a path that lacks one is 405 and no other path.
  for (const [path, ofPath] of Map.groupBy(all, ({ path }) => path))
    router.on('GET', colonPath(path), () => {}, methodsOf(path, ofPath))
  return (path) => {
    // What is no path of ours, but might be read as one: an absolute address, a fragment.
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
