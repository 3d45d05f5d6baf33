import type { Route } from '#derive/routes.ts'
import { type Config, version } from '../config/config.ts'
import type { BoundDocument } from '../pipeline/bind.ts'
import { errorsAddress } from '../pipeline/stored-response.ts'
import { type AcceptHeaders, openCoder, openToAll, type TextResponse } from './codings.ts'
import { referenceAsset } from './pages.ts'
import type { HttpResponse } from './send.ts'

/** Returns the response for a public document. `base` is the address that the caller used. */
export type DocumentResponder = (document: BoundDocument, base: string, accepts: AcceptHeaders) => Promise<HttpResponse>

export function openDescribe(config: Config, all: () => readonly Route[]): DocumentResponder {
  const coded = openCoder()
  return (document, base, accepts) => coded(describe(config, all(), document, base), accepts)
}

/** Builds the public documents from the served routes, for every request. Spec, What the service does 6. */
function describe(
  { publicUrl }: Config,
  all: readonly Route[],
  { route, make }: BoundDocument,
  base: string,
): TextResponse {
  const about = { base, version, errorsPage: errorsAddress(publicUrl) }
  const { body, headers } = make({ all, about, script: referenceAsset })
  const common = { 'Content-Type': route.type, 'Cache-Control': 'no-cache', ...openToAll }
  return { status: 200, headers: { ...common, ...headers }, body }
}
