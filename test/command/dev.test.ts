import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyOfCheckout } from '../stage/checkout.ts'
import { freshDatabase } from '../stage/database.ts'
import { urlOf } from '../stage/process.ts'
import { eventually } from '../stage/wait.ts'
import { createStage, type Stage } from './stage.ts'

/** `npm run dev`, in a copy of the checkout. */

let stage: Stage
let database: Awaited<ReturnType<typeof freshDatabase>>
beforeAll(async () => {
  stage = await createStage()
  database = await freshDatabase()
})
afterAll(async () => {
  await stage.clear()
  await database.drop()
})

test('npm run dev shows a saved page and serves a saved file of the service, at one address', async () => {
  const checkout = await copyOfCheckout(join(stage.folder, 'checkout'))
  const settings = { DATABASE_URL: urlOf(database.connection), DEV_PORT: '0', PLUMBLINE_DEMO: 'on' }
  const dev = stage.start([join(checkout, 'tools/dev.ts')], settings, process.execPath, checkout)
  const shown = await dev.shows('Plumbline from its sources')
  const address = /from its sources: (\S+)\/$/m.exec(shown)?.[1] as string
  const get = async (path: string, headers = {}) => (await fetch(address + path, { headers })).text()

  // The page comes from its sources, and calls go to the service.
  expect(await get('/', { accept: 'text/html' })).toContain('/main.tsx')
  const signIn = /Sign-in +(\S+), password (\S+)/.exec(dev.said.out)
  const session = await fetch(`${address}/console/session`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: address, 'Sec-Fetch-Site': 'same-origin' },
    body: JSON.stringify({ email: signIn?.[1], password: signIn?.[2] }),
  })
  expect(session.status).toBe(200)

  const page = join(checkout, 'console/main.tsx')
  await get('/main.tsx')
  const token = /wsToken = "([^"]+)"/.exec(await get('/@vite/client'))?.[1]
  const socket = new WebSocket(`${address.replace('http', 'ws')}/?token=${token}`, 'vite-hmr')
  const told = new Promise<string>((resolve) => {
    socket.onmessage = ({ data }) => /update|full-reload/.test(data) && resolve(data)
  })
  await new Promise((resolve) => {
    socket.onopen = resolve
  })
  await writeFile(page, `${await readFile(page, 'utf8')}\n// Saved.\n`)
  expect(await told).toContain('main.tsx')
  socket.close()

  const file = join(checkout, 'server/log.ts')
  await writeFile(file, `${await readFile(file, 'utf8')}\nprocess.stdout.write('The saved file runs.\\n')\n`)
  await dev.shows('The saved file runs.')
  await eventually(async () => expect((await fetch(`${address}/readyz`)).status).toBe(200))

  dev.child.kill('SIGINT')
  expect((await dev.ended).code).toBe(0)
})
