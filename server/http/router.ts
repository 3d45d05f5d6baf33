import findMyWay from 'find-my-way'
import { colonPath } from '#derive/routes.ts'
import type { Bound } from '../walk/bind.ts'
import type { PathParams } from '../walk/call.ts'

/** Finds what is bound to a path. All methods of a path stand together, for 405 and OPTIONS. */
export type Router = (path: string) => (Place & { params: PathParams }) | undefined

export type Place = { byMethod: ReadonlyMap<string, Bound>; allow: string; options: Options }

/** The headers that answer OPTIONS. */
type Options = { readonly [name: string]: string }

/** A parameter is as long as a request line can be; Node takes no longer one. */
const maxParamLength = 16 * 1024

export function makeRouter(all: readonly Bound[]): Router {
  const router = findMyWay({ maxParamLength })
  // Every path is found as GET, whatever its methods are: a path that lacks one is 405 and no other path.
  for (const [path, bound] of Map.groupBy(all, ({ route }) => route.path))
    router.on('GET', colonPath(path), () => {}, placeOf(path, bound))
  return (path) => {
    // What is no path of ours, but might be read as one: an absolute address, a fragment.
    const found = path.startsWith('/') && !path.includes('#') ? router.find('GET', path) : null
    if (!found || Object.values(found.params).includes('')) return undefined
    return { ...(found.store as Place), params: found.params }
  }
}

function placeOf(path: string, bound: readonly Bound[]): Place {
  const byMethod = new Map(bound.map((each) => [each.route.method as string, each]))
  if (byMethod.size < bound.length) throw new Error(`${path} has two operations with one method`)
  // HEAD goes where GET goes; OPTIONS goes everywhere.
  const methods = [...byMethod.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  const allow = [...methods, 'OPTIONS'].join(', ')
  // RFC 5789 3.1
  const patch = byMethod.get('PATCH')?.route
  const accepted = patch && 'body' in patch && patch.body ? { 'Accept-Patch': patch.body.types.join(', ') } : {}
  return { byMethod, allow, options: { Allow: allow, ...accepted } }
}
