import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import files from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '#registry/refusals.ts'
import { contentPolicy, securityHeaders } from './security-headers.ts'

/** Where the build of the web interface lies. */
export const builtConsole = join(import.meta.dirname, '../../console/dist')

/**
 * The app's files. Those under /assets carry a hash of their content in their name and are kept for a year; every other
 * path that a browser asks for as a page is the app itself, which knows its own paths.
 */
export async function serveApp(app: FastifyInstance, folder: string): Promise<void> {
  const page = async (_request: FastifyRequest, reply: FastifyReply) => {
    const nonce = randomBytes(16).toString('base64')
    reply.helmet({ ...securityHeaders, contentSecurityPolicy: contentPolicy(nonce) })
    reply.headers({ 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-cache' })
    return reply.send((await indexOf(folder)).replaceAll('__CSP_NONCE__', nonce))
  }
  app.get('/', page)
  app.get('/index.html', page)
  await app.register(files, {
    root: folder,
    serve: false,
    index: false,
    // A build may come after the start.
    suppressWarning: true,
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply, path) => {
      const kept = path.startsWith(join(folder, 'assets'))
      reply.header('Cache-Control', kept ? 'public, max-age=31536000, immutable' : 'no-cache')
    },
  })
  app.get('/*', (request, reply) => {
    const path = pathOf(request)
    // No file has such a name; the library takes it for a mistake of ours.
    return path === undefined || path.endsWith('/') || path.includes('\0') ? reply.callNotFound() : reply.sendFile(path)
  })
  app.setNotFoundHandler((request, reply) => {
    if (isPage(request)) return page(request, reply)
    throw new Refusal('not_found')
  })
}

/** Undefined where it cannot be decoded. */
function pathOf({ url }: FastifyRequest): string | undefined {
  try {
    return decodeURIComponent(url.split('?', 1)[0] as string)
  } catch {
    return undefined
  }
}

const isPage = ({ method, url, headers: { accept } }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && !/^\/(console|assets)\//.test(url) && (accept ?? '').includes('text/html')

async function indexOf(folder: string): Promise<string> {
  try {
    return await readFile(join(folder, 'index.html'), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return notBuilt
    throw error
  }
}

const notBuilt = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Plumbline</title>
</head>
<body>
<main>
<h1>The web interface is not built yet</h1>
<p>The service itself runs: the API is at <a href="/v1/docs">/v1/docs</a>.</p>
<p>Build the web interface in the folder of Plumbline with <code>npx vite build</code>, then reload this page.</p>
</main>
</body>
</html>
`
