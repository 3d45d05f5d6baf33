import { openapi } from '#derive/openapi.ts'
import { postman } from '#derive/postman.ts'
import { referencePage, referencePolicy } from '#derive/reference-page.ts'
import { type Route, routes } from '#derive/routes.ts'
import { registry } from '#registry/records/index.ts'
import type { Config } from '../config.ts'
import { version } from '../version.ts'
import { errorsAddress } from '../walk/answer.ts'
import type { Reply } from '../walk/call.ts'
import { referenceAsset } from './pages.ts'

/** The public documents, made anew for every request from the routes that are served. Spec, What the service does 6. */
export function describe({ publicUrl }: Config, route: Route, base: string): Reply {
  const about = { base, version, errorsPage: errorsAddress(publicUrl) }
  switch (route.id) {
    case 'openapi':
      return document(route, JSON.stringify(openapi(routes(registry), about)))
    case 'postman':
      return document(route, JSON.stringify(postman(routes(registry), about)))
    case 'docs':
      return document(route, referencePage({ ...about, asset: referenceAsset }), {
        'Content-Security-Policy': referencePolicy,
      })
    default:
      throw new Error(`${route.id} is no public document`)
  }
}

function document(route: Route, body: string, headers: { [name: string]: string } = {}): Reply {
  const type = 'type' in route ? route.type : 'text/plain'
  return { status: 200, headers: { 'Content-Type': type, 'Cache-Control': 'no-cache', ...headers }, body }
}
