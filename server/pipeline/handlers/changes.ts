import { type ChangesRequest, readFollowing } from '#derive/operations/changes.ts'
import { visibleChanges } from '#derive/visible.ts'
import { permission } from '#registry/permissions.ts'
import { Refusal } from '#registry/refusals.ts'
import { servedResources } from '#registry/resources/index.ts'
import type { ChangesRow } from '#sql/records/changes.ts'
import { changesWithCaller, nowWithCaller, type OpenRow } from '#sql/records/changes-with-caller.ts'
import type { CallerRow } from '#sql/system/caller.ts'
import { lackingRefusal } from '../../records/rights.ts'
import { checkPage, cursorOf, isGone, readCursor } from '../../service/changes.ts'
import type { PlannedRead, ReadContext, ReadHandler } from '../handler.ts'
import { JsonText, pageReply } from '../response.ts'

/** Reads rights and changes with one statement, so that every change shown is open to the caller at that moment. */
export const changes: ReadHandler = () => (_call, query, context) => {
  const following = readFollowing(query)
  return following.after === 'now' ? readPosition(following, context) : page(following, context)
}

function page(following: ChangesRequest, { ask, config }: ReadContext): PlannedRead {
  const { companyId } = ask
  // A refusal is thrown only once the caller is known, so that others learn nothing about cursors.
  const after = following.after === null ? null : readCursor(companyId, following.after)
  const asked = { ...following, companyId, after, keptDays: config.changesKeptDays }
  return {
    statement: changesWithCaller(ask, servedResources, asked),
    waits(row: FeedRow) {
      if (row.json !== '' || row.more || isGone(row) || findRefusal(following, row)) return undefined
      return { seconds: following.waitSeconds, seen: { epoch: row.epoch, pos: row.horizon } }
    },
    reply(row: FeedRow, conditions) {
      const no = findRefusal(following, row)
      if (no) throw no
      const { json, next, more } = checkPage(companyId, row)
      return pageReply(
        row,
        {
          data: new JsonText(`[${visibleChanges(row.lacks_rights, json)}]`),
          meta: meta(following, row, next, more),
        },
        conditions,
      )
    },
  }
}

function readPosition(following: ChangesRequest, { ask }: ReadContext): PlannedRead {
  return {
    statement: nowWithCaller(ask, servedResources),
    reply(row: FeedRow, conditions) {
      const no = findRefusal(following, row)
      if (no) throw no
      const next = cursorOf(ask.companyId, { epoch: row.start_epoch, pos: row.start_pos, id: 0, line: row.line })
      return pageReply(row, { data: [], meta: meta(following, row, next, false) }, conditions)
    },
  }
}

type FeedRow = OpenRow & ChangesRow & Pick<CallerRow, 'lacks_rights' | 'tag_key'>

const meta = ({ records }: ChangesRequest, { open }: OpenRow, next: string, more: boolean) => ({
  next,
  more,
  records: records ?? open,
})

/** Returns the refusal unless all named resources are open, or any resource if none is named. */
function findRefusal({ records }: ChangesRequest, { in_scope, open }: OpenRow): Refusal | undefined {
  const lacking = records?.find((name) => !in_scope.includes(name))
  if (lacking !== undefined) return lackingRefusal(permission(lacking, 'VIEW'))
  const off = records?.find((name) => !open.includes(name))
  const addOn = servedResources.find(({ name }) => name === off)?.served?.addOn
  if (addOn !== undefined) return new Refusal('feature_off', { feature: addOn })
  const [first] = servedResources
  return open.length === 0 && first ? lackingRefusal(permission(first.name, 'VIEW')) : undefined
}
