import { expect } from 'vitest'
import type { OpenApp } from '#server/app.ts'
import { clusterFacts } from '#server/store/cluster-facts.ts'
import { eventually } from '../stage/wait.ts'

/** Waits until all that was written before a moment is in the archive. */
export const untilArchived = ({ connection }: Pick<OpenApp, 'connection'>, moment: Date): Promise<void> =>
  eventually(async () => {
    const { archivedAt } = await clusterFacts(connection)
    expect(Number(archivedAt)).toBeGreaterThan(Number(moment))
  })
