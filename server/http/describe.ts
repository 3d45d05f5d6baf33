import { jsonBytes } from '#derive/json-bytes.ts'
import { openapi } from '#derive/openapi.ts'
import { postman } from '#derive/postman.ts'
import { referencePage, referencePolicy } from '#derive/reference-page.ts'
import type { Route } from '#derive/routes.ts'
import { type Config, version } from '../config/config.ts'
import { errorsAddress } from '../walk/answer.ts'
import { type Accepts, type Made, openCoder, openToAll } from './codings.ts'
import { referenceAsset } from './pages.ts'
import type { Sent } from './send.ts'

/** Answers for a public document. `base` is the address that the caller used. */
export type Describe = (route: Route, base: string, accepts: Accepts) => Promise<Sent>

export function openDescribe(config: Config, all: () => readonly Route[]): Describe {
  const coded = openCoder()
  return (route, base, accepts) => coded(describe(config, all(), route, base), accepts)
}

/** The public documents, made anew for every request from the routes that are served. Spec, What the service does 6. */
function describe({ publicUrl }: Config, all: readonly Route[], route: Route, base: string): Made {
  const about = { base, version, errorsPage: errorsAddress(publicUrl) }
  switch (route.id) {
    case 'openapi':
      return document(route, Buffer.concat(jsonBytes(openapi(all, about))))
    case 'postman':
      return document(route, Buffer.concat(jsonBytes(postman(all, about))))
    case 'docs':
      return document(route, referencePage({ ...about, asset: referenceAsset }), {
        'Content-Security-Policy': referencePolicy,
      })
    default:
      throw new Error(`${route.id} is no public document`)
  }
}

function document(route: Route, body: string | Buffer, headers: { [name: string]: string } = {}): Made {
  const type = 'type' in route ? route.type : 'text/plain'
  return { status: 200, headers: { 'Content-Type': type, 'Cache-Control': 'no-cache', ...openToAll, ...headers }, body }
}
