import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Address } from '../config/forms.ts'
import type { App } from './app.ts'
import { splitTarget } from './base.ts'
import { metricsPage, metricsPath } from './pages.ts'
import { listenOn } from './port.ts'

/**
 * Serves /metrics on an address of its own, if METRICS_ADDRESS names one: within the operator's network, unaffected by
 * load on the port of the service. Returns a function that closes it.
 */
export async function listenForMetrics(app: App): Promise<() => Promise<void>> {
  const { metricsAddress } = app.config
  if (metricsAddress === null) return async () => {}
  const show = metricsPage(app)
  const server = createServer(async (request, response) => {
    try {
      await answer(request, response)
    } catch (error) {
      app.log.error({ error }, 'metrics could not be shown')
      response.writeHead(500).end()
    }
  })
  const answer = async ({ method, url = '/' }: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (splitTarget(url)[0] !== metricsPath) return void response.writeHead(404).end()
    if (method !== 'GET' && method !== 'HEAD') return void response.writeHead(405, { Allow: 'GET, HEAD' }).end()
    const { headers, body } = await show({ accepts: {} })
    response.writeHead(200, { ...headers, 'Content-Length': Buffer.byteLength(body as string) })
    response.end(method === 'HEAD' ? undefined : body)
  }
  server.maxConnections = 32
  await waitForPort(server, metricsAddress)
  return async () => {
    server.close()
    server.closeAllConnections()
  }
}

/** The code of the error if the address is not available. Its message has the remedy. */
export const metricsTaken = 'METRICS_ADDRESS'

/** In several processes of one service, node:cluster shares the port between them. */
async function waitForPort(server: Server, { host, port }: Address): Promise<void> {
  try {
    await listenOn(server, { host, port })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const sentence = `METRICS_ADDRESS: ${host}:${port} cannot be listened on (${code ?? message}); name a free port.`
    throw Object.assign(new Error(sentence), { code: metricsTaken })
  }
}
