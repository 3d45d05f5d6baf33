import type { TestProject } from 'vitest/node'
import setup from '../stage/postgres.ts'

/** Without a cluster nothing can be said of one. */
export default function onCluster(project: TestProject) {
  if (!process.env.CITUS_URL)
    throw new Error('set CITUS_URL to the coordinator of a Citus cluster that is for tests alone')
  return setup(project)
}
