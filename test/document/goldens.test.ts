import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { errorsPage } from '#derive/errors-page.ts'
import { openapi } from '#derive/openapi.ts'
import { postman } from '#derive/postman.ts'
import { referencePage } from '#derive/reference-page.ts'
import { routesTable } from '#derive/routes-table.ts'
import { errorsMarkdown } from './errors-markdown.ts'
import { expectGolden, pretty } from './golden.ts'
import { about, served } from './registries.ts'

test.each<[path: string, text: () => string]>([
  ['test/goldens/openapi.json', () => pretty(openapi(served, about))],
  ['test/goldens/postman.json', () => pretty(postman(served, about))],
  ['test/goldens/reference.html', () => referencePage({ ...about, asset: '/v1/docs/scalar.js' })],
  ['test/goldens/errors.html', () => errorsPage()],
  ['test/goldens/routes.txt', () => routesTable(served)],
  ['docs/errors.md', () => errorsMarkdown()],
])('%s is what is derived', (path, text) => {
  expectGolden(path, text())
})

test('The OpenAPI document keeps every rule of redocly.yaml', async () => {
  const root = new URL('../..', import.meta.url)
  const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const lint = ['node_modules/.bin/redocly', 'lint', 'test/goldens/openapi.json', '--format=json']
  const { stdout } = await promisify(execFile)(process.execPath, lint, {
    cwd: root,
    env: { ...process.env, ...quiet },
  }).catch((failed: { stdout: string }) => failed)
  const { totals, problems } = JSON.parse(stdout)
  expect(problems).toEqual([])
  expect(totals).toMatchObject({ errors: 0, warnings: 0 })
})
