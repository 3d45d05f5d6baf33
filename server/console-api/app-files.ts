import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { htmlPage } from '#derive/html.ts'
import { Refusal } from '#registry/refusals.ts'
import { type AcceptHeaders, builtFile } from '../http/codings.ts'
import type { HttpResponse } from '../http/send.ts'
import { type Limit, waitWithin } from '../wait/wait.ts'
import { contentPolicy } from './response.ts'

/** The folder with the build of the console. */
export const builtConsole = join(import.meta.dirname, '../../console/dist')

export type AppFiles = (
  path: string,
  method: string,
  headers: AcceptHeaders & { accept?: string | undefined },
) => Promise<HttpResponse>

/**
 * Serves the app's files. Those under /assets have a hash of their content in their names, and are cached for a year.
 * Every other path that a browser requests as a page is the app itself, which has its own router.
 */
export const openAppFiles =
  (folder: string): AppFiles =>
  (path, method, headers) =>
    waitWithin(fileLimit, answerFile(folder, path, method, headers))

/** Longer than a busy disk takes for a small file. */
const fileLimit: Limit = { ms: 10_000, of: 'a file of the web interface' }

async function answerFile(folder: string, ...[path, method, headers]: Parameters<AppFiles>): Promise<HttpResponse> {
  if (method === 'GET') {
    if (path === '/' || path === '/index.html') return page(folder)
    const file = isName(path) && (await builtFile(join(folder, path), headersOf(path), headers))
    if (file) return file
    if (!/^\/(console|assets)\//.test(path) && (headers.accept ?? '').includes('text/html')) return page(folder)
  }
  throw new Refusal('not_found')
}

/** Returns whether a path is like a file of the build. No part begins with a dot, so none leads out of the folder. */
const isName = (path: string): boolean => /^(\/[\w-][\w.-]*)+$/.test(path)

const headersOf = (path: string): HttpResponse['headers'] => ({
  'Content-Type': types[extname(path)] ?? 'application/octet-stream',
  'Cache-Control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
})

/** Media types of the files of a build. */
const types: { readonly [ending: string]: string } = {
  '.css': 'text/css; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}

async function page(folder: string): Promise<HttpResponse> {
  const nonce = randomBytes(16).toString('base64')
  return {
    status: 200,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-cache',
      'Content-Security-Policy': contentPolicy(nonce),
    },
    body: (await indexOf(folder)).replaceAll('__CSP_NONCE__', nonce),
  }
}

async function indexOf(folder: string): Promise<string> {
  try {
    return await readFile(join(folder, 'index.html'), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return notBuilt
    throw error
  }
}

const notBuilt = htmlPage(
  'Plumbline',
  '',
  `<main>
<h1>The web interface is not built yet</h1>
<p>The service itself runs: the API is at <a href="/v1/docs">/v1/docs</a>.</p>
<p>Build the web interface in the folder of Plumbline with <code>npx vite build</code>, then reload this page.</p>
</main>
`,
)
