import { existsSync } from 'node:fs'
import { mkdir, symlink, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pathsOfServer, readLock } from '#server/commands/licences.ts'
import { createStage, type Stage } from '../command/stage.ts'
import { copyOfCheckout } from '../stage/checkout.ts'

/** A checkout as `npm ci --omit=dev` leaves it. */
const root = join(import.meta.dirname, '../..')
let stage: Stage
let checkout: string
beforeAll(async () => {
  stage = await createStage()
  checkout = await copyOfCheckout(join(stage.folder, 'checkout'))
  await unlink(join(checkout, 'node_modules'))
  const paths = pathsOfServer(await readLock())
  // What lies in another package is reached by it.
  for (const path of paths.filter((each) => each.lastIndexOf('node_modules/') === 0 && existsSync(join(root, each)))) {
    await mkdir(dirname(join(checkout, path)), { recursive: true })
    await symlink(join(root, path), join(checkout, path))
  }
})
afterAll(() => stage.clear())

const ready = 'Ctrl-C stops it.'
/** Starts it, looks, and stops it. */
async function whileServing(look: (url: string) => Promise<void>): Promise<string> {
  const server = stage.start(['serve'], { PORT: '0', PLUMBLINE_DEMO: 'off' }, join(checkout, 'bin/plumbline'))
  await look(/ready at (http:\S+)\n/.exec(await server.shows(ready))![1] as string)
  server.child.kill('SIGTERM')
  const { code, err } = await server.ended
  expect(code).toBe(0)
  return err
}

test('A server without what only builds serves the API, and says how to get its pages where they are not built.', async () => {
  const said = await whileServing(async (url) => {
    expect((await fetch(`${url}/v1/openapi.json`)).status).toBe(200)
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    expect((await fetch(`${url}/v1/docs/scalar.js`)).status).toBe(404)
  })
  expect(said).toContain(
    `The packages that build it are not installed: run \\"npm ci && npm run build\\" in ${checkout}, or copy the folder console/dist`,
  )
})

test('With pages that were built from the same sources it serves them, and says nothing.', async () => {
  await symlink(join(root, 'console/dist'), join(checkout, 'console/dist'))
  const said = await whileServing(async (url) => {
    for (const path of ['/', '/v1/docs', '/v1/docs/scalar.js', '/licences.txt'])
      expect((await fetch(`${url}${path}`, { headers: { Accept: 'text/html' } })).status, path).toBe(200)
  })
  expect(said).not.toContain('not installed')
})
