import { inLine } from '#derive/format-printable.ts'
import type { NodeFacts } from '../store/cluster-facts.ts'

/** How the nodes of a distributed database archive, as one sentence; `isFailing` where a node tries and cannot. */
export type NodesArchiving = { all: boolean; isFailing: boolean; says: string }

export function judgeNodes(nodes: readonly NodeFacts[]): NodesArchiving {
  const lacking = nodes.flatMap((node) => formatLack(node) ?? [])
  if (lacking.length > 0)
    return {
      all: false,
      isFailing: nodes.some(({ archiving }) => typeof archiving !== 'string' && archiving.failing !== null),
      says: `${lacking.join('; ')}. A moment of the whole cluster comes back only if every node archives its log: ${page}`,
    }
  const each = nodes.map(({ name, archiving }) => `${name} last at ${formatTime(archiving)}`)
  return { all: true, isFailing: false, says: `every node archives its log: ${each.join(', ')}` }
}

/** Where the commands for a cluster are. */
export const page = 'docs/backup.md has the commands under "A Citus cluster".'

function formatLack({ name, archiving }: NodeFacts): string | undefined {
  if (typeof archiving === 'string') return `${name} does not answer (${inLine(archiving)}): see that it runs`
  if (!archiving.archives) return `${name} archives nothing: set archive_mode = on and archive_command there`
  const { failing } = archiving
  return failing
    ? `${name} could not archive ${failing.segment} at ${failing.at.toISOString()}: look into its log`
    : undefined
}

const formatTime = (archiving: NodeFacts['archiving']): string =>
  typeof archiving === 'string' ? '' : (archiving.archivedAt?.toISOString() ?? 'no time yet')
