import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createSocketServer } from 'node:net'
import { join } from 'node:path'
import { createServer } from 'vite'
import { findDatabase } from '#server/app.ts'
import { readEnvironment } from '#server/commands/run.ts'
import { readConfig } from '#server/config/config.ts'

/**
 * `npm run dev` runs the service and the web interface from their sources, at one address. A saved page is shown
 * without a reload. The service restarts after a saved file of its own. DEV_PORT (5173) is the port.
 */
const root = join(import.meta.dirname, '..')
const port = Number(process.env.DEV_PORT ?? 5173)
/** The paths that the service answers instead of the development server. */
const served = '^/(v1|console|metrics|healthz|readyz|llms\\.txt)(/|\\?|$)'

process.chdir(root)
const innerPort = await freePort()
const environment = {
  ...{ PROCESSES: '1', DRAIN_NOTICE_MS: '0', DRAIN_TIMEOUT_MS: '500' },
  // A cache, because compiling the sources is most of a start.
  NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/dev'),
  ...readEnvironment({ environment: process.env, folder: root }),
  ...{ HOST: '127.0.0.1', PORT: `${innerPort}` },
}
// A second user of the bundled PostgreSQL: a restart of the service neither stops nor starts it.
const database = await findDatabase(readConfig(environment), (sentence) => console.error(sentence))
const options = readFileSync(join(root, 'bin/node-options'), 'utf8').trim().split(' ')
const service = spawn(
  process.execPath,
  [...options, '--watch', '--watch-preserve-output', 'server/commands/main.ts', 'serve', '--as-built'],
  { cwd: root, env: environment, stdio: 'inherit' },
)
const pages = await createServer({
  configFile: join(root, 'vite.config.ts'),
  server: {
    host: '127.0.0.1',
    port,
    strictPort: true,
    // `Host` stays as the browser sent it, because the service compares it with `Origin`.
    proxy: { [served]: { target: `http://127.0.0.1:${innerPort}`, changeOrigin: false } },
  },
})
await pages.listen()
await untilReady(`http://127.0.0.1:${innerPort}/readyz`)
console.log(`Plumbline from its sources: ${pages.resolvedUrls?.local[0]}`)

const stop = async (): Promise<void> => {
  service.kill('SIGTERM')
  await Promise.all([service.exitCode === null && once(service, 'exit'), pages.close()])
  await database.leave()
  process.exit()
}
process.once('SIGINT', stop)
process.once('SIGTERM', stop)

async function freePort(): Promise<number> {
  const server = createSocketServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

async function untilReady(url: string): Promise<void> {
  while (service.exitCode === null) {
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
