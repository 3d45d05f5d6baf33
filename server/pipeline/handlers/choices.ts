import { chosenFrom } from '#derive/operations/choices.ts'
import { readChoosing } from '#derive/query.ts'
import type { ReferenceRoute } from '#derive/routes.ts'
import type { ReferenceField } from '#registry/fields/reference.ts'
import type { ListRequest } from '#registry/listing.ts'
import { choicesWithCaller } from '#sql/records/read.ts'
import type { CallerRow } from '#sql/system/caller.ts'
import type { ReadHandler } from '../handler.ts'
import { linksOf } from '../page-links.ts'
import { JsonText, pageReply } from '../response.ts'

export const choices: ReadHandler<ReferenceRoute> = ({ definition, field }) => {
  const to = chosenFrom(definition, field)
  const { only } = definition.fields[field] as ReferenceField
  const filters: ListRequest['filters'] = only ? { [only.column]: only.value } : {}
  return ({ path }, query, { ask }) => {
    const request = readChoosing(query)
    return {
      statement: choicesWithCaller(ask, to, { ...request, filters, sort: [], offset: 0 }),
      reply({ json, total, last_id, has_more, tag_key }: ChoicesRow, conditions) {
        const page = { data: new JsonText(`[${json}]`), meta: { total, limit: request.limit } }
        return pageReply(
          { tag_key },
          page,
          conditions,
          linksOf({ path, query, at: { lastId: last_id, hasMore: has_more } }),
        )
      },
    }
  }
}

type ChoicesRow = Pick<CallerRow, 'tag_key'> & {
  json: string
  total: number
  last_id: number | null
  has_more: boolean
}
