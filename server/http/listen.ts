import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import { isIP, Server as NetServer, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { headerBytesMax } from '#registry/limits.ts'
import { Refusal } from '#registry/refusals.ts'
import type { Config } from '../config/config.ts'
import { refusalResponse, replyOf } from '../pipeline/response.ts'
import { atMost, waitFor } from '../wait/wait.ts'
import type { App, Stage } from './app.ts'
import { hostOrigin } from './base.ts'
import type { Connections } from './connections.ts'
import { openPort } from './port.ts'
import { contentPolicy } from './send.ts'

export type ListeningServer = {
  /** The address to call, with the port that was taken. */
  url: string
  /**
   * Answers accepted requests, refuses new ones, and returns after the last response or the time limit. No connection
   * is closed before `allClosed` resolves: if several processes share the port, all have to close it first.
   */
  drain(allClosed?: () => Promise<void>): Promise<void>
}

const keepAliveTimeout = 65_000
/** Milliseconds that a caller's next request may take to arrive on a connection that is about to close. */
const farewellMilliseconds = 300

export type Answerer = (request: IncomingMessage, response: ServerResponse) => void

export async function listen(
  app: App,
  answer: Answerer,
  stage: Stage,
  connections: Connections,
): Promise<ListeningServer> {
  const { config } = app
  const { port, servers } = await openPort(config, () => serverOf(app, answer, connections))
  const host = config.host.includes(':') ? `[${config.host}]` : config.host
  return {
    url: `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`,
    drain: async (allClosed = async () => {}) => {
      stage.is = 'leaving'
      // Gives a balancer time to see /readyz fail, while every request is still answered.
      await setTimeout(config.drainNotice, undefined, { ref: false })
      const until = performance.now() + config.drainTimeout
      const left = (): number => Math.max(0, until - performance.now())
      const closed = Promise.all(servers.map(closePort))
      await atMost(left(), allClosed())
      stage.is = 'closing'
      await atMost(Math.min(farewellMilliseconds, left()), closed)
      for (const server of servers) server.closeIdleConnections()
      await atMost(left(), closed)
      for (const server of servers) server.closeAllConnections()
    },
  }
}

/** An HTTP server that listens nowhere yet. */
function serverOf(app: App, answer: Answerer, connections: Connections): Server {
  const { headersTimeout, requestTimeout } = app.config
  const server = createServer(
    {
      headersTimeout,
      requestTimeout,
      keepAliveTimeout,
      maxHeaderSize: headerBytesMax,
      connectionsCheckingInterval: 500,
      requireHostHeader: false,
    },
    answer,
  )
  // Otherwise all requests of thousands of new connections would be read before those of others.
  Object.assign(server, { pauseOnConnect: true })
  server.on('connection', (socket: Socket) => {
    connections.accept(socket)
    connections.firstTurn(socket).then(() => socket.resume())
  })
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    // 100 Continue is sent when the body is first read, which happens only if nothing refuses the request.
    request.once('resume', () => {
      if (response.headersSent) return
      delete request.headers.expect
      response.writeContinue()
    })
    answer(request, response)
  })
  server.on('checkExpectation', answer)
  server.on('clientError', (error: ClientError, socket: Socket) => refuseUnreadable(app, error, socket))
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    // Node reads no further, so it would not see the other side close.
    socket.resume().setTimeout(headersTimeout, () => socket.destroy())
    refuseAtSocket(app, new Refusal('not_implemented'), { socket, cause: 'CONNECT' })
  })
  return server
}

/** Closes only the listener: closing a server cuts idle connections, and requests on their way over one. */
const closePort = (server: Server): Promise<void> =>
  waitFor('the caller’s connection', (resolve) => void NetServer.prototype.close.call(server, () => resolve()))

/** `rawPacket` has the parser's input; Node's timeouts have none. */
type ClientError = NodeJS.ErrnoException & { rawPacket?: Buffer }

/** Sends a problem for requests that the parser refuses, and closes the connection, as RFC 9112 asks. */
function refuseUnreadable(app: App, error: ClientError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  refuseAtSocket(app, refusalOf(error), { socket, cause: error.code })
}

function refusalOf({ code, rawPacket }: ClientError): Refusal {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Refusal('request_timeout')
  if (code === 'HPE_HEADER_OVERFLOW') return new Refusal('headers_too_large')
  // A TLS handshake on this port fails with the same code.
  if (code === 'HPE_INVALID_METHOD' && requestLine.test(rawPacket?.toString('latin1') ?? ''))
    return new Refusal('not_implemented')
  return new Refusal('invalid_header', code?.startsWith('HPE_') ? { detail: 'The request is not valid HTTP/1.1.' } : {})
}

/** A method as in RFC 9110 9.1, a target and the version. */
const requestLine = /^[\w!#$%&'*+.^`|~-]+ [!-~\x80-\xff]+ HTTP\/1\.\d\r?\n/

/** Sends a refusal over a connection without a response of Node's, and closes it. */
function refuseAtSocket(
  { config, log }: App,
  refusal: Refusal,
  { socket, cause }: { socket: Socket; cause: string | undefined },
): void {
  const requestId = crypto.randomUUID()
  // Hanging up in the middle of a request is no refusal.
  const level = cause === 'HPE_INVALID_EOF_STATE' ? 'debug' : 'info'
  log[level]({ request_id: requestId, code: refusal.code, cause }, 'refused')
  const { status, headers, body } = replyOf(refusalResponse(refusal, requestId, config.publicUrl))
  const lines = Object.entries({
    ...contentPolicy,
    ...headers,
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Request-Id': requestId,
    'X-Content-Type-Options': 'nosniff',
    Connection: 'close',
  })
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  )
}

const hstsSeconds = 365 * 24 * 3600

/**
 * Adds Strict-Transport-Security (RFC 6797) to every response under the name with TLS. Not for requests that arrive
 * otherwise, and never for localhost or an address, which other services may share.
 */
export function openHsts({ publicUrl }: Pick<Config, 'publicUrl'>) {
  if (publicUrl === null || !hasOwnNameOverTls(new URL(publicUrl))) return () => undefined
  return ({ headers }: IncomingMessage, response: ServerResponse): void => {
    if (hostOrigin('https:', headers.host) === publicUrl)
      response.setHeader('Strict-Transport-Security', `max-age=${hstsSeconds}`)
  }
}

const hasOwnNameOverTls = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' && isIP(hostname.replace(/^\[|\]$/g, '')) === 0 && !/(^|\.)localhost$/.test(hostname)
