import { archivingOfNodes, type NodeArchiverRow, nodeTimeouts } from '#sql/citus/archiving.ts'
import { type ArchiverRow, type ClusterRow, clusterRow } from '#sql/cluster.ts'
import { withClient } from './connect.ts'
import type { Connection } from './database.ts'

export type ArchivingFacts = {
  archives: boolean
  archivedAt: Date | null
  /** The last segment that could not be archived, if none could since; and since when. */
  failing: { segment: string; at: Date } | null
}

/** What a PostgreSQL server says of itself where backups are concerned. */
export type ClusterFacts = ArchivingFacts & {
  /** Drawn when the cluster was made; copies keep it. */
  systemId: string
  walLevel: string
  /** Citus keeps companies on several nodes: a copy of this server alone has none of them. */
  distributed: boolean
  /** Of changes that are not archived yet; null where what was archived last is no part of the log. */
  behindBytes: number | null
}

export const clusterFacts = (connection: Connection): Promise<ClusterFacts> =>
  withClient(connection, async (client) => {
    const { rows } = await client.query<ClusterRow>(clusterRow())
    const row = rows[0] as ClusterRow
    return {
      ...archivingOf(row),
      systemId: row.system_id,
      walLevel: row.wal_level,
      distributed: row.distributed,
      behindBytes: row.behind === null ? null : Number(row.behind),
    }
  })

/** A node of a distributed database; `archiving` is the reason, as text, where the node did not answer. */
export type NodeFacts = { name: string; archiving: ArchivingFacts | string }

/** Asks every node of a distributed database how it archives, the coordinator first. */
export const readNodes = (connection: Connection): Promise<NodeFacts[]> =>
  withClient(connection, async (client) => {
    await client.query(nodeTimeouts(nodeTimeoutMs))
    const { rows } = await client.query<NodeArchiverRow>(archivingOfNodes())
    return rows.map(({ name, answered, answer }) => ({
      name,
      archiving: answered ? archivingOf(JSON.parse(answer) as ArchiverRow) : answer,
    }))
  })

const nodeTimeoutMs = 5000

function archivingOf({ archives, archived_at, failed_segment, failed_at }: ArchiverRow): ArchivingFacts {
  return {
    archives,
    archivedAt: archived_at === null ? null : new Date(archived_at),
    failing:
      !archives || failed_segment === null || failed_at === null
        ? null
        : { segment: failed_segment, at: new Date(failed_at) },
  }
}
