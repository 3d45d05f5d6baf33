import { readFileSync } from 'node:fs'
import { errorsPage } from '#derive/errors-page.ts'
import { Refusal } from '#registry/refusals.ts'
import { jsonType, refusalAnswer, replyOf } from '../walk/answer.ts'
import type { Reply } from '../walk/call.ts'
import type { World } from '../world.ts'
import type { Page, Pages, Stage } from './door.ts'

/** Where the reference page finds its script. */
export const referenceAsset = '/v1/docs/scalar.js'

/** What is served beside the routes of the registry, to operators and browsers. */
export function makePages(world: World, stage: Stage): Pages {
  return {
    '/healthz': () => json(200, { status: 'ok' }),
    '/readyz': () => ready(world, stage),
    '/metrics': async () => ({
      status: 200,
      headers: { 'Content-Type': world.metrics.contentType },
      body: await world.metrics.text(),
    }),
    '/docs/errors': () => ({
      status: 200,
      headers: {
        'Content-Type': 'text/html; charset=utf-8',
        'Cache-Control': 'no-cache',
        'Content-Security-Policy': plainPagePolicy,
      },
      body: errorsPage(),
    }),
    [referenceAsset]: scriptPage(new URL('browser/standalone.js', import.meta.resolve('@scalar/api-reference'))),
  }
}

const plainPagePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'"

/** Ready: the database answers and the process is not about to stop. */
async function ready({ database, config, log }: World, stage: Stage): Promise<Reply> {
  try {
    if (stage.is !== 'serving') throw new Error('the process is stopping')
    await database.read({ text: 'select 1', values: [] })
    return json(200, { status: 'ready' })
  } catch (error) {
    log.warn({ error }, 'not ready')
    const refusal = new Refusal('unavailable', { headers: { 'Retry-After': '1' } })
    return replyOf(refusalAnswer(refusal, crypto.randomUUID(), config.publicUrl))
  }
}

const json = (status: number, value: object): Reply => ({
  status,
  headers: { 'Content-Type': jsonType, 'Cache-Control': 'no-store' },
  body: JSON.stringify(value),
})

/** A script out of a package; read once, when it is first asked for. */
function scriptPage(file: URL): Page {
  let body: string | undefined
  return () => {
    body ??= readFileSync(file, 'utf8')
    return {
      status: 200,
      headers: { 'Content-Type': 'text/javascript; charset=utf-8', 'Cache-Control': 'max-age=86400' },
      body,
    }
  }
}
