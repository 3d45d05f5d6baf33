import { archivingOfNodes, type NodeArchiverRow, nodeTimeouts } from '#sql/citus/archiving.ts'
import { type ArchiverRow, type ClusterRow, clusterRow } from '#sql/cluster.ts'
import type { Limit } from '../wait/wait.ts'
import { factsLimit, withClient } from './connect.ts'
import type { Connection } from './database.ts'

export type ClusterFacts = Awaited<ReturnType<typeof clusterFacts>>

export const clusterFacts = (connection: Connection) =>
  withClient(connection, factsLimit, async (client) => {
    const { rows } = await client.query<ClusterRow>(clusterRow())
    const row = rows[0] as ClusterRow
    return {
      ...archivingOf(row),
      /** Set when the cluster is created; copies keep it. */
      systemId: row.system_id,
      walLevel: row.wal_level,
      /** Citus keeps companies on several nodes: a copy of this server alone has none of them. */
      distributed: row.distributed,
      /** Bytes of changes that are not archived yet; null if the last archived file is no part of the log. */
      behindBytes: row.behind === null ? null : Number(row.behind),
    }
  })

/** A node of a distributed database; `archiving` is the reason, as text, if the node did not answer. */
export type NodeFacts = { name: string; archiving: ReturnType<typeof archivingOf> | string }

/** Reads the archiving facts of every node of a distributed database, the coordinator first. */
export const readNodes = (connection: Connection): Promise<NodeFacts[]> =>
  withClient(connection, nodesLimit, async (client) => {
    await client.query(nodeTimeouts(nodeTimeoutMs))
    const { rows } = await client.query<NodeArchiverRow>(archivingOfNodes())
    return rows.map(({ name, answered, answer }) => ({
      name,
      archiving: answered ? archivingOf(JSON.parse(answer) as ArchiverRow) : answer,
    }))
  })

const nodeTimeoutMs = 5000
const nodesLimit: Limit = { ms: 60_000, of: 'an answer of all nodes' }

function archivingOf({ archives, archived_at, failed_segment, failed_at }: ArchiverRow) {
  return {
    archives,
    archivedAt: archived_at === null ? null : new Date(archived_at),
    /** The last segment that could not be archived, and since when; null if one was archived since. */
    failing:
      !archives || failed_segment === null || failed_at === null
        ? null
        : { segment: failed_segment, at: new Date(failed_at) },
  }
}
