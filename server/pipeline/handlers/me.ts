import { limitedResources } from '#derive/operations/me.ts'
import { planLimit, type SubscriptionPlan } from '#registry/subscription.ts'
import { type MeRow, meWithCaller } from '#sql/records/me.ts'
import type { CallerRow } from '#sql/system/caller.ts'
import { windowSeconds } from '../../service/token-rate.ts'
import type { ReadHandler } from '../handler.ts'
import { pageReply } from '../response.ts'

export const me: ReadHandler =
  () =>
  (_call, _query, { ask, config }) => {
    const { tokenRequestsPerMinute: limit } = config
    return {
      statement: meWithCaller(limitedResources)(ask),
      reply(row: MeRow & Pick<CallerRow, 'token_id' | 'account_id' | 'currency' | 'tag_key'>, conditions) {
        const { company_name, plan, label, expires_at, scopes, add_ons, used, token_id, account_id, currency } = row
        const data = {
          company: { id: ask.companyId, name: company_name, currency, plan },
          token: { id: token_id, label, expires_at },
          account_id,
          scopes,
          add_ons,
          limits: limitedResources.map((records, place) => ({
            records,
            limit: planLimit(plan as SubscriptionPlan, records),
            used: used[place] ?? 0,
          })),
          rate: limit === null ? null : { limit, window_seconds: windowSeconds },
        }
        return pageReply(row, { data }, conditions)
      },
    }
  }
