import type { Removal } from '#derive/console/responses.ts'
import { permission } from '#registry/permissions.ts'
import { registry } from '#registry/resources/index.ts'
import { countRemovals, type RemovalRow, removalsOf } from '#sql/records/history.ts'
import { recordId as removalId } from '../protocol/path-id.ts'
import { listedGroup, summarizeRecords } from '../records/remove.ts'
import { restoreRemoval } from '../records/restore.ts'
import type { Session } from '../service/session.ts'
import { issuerOf, whoOf } from './history.ts'
import type { Handlers } from './operation-request.ts'
import { readPage, rowsOf } from './read-parameters.ts'

/** Deletions, and their restores. */

/** Returns the resources that the account of the session may see. */
export const findViewable = ({ row }: Session) =>
  registry.filter(({ name }) => row.permissions.includes(permission(name, 'VIEW')))

export const removals = {
  async 'removals.list'(request) {
    const wanted = readPage(request.parameters)
    const session = request.session()
    const { companyId } = session.actor
    const resources = findViewable(session).map(({ name }) => name)
    const list = removalsOf(companyId, resources, wanted)
    const { data, meta } = await rowsOf<RemovalRow>(request, wanted, list, countRemovals(companyId, resources))
    return { data: data.map(formatRemoval), meta }
  },

  async 'removals.restore'(request) {
    const id = removalId(request)
    return request.change(async (transaction, session) => {
      const { records, recordId, cameBack, linked } = await restoreRemoval(transaction, session.actor, id)
      const groups = { came_back: cameBack.map(listedGroup), linked: linked.map(listedGroup) }
      return { data: { id, restored: true, records, record_id: recordId, ...groups } }
    })
  },
} satisfies Partial<Handlers>

const formatRemoval = ({
  account_id,
  account_name,
  issuer_id,
  issuer_name,
  went,
  unlinked,
  ...row
}: RemovalRow): Removal => ({
  ...row,
  who: whoOf({ account_id, account_name }),
  issuer: issuerOf({ issuer_id, issuer_name }),
  went: Object.entries(went).map(([records, ids]) => summarizeRecords(records, ids)),
  unlinked: unlinked.map(({ records, by, ids }) => ({ ...summarizeRecords(records, ids), by })),
})
