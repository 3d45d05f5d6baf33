import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

const workflow = parse(readFileSync(join(import.meta.dirname, '../../.github/workflows/ci.yml'), 'utf8'))

test('The workflow runs .ci/run and nothing else, may read alone, and pins its actions by commit.', () => {
  expect(workflow.permissions).toEqual({ contents: 'read' })
  const jobs = Object.values<{ permissions?: object; container: string; steps: { run?: string; uses?: string }[] }>(
    workflow.jobs,
  )
  expect(jobs.map(({ permissions }) => permissions)).toEqual(jobs.map(() => undefined))
  const steps = jobs.flatMap(({ steps }) => steps)
  expect(steps.flatMap(({ run }) => run ?? [])).toEqual(['bash .ci/run'])
  const actions = steps.flatMap(({ uses }) => uses ?? [])
  expect(actions.length).toBeGreaterThan(0)
  for (const action of actions) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/)
})
