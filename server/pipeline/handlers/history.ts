import { readCut } from '#derive/query.ts'
import type { ResourceRoute } from '#derive/routes.ts'
import { visibleChanges } from '#derive/visible.ts'
import { Refusal } from '#registry/refusals.ts'
import { historyWithCaller } from '#sql/records/changes-with-caller.ts'
import type { CallerRow } from '#sql/system/caller.ts'
import { pathId } from '../../protocol/path-id.ts'
import type { ReadHandler } from '../handler.ts'
import { linksOf } from '../page-links.ts'
import { pageOf, pageReply } from '../response.ts'

/** Every record has at least the entry of its creation, and keeps its history after its deletion. */
export const history: ReadHandler<ResourceRoute> =
  ({ definition }) =>
  ({ path, params }, query, { ask }) => {
    const cut = readCut(query)
    return {
      statement: historyWithCaller(ask, definition, pathId(params) ?? 0, cut),
      reply({ json, total, lacks_rights, tag_key }: HistoryPageRow, conditions) {
        if (total === 0) throw new Refusal('not_found')
        const shown = visibleChanges(lacks_rights, json)
        const links = linksOf({ path, query, at: { ...cut, total } })
        return pageReply({ tag_key }, pageOf(shown, total, cut), conditions, links)
      },
    }
  }

type HistoryPageRow = Pick<CallerRow, 'lacks_rights' | 'tag_key'> & { json: string; total: number }
