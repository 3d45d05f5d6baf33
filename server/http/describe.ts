import type { Route } from '#derive/routes.ts'
import { type Config, version } from '../config/config.ts'
import { errorsAddress } from '../pipeline/answer.ts'
import type { BoundDocument } from '../pipeline/bind.ts'
import { type Accepts, type Made, openCoder, openToAll } from './codings.ts'
import { referenceAsset } from './pages.ts'
import type { Sent } from './send.ts'

/** Returns the response for a public document. `base` is the address that the caller used. */
export type Describe = (document: BoundDocument, base: string, accepts: Accepts) => Promise<Sent>

export function openDescribe(config: Config, all: () => readonly Route[]): Describe {
  const coded = openCoder()
  return (document, base, accepts) => coded(describe(config, all(), document, base), accepts)
}

/** Builds the public documents from the served routes, for every request. Spec, What the service does 6. */
function describe({ publicUrl }: Config, all: readonly Route[], { route, make }: BoundDocument, base: string): Made {
  const about = { base, version, errorsPage: errorsAddress(publicUrl) }
  const { body, headers } = make({ all, about, script: referenceAsset })
  const common = { 'Content-Type': route.type, 'Cache-Control': 'no-cache', ...openToAll }
  return { status: 200, headers: { ...common, ...headers }, body }
}
