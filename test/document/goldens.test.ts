import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { errorsPage } from '#derive/errors-page.ts'
import { openapi } from '#derive/openapi.ts'
import { postman } from '#derive/postman.ts'
import { referencePage } from '#derive/reference-page.ts'
import { routesTable } from '../../tools/routes-table.ts'
import { condensedOpenapi, condensedPostman } from './condensed.ts'
import { errorsMarkdown } from './errors-markdown.ts'
import { about, served } from './registries.ts'

const root = join(import.meta.dirname, '../..')

const goldenOpenapi = (): string => yaml(condensedOpenapi(openapi(served, about)))
const goldenPostman = (): string => yaml(condensedPostman(postman(served, about)))

test.each<[path: string, text: () => string]>([
  ['test/goldens/openapi.yaml', goldenOpenapi],
  ['test/goldens/postman.yaml', goldenPostman],
  ['test/goldens/reference.html', () => referencePage({ ...about, asset: '/v1/docs/scalar.js' })],
  ['test/goldens/errors.html', () => errorsPage()],
  ['test/goldens/routes.txt', () => routesTable(served)],
  ['docs/errors.md', () => errorsMarkdown()],
])('%s is what is derived', async (path, text) => {
  await expect(text()).toMatchFileSnapshot(join(root, path))
})

test('The goldens of the documents are short enough to be reviewed: 300 KiB together.', () => {
  expect(goldenOpenapi().length + goldenPostman().length).toBeLessThan(300 * 1024)
})

test('The OpenAPI document keeps every rule of redocly.yaml', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-lint-'))
  const file = join(folder, 'openapi.json')
  await writeFile(file, JSON.stringify(openapi(served, about)))
  const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const lint = ['node_modules/.bin/redocly', 'lint', file, '--config', 'redocly.yaml', '--format=json']
  const { stdout } = await promisify(execFile)(process.execPath, lint, {
    cwd: root,
    env: { ...process.env, ...quiet },
  })
    .catch((failed: { stdout: string }) => failed)
    .finally(() => rm(folder, { recursive: true }))
  const { totals, problems } = JSON.parse(stdout)
  expect(problems).toEqual([])
  expect(totals).toMatchObject({ errors: 0, warnings: 0 })
})

/** One line a value, and no quotes or braces. */
function yaml(value: object): string {
  return stringify(value, { lineWidth: 0, indent: 1, indentSeq: false, aliasDuplicateObjects: false })
}
