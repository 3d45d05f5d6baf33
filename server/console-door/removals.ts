import { permission } from '#registry/permissions.ts'
import { registry } from '#registry/records/index.ts'
import { countRemovals, type RemovalRow, removalsOf } from '#sql/records/history.ts'
import { listed } from '../service/remove-record.ts'
import { restoreRemoval } from '../service/restore-removal.ts'
import { needPermission, type Session } from '../service/session.ts'
import { recordId as removalId } from '../walk/read-intent.ts'
import type { Asked, ConsoleRoute } from './asked.ts'
import { issuerOf, whoOf } from './history.ts'
import { readPage, readParameters } from './paging.ts'
import { ok, page } from './reply.ts'

/** What was deleted, and the way back. */
export const removalRoutes: ConsoleRoute[] = [
  { id: 'removals.list', method: 'GET', path: '/console/removals', needs: 'session', answer: list },
  { id: 'removals.restore', method: 'POST', path: '/console/removals/{id}/restore', needs: 'session', answer: restore },
]

/** The kinds that somebody may see. */
export const viewable = ({ row }: Session) =>
  registry.filter(({ name }) => row.permissions.includes(permission(name, 'VIEW')))

async function list(asked: Asked) {
  const wanted = readPage(readParameters(asked, ['limit', 'offset']))
  const session = asked.session()
  const { companyId } = session.actor
  const kinds = viewable(session).map(({ name }) => name)
  const [rows, [count]] = await asked.world.database.transaction(({ run }) =>
    Promise.all([
      run<RemovalRow>(removalsOf(companyId, kinds, wanted)),
      run<{ total: number }>(countRemovals(companyId, kinds)),
    ]),
  )
  return page(rows.map(shown), { total: count?.total ?? 0, ...wanted })
}

const shown = ({ account_id, account_name, issuer_id, issuer_name, went, unlinked, ...row }: RemovalRow) => ({
  ...row,
  who: whoOf({ account_id, account_name }),
  issuer: issuerOf({ issuer_id, issuer_name }),
  went: Object.entries(went).map(([records, ids]) => listed(records, ids)),
  unlinked: unlinked.map(({ records, by, ids }) => ({ ...listed(records, ids), by })),
})

async function restore(asked: Asked) {
  readParameters(asked, [])
  const id = removalId(asked)
  const { records, recordId, cameBack, linked } = await asked.change((transaction, session) =>
    restoreRemoval(transaction, session.actor, id, (code) => needPermission(session, code)),
  )
  return ok({ id, restored: true, records, record_id: recordId, came_back: cameBack, linked })
}
