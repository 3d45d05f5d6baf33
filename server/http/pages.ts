import { join } from 'node:path'
import { errorsPage } from '#derive/errors-page.ts'
import type { Route } from '#derive/routes.ts'
import { Refusal } from '#registry/refusals.ts'
import { type Config, version } from '../config/config.ts'
import type { BoundDocument } from '../pipeline/bind.ts'
import type { ApiResponse } from '../pipeline/call.ts'
import { errorsAddress, jsonType, refusalResponse, replyOf } from '../pipeline/response.ts'
import type { App, Stage } from './app.ts'
import { type AcceptHeaders, builtFile, openCoder, openToAll, type TextResponse } from './codings.ts'
import type { HttpResponse } from './send.ts'

/** Pages that need no token and belong to no route of the registry: health, metrics, the errors page, assets. */
export type Pages = { readonly [path: string]: Page }
type Page = {
  answer: (asked: { accepts: AcceptHeaders }) => Promise<HttpResponse> | HttpResponse
  /** True if the page is served without a slot. */
  isHealth?: true
  /** True if it takes turns with the public documents. */
  isDocument?: true
  /** True if pages of other sites may load it. */
  isPublic?: true
}

/** The path of the reference page's script. */
const referenceAsset = '/v1/docs/scalar.js'

/** Returns the pages beside the registry's routes, for operators and browsers. */
export function createPages(app: App, stage: Stage): Pages {
  const coded = openCoder()
  const errors: TextResponse = {
    status: 200,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-cache',
      'Content-Security-Policy': plainPagePolicy,
      ...openToAll,
    },
    body: errorsPage(),
  }
  return {
    '/healthz': { isHealth: true, answer: () => json(200, { status: 'ok' }) },
    '/readyz': { isHealth: true, answer: () => checkReadiness(app, stage) },
    ...(app.config.metricsAddress === null ? { [metricsPath]: { isDocument: true, answer: metricsPage(app) } } : {}),
    '/docs/errors': { isDocument: true, isPublic: true, answer: ({ accepts }) => coded(errors, accepts) },
    [referenceAsset]: { isPublic: true, answer: ({ accepts }) => referenceScript(accepts) },
  }
}

export const metricsPath = '/metrics'

export const metricsPage =
  ({ metrics }: Pick<App, 'metrics'>): Page['answer'] =>
  async () => ({ status: 200, headers: { 'Content-Type': metrics.contentType }, body: await metrics.text() })

const builtScript = join(import.meta.dirname, '../../console/dist/scalar.js')

/** The console's build contains the script. A start that could build neither has logged it. */
async function referenceScript(accepts: AcceptHeaders): Promise<HttpResponse> {
  const headers = {
    'Content-Type': 'text/javascript; charset=utf-8',
    'Cache-Control': 'max-age=86400',
    ...openToAll,
  }
  const found = await builtFile(builtScript, headers, accepts)
  if (!found) throw new Refusal('not_found')
  return found
}

const plainPagePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'"

/** Returns 200 if the database answers and the process is not about to stop. */
async function checkReadiness({ database, config, log, room }: App, stage: Stage): Promise<ApiResponse> {
  try {
    if (stage.is !== 'serving') throw new Error('the process is stopping')
    await database.answers()
    // Still ready: a balancer that removed the process would stop the reads too.
    return json(200, { status: 'ready', ...(room.isShort ? { writes: 'refused', why: 'disk' } : {}) })
  } catch (error) {
    log.warn({ error }, 'not ready')
    const refusal = new Refusal('unavailable', { headers: { 'Retry-After': '1' } })
    return replyOf(refusalResponse(refusal, crypto.randomUUID(), config.publicUrl))
  }
}

const json = (status: number, value: object): ApiResponse => ({
  status,
  headers: { 'Content-Type': jsonType, 'Cache-Control': 'no-store' },
  body: JSON.stringify(value),
})

/** Returns the response for a public document. `base` is the address that the caller used. */
export type DocumentResponder = (document: BoundDocument, base: string, accepts: AcceptHeaders) => Promise<HttpResponse>

/** Builds the public documents from the served routes, for every request. Spec, What the service does 6. */
export function openDescribe({ publicUrl }: Config, all: () => readonly Route[]): DocumentResponder {
  const coded = openCoder()
  return ({ route, make }, base, accepts) => {
    const about = { base, version, errorsPage: errorsAddress(publicUrl) }
    const { body, headers } = make({ all: all(), about, script: referenceAsset })
    const common = { 'Content-Type': route.type, 'Cache-Control': 'no-cache', ...openToAll }
    return coded({ status: 200, headers: { ...common, ...headers }, body }, accepts)
  }
}
