import * as accounts from './accounts.ts'
import * as agents from './agents.ts'
import * as audit from './audit.ts'
import * as callDetails from './call-details.ts'
import * as calls from './calls.ts'
import * as company from './company.ts'
import { exportAll } from './export.ts'
import { listHistory, listSettings } from './history.ts'
import { showHome } from './home.ts'
import * as imports from './imports.ts'
import type { Handlers } from './operation-request.ts'
import * as records from './records.ts'
import * as removals from './removals.ts'
import * as session from './session.ts'
import * as sessions from './sessions.ts'
import * as token from './token.ts'
import * as webhookAttempts from './webhook-attempts.ts'
import * as webhooks from './webhooks.ts'

/** The handlers of all operations of the console. */
export const handlers = {
  'session.begin': session.begin,
  'session.end': session.end,
  'me.fetch': session.showMe,
  'me.update': session.changeMe,
  'sessions.list': sessions.list,
  'sessions.end-others': sessions.endOthers,
  'sessions.end': sessions.endOne,
  'records.list': records.list,
  'records.fetch': records.fetch,
  'records.create': records.create,
  'records.update': records.update,
  'records.delete': records.remove,
  'records.export': exportAll,
  'records.history': listHistory,
  'records.look-up': imports.lookUp,
  'records.imports': imports.list,
  'records.begin-import': imports.begin,
  'records.try-import': imports.attempt,
  'records.import': imports.batch,
  'removals.list': removals.list,
  'removals.restore': removals.restore,
  'writes.undo': records.undo,
  home: showHome,
  'token.fetch': token.fetch,
  'token.options': token.options,
  'token.issue': token.issue,
  'token.show': token.show,
  'token.rotate': token.rotate,
  'token.revoke': token.revoke,
  'token.allow': token.allow,
  'token.change': token.update,
  'token.callers': calls.callers,
  'token.dead': calls.listDeadIntegrations,
  'calls.list': calls.list,
  'calls.fetch': callDetails.fetch,
  'calls.dry-run': callDetails.dryRun,
  'calls.failures': calls.failures,
  'calls.details-switch': calls.showSwitch,
  'calls.switch-details': calls.turnSwitch,
  usage: company.showUsage,
  'settings.history': listSettings,
  'audit.list': audit.list,
  'audit.csv': audit.exportCsv,
  'audit.json': audit.exportJson,
  'webhooks.list': webhooks.list,
  'webhooks.troubles': webhooks.troubles,
  'webhooks.create': webhooks.create,
  'webhooks.fetch': webhooks.fetch,
  'webhooks.update': webhooks.update,
  'webhooks.delete': webhooks.remove,
  'webhooks.rotate': webhooks.rotate,
  'webhooks.test': webhookAttempts.test,
  'webhooks.enable': webhooks.enable,
  'webhooks.disable': webhooks.disable,
  'webhooks.replay': webhooks.replay,
  'webhooks.attempts': webhookAttempts.list,
  'webhooks.history': webhooks.history,
  'webhook-attempts.fetch': webhookAttempts.fetch,
  'webhook-attempts.send-again': webhookAttempts.sendAgain,
  'agents.fetch': agents.fetch,
  'agents.update': agents.update,
  'agents.waiting': agents.countWaiting,
  'agents.previews': agents.listAll,
  'agents.preview': agents.fetchPreview,
  'agents.approve': agents.approve,
  'agents.decline': agents.decline,
  'accounts.list': accounts.list,
  'accounts.create': accounts.create,
  'accounts.fetch': accounts.fetch,
  'accounts.update': accounts.update,
  'company.fetch': company.fetch,
  'company.update': company.update,
} satisfies Handlers
