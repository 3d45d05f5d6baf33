import { firstSince } from '#sql/system/changes.ts'
import { attemptsOf, countAttempts, findAttempt, insertAttempt } from '#sql/system/webhook-attempts.ts'
import {
  claimFigures,
  claimWebhooks,
  dueWebhooks,
  giveUpWebhook,
  markResync,
  releaseOutlived,
  releaseWebhook,
  settleWebhook,
} from '#sql/system/webhook-claims.ts'
import {
  companiesThatSend,
  companiesWithDeleted,
  emptyOlderAttempts,
  freeAttempts,
  sweepAttemptsOfDeleted,
  sweepWebhookAttempts,
} from '#sql/system/webhook-room.ts'
import {
  beginWebhookAt,
  deleteWebhook,
  disableWebhook,
  failingWebhooks,
  findWebhook,
  holdWebhook,
  insertWebhook,
  lockWebhooks,
  markReplay,
  nextWebhookId,
  rotateSecret,
  secretsOf,
  updateWebhook,
  webhookFigures,
  webhooksOf,
} from '#sql/system/webhooks.ts'
import { answer, attemptRow, place, type Topic, webhook, webhookClaim, webhookProgress } from './examples.ts'

/** Statements of webhooks. */
export const ofTheWebhooks: readonly Topic[] = [
  [
    'webhooks',
    [
      firstSince(7, new Date(0)),
      lockWebhooks(7),
      webhooksOf(7),
      findWebhook(7, 3),
      holdWebhook(7, 3),
      nextWebhookId(),
      insertWebhook(7, { ...webhook, id: 3, sealed: answer.fingerprint, cursor: place, records: ['clients'] }),
      updateWebhook(7, 3, webhook),
      rotateSecret(7, 3, { sealed: answer.fingerprint, previous: answer.fingerprint, until: new Date(0) }),
      secretsOf(7, 3, new Date(0)),
      disableWebhook(7, 3, { reason: 'by_hand', detail: null, now: new Date(0) }),
      markReplay(7, 3),
      beginWebhookAt(7, 3, { cursor: place, account_id: 5 }),
      deleteWebhook(7, 3),
      failingWebhooks(7),
      webhookFigures(),
      dueWebhooks(7, { now: new Date(0), most: 9 }),
      claimWebhooks([{ company_id: 7, id: 3 }], webhookClaim.claim, 45),
      settleWebhook(webhookClaim, webhookProgress, 45),
      markResync(webhookClaim, 2, new Date(0)),
      releaseWebhook(webhookClaim),
      releaseOutlived(webhookClaim, new Date(0)),
      claimFigures(45, 30),
      giveUpWebhook(webhookClaim, { reason: 'gone', detail: null, now: new Date(0) }),
    ],
  ],
  [
    'webhook-attempts',
    [
      insertAttempt(attemptRow),
      attemptsOf(7, 3, { failedAlone: true, limit: 50, offset: 0 }),
      countAttempts(7, 3, false),
      findAttempt(7, 1),
      sweepWebhookAttempts(30, 1000),
      companiesThatSend(600, 7, 1000),
      freeAttempts(7, 64, 1000),
      companiesWithDeleted(30, 7, 1000),
      sweepAttemptsOfDeleted(7, 1000),
      emptyOlderAttempts(1000),
    ],
  ],
]
