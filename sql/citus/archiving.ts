import { archiver } from '../cluster.ts'
import { type Statement, sql, statement } from '../statement.ts'

/** A node of the cluster; `answer` is an `ArchiverRow` as JSON, or the reason why there is none. */
export type NodeArchiverRow = { name: string; answered: boolean; answer: string }

/** Limits the wait for a node that accepts connections and does not answer. */
export const nodeTimeouts = (milliseconds: number): Statement =>
  statement(sql`select set_config('citus.node_connection_timeout', ${`${milliseconds}`}, false),
    set_config('statement_timeout', ${`${2 * milliseconds}`}, false)`)

/**
 * Reads the archiving of every node, the coordinator first. Inactive nodes are listed too, although Citus does not ask
 * them.
 */
export const archivingOfNodes = (): Statement =>
  statement(sql`with answers as materialized (
      select nodename, nodeport, success, result from run_command_on_workers($$ select to_json(a) from (${archiver}) a $$)
    )
    select 'the coordinator' as name, true as answered, (select to_json(a)::text from (${archiver}) a) as answer
    union all
    (select n.nodename || ':' || n.nodeport, coalesce(a.success, false), coalesce(a.result, 'it is not active')
    from pg_dist_node n left join answers a on a.nodename = n.nodename and a.nodeport = n.nodeport
    where n.noderole = 'primary' and n.groupid > 0 order by n.nodename, n.nodeport)`)
