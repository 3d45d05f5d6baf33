import { followersMissNothing, revokedIsRevoked, webhooksTellAll } from './events.ts'
import {
  nothingLost,
  nothingUnasked,
  oneCompany,
  oneEffectPerCall,
  oneEffectPerKey,
  replayIsFirstAnswer,
} from './keys.ts'
import {
  ifMatchOnce,
  ifPlanOnce,
  listsFeedHistory,
  noDanglingReference,
  noOlderAnswer,
  planLimitHolds,
  tombstones,
  undoLeavesBefore,
  versionsInOrder,
} from './records.ts'
import type { Rule } from './rule.ts'

export type { Rule } from './rule.ts'

export const rules: readonly Rule[] = [
  oneEffectPerKey,
  oneEffectPerCall,
  nothingLost,
  nothingUnasked,
  replayIsFirstAnswer,
  oneCompany,
  versionsInOrder,
  listsFeedHistory,
  tombstones,
  noOlderAnswer,
  ifMatchOnce,
  ifPlanOnce,
  undoLeavesBefore,
  noDanglingReference,
  planLimitHolds,
  followersMissNothing,
  webhooksTellAll,
  revokedIsRevoked,
]
