import type { Definition } from '#registry/definition.ts'
import { registry } from '#registry/records/index.ts'
import { beginWrite } from './begin-write.ts'
import type { BriefStatement } from './brief.ts'
import { seeCaller } from './caller.ts'
import { companiesWithOldCalls, countCalls, findCall, lastUse, listCalls, sweepCalls, useByDay } from './calls.ts'
import { type ChangesAsk, changedCompanies, changesAfter, horizonNow, markHorizon, sweepMarks } from './changes.ts'
import {
  deleteCompany,
  demoAccounts,
  demoCompanies,
  demoWasRemoved,
  forgetDemoAccount,
  holdCompany,
  lockDemo,
  noteDemoAccount,
  noteDemoRemoved,
  tablesOfCompanies,
  useOfDemo,
} from './demo.ts'
import { endWrite } from './end-write.ts'
import { newestSealed, serverFacts } from './health.ts'
import { countHistory, countRemovals, historyOfRecord, recentHistory, removalsOf } from './history.ts'
import { draftInvoices, estimatesWaiting, expiring, hoursToApprove, projectsByStatus, serviceDue } from './home.ts'
import { claimKey, sweepAnswers } from './idempotency.ts'
import type { Listing } from './listing.ts'
import { advanceEpoch, seeIdentity } from './log.ts'
import { type Look, lookFirst, lookForCreate, lookForDelete, lookForUpdate, lookUp } from './look.ts'
import { type CallRow, givePlaceBack, insertCalls, placesUsed, takePlaces } from './metering.ts'
import {
  accountsOf,
  activeToken,
  companyOfAccount,
  countLive,
  findCompany,
  insertAccount,
  insertCompany,
  insertToken,
  lockAccount,
  lockCompany,
  lockTokens,
  nextTokenId,
  noteOffice,
  recountPlaces,
  revokeActiveToken,
  setAllowlist,
  updateAccount,
  updateCompany,
} from './office.ts'
import { fetch, fetchWithCaller, list, listIds, listWithCaller } from './read.ts'
import { erase, hide, noteRemoval, related, settle } from './remove.ts'
import { hiddenBy, holdLive, lockRemoval, markRestored, stillEmpty, takenMeanwhile, unhide } from './restore.ts'
import { fenceKeys, holdKeys, lockRotation, sealAnew, sealedRows } from './seal.ts'
import {
  deleteSession,
  deleteSessionById,
  deleteSessionsOf,
  endPlainName,
  holdSession,
  insertSession,
  seeSession,
  sessionsOf,
  sweepSessions,
  touchSession,
} from './session.ts'
import { candidatesFor, countAttempt, forgiveAttempts, passwordOf, sweepAttempts } from './sign-in.ts'
import { type Statement, statement } from './statement.ts'
import { foldTallies } from './tally.ts'
import {
  type AttemptRow,
  attemptsOf,
  countAttempts,
  findAttempt,
  insertAttempt,
  sweepWebhookAttempts,
} from './webhook-attempts.ts'
import { claimWebhooks, giveUpWebhook, markResync, releaseWebhook, settleWebhook } from './webhook-claims.ts'
import {
  beginWebhookAt,
  deleteWebhook,
  disableWebhook,
  failingWebhooks,
  findWebhook,
  firstSince,
  holdWebhook,
  insertWebhook,
  lockWebhooks,
  nextWebhookId,
  rotateSecret,
  secretsOf,
  updateWebhook,
  webhooksOf,
} from './webhooks.ts'
import { insertRecord, leadsTo, lockTree, nextNumber, updateRecord } from './write.ts'

/** What the derived statements look like, one of each: the goldens show their SQL, the bench their plans. */

export const ask = {
  companyId: 7,
  tokenHash: Buffer.from('00ff', 'hex'),
  scope: 'PROJECTS_VIEW',
  addOn: 'api',
  peer: '127.0.0.1',
}
const key = { key: 'key', lock: '42' }
const answer = {
  ...{ fingerprint: Buffer.from('00', 'hex'), status: 201, body: '{}', location: null, etag: null },
  request_id: null,
}
const noted: CallRow = {
  ...{ company_id: 7, token_id: 9, request_id: 'r', at: '2026-01-01T00:00:00Z', route: 'projects.create' },
  ...{ record_id: 4711, status: 201, code: null, ms: 1.5, peer: null, dry_run: false, replayed: false, counted: true },
}
const company = { id: 7, name: 'Harbor', currency: 'USD', plan: 'PRO' as const, add_ons: ['api'], is_demo: false }
const person = { name: 'Ada', email: 'ada@example.com', permissions: [], service: false, passwordHash: null }
const token = {
  account_id: 8,
  issued_by: 8,
  label: 'L',
  scopes: [],
  allowlist: [],
  sealed: answer.fingerprint,
  hash: ask.tokenHash,
}
const sealedPlace = { table: 'tokens', id: 'id', column: 'sealed' }
const place = { epoch: 1, pos: '9', id: 0 }
const webhook = {
  ...{ name: 'W', url: 'https://erp.example.com', events: ['projects.created'], ordered: true },
  payload: 'full' as const,
}
const webhookClaim = { companyId: 7, id: 3, claim: '00000000-0000-4000-8000-000000000000' }
const webhookProgress = {
  ...{ cursor: place, pending: {}, paused_until: null, next_attempt_at: null, failing_since: null },
}
const attempted: AttemptRow = {
  ...{ company_id: 7, endpoint_id: 3, at: new Date(0), event: 'projects.created', event_id: 'evt_1_9', after: place },
  ...{ by_hand: false, ms: 1.5, status: 200, failure: null, detail: null, request_headers: {}, request_body: '{}' },
  ...{ request_bytes: 2, answer_headers: {}, answer_body: '', answer_cut: false },
}
const session = { companyId: 7, idHash: Buffer.from('00ff', 'hex') }
export const author = {
  ...{ companyId: 7, accountId: 8, tokenId: 9, door: 'api' },
  writeId: '00000000-0000-4000-8000-000000000000',
}
const asked: ChangesAsk = {
  ...{ companyId: 7, after: { epoch: 1, pos: '800', id: 4711 }, records: ['projects'] },
  ...{ limit: 50, keptDays: 30 },
}
export const page: Listing = { filters: {}, words: [], sort: [], limit: 50, offset: 0 }
const [projects, workers, , estimates] = registry as [Definition, Definition, Definition, Definition]

export const everyStatement: readonly (readonly [
  topic: string,
  statements: readonly (Statement | BriefStatement)[],
])[] = [
  ['caller', [seeCaller(ask)]],
  ['fetch', [fetchWithCaller(ask, projects, 4711), fetchWithCaller(ask, projects, 4711, ['name'])]],
  [
    'list',
    [
      listWithCaller(ask, projects, page),
      listWithCaller(ask, projects, { ...page, offset: 90_000 }),
      listWithCaller(ask, projects, { ...page, filters: { status: 'ACTIVE' } }),
      listWithCaller(ask, projects, { ...page, words: ['wall'] }),
      listWithCaller(ask, projects, { ...page, filters: { status: 'ACTIVE' }, words: ['wall'] }),
      listWithCaller(ask, projects, { ...page, updatedSince: '2026-01-01T00:00:00Z' }),
      listWithCaller(ask, projects, { ...page, sort: [{ field: 'name', descending: false }] }),
      listWithCaller(ask, projects, { ...page, filters: { status: 'ACTIVE', client_id: 3 }, words: ['wall', '50%'] }),
      listWithCaller(ask, projects, {
        ...page,
        sort: [{ field: 'name', descending: true }],
        updatedSince: '2026-01-01T00:00:00Z',
      }),
    ],
  ],
  [
    'begin-write',
    [
      beginWrite(ask, undefined, null),
      beginWrite(ask, key, lookForCreate(7, projects, { client_id: 3, code: 'A' })),
      beginWrite(ask, key, lookForUpdate(7, projects, 4711, { client_id: 3 })),
    ],
  ],
  ['end-write', [endWrite(noted, undefined), endWrite(noted, { key: 'key', answer })]],
  [
    'look',
    [
      lookFirst(lookForCreate(7, projects, { client_id: 3, category_id: 4, code: 'A' }) as Look),
      lookFirst(lookForUpdate(7, projects, 4711, { category_id: 4, code: 'A' })),
      lookFirst(lookForDelete(7, projects, 4711)),
      lookUp(7, projects, { client_id: 3 }),
    ],
  ],
  [
    'write',
    [
      insertRecord(author, workers, { name: 'Ada' }, null),
      insertRecord(author, workers, { name: 'Ada' }, 50),
      updateRecord(author, estimates, 4711, { lines: [], notes: null }, { notes: ['a', null] }),
      lockTree(7, 'workers', 'supervisor_id'),
      leadsTo(7, 'workers', 'supervisor_id', 1, 2),
      nextNumber(7, 'estimates'),
    ],
  ],
  [
    'remove',
    [
      ...projects.removal.relations.map((relation) => related(7, relation, [4711])),
      noteRemoval(author, { records: 'projects', recordId: 1, mode: 'soft', title: 'T', went: {}, unlinked: [] }),
      hide(author, projects, [1, 2], 3),
      erase(author, estimates, { id: 1, held: '{}', removalId: 3 }),
      settle(author, 'equipment', 'status', [1], { is: 'IN_USE' }, 'ACTIVE'),
      settle(author, 'equipment', 'project_id', [1], 'any', null),
    ],
  ],
  ['idempotency', [claimKey(key, ask), sweepAnswers(1000)]],
  [
    'metering',
    [
      insertCalls([]),
      foldTallies(1000),
      statement(takePlaces(7, 'projects', 25, 2)),
      placesUsed(7, 'projects'),
      givePlaceBack(7, 'projects', 1),
    ],
  ],
  [
    'session',
    [
      insertSession(session, 8, { device: 'Browser', peer: '127.0.0.1', forwardedFor: null, plainName: true }, null),
      seeSession(session),
      holdSession(session),
      touchSession(session),
      endPlainName(session),
      sessionsOf(session, 8),
      deleteSession(session),
      deleteSessionById(7, 8, 1),
      deleteSessionsOf(7, 8, null),
      sweepSessions(1000),
    ],
  ],
  [
    'sign-in',
    [
      candidatesFor('ada@example.com', null),
      passwordOf(7, 8),
      countAttempt([session.idHash], 900),
      forgiveAttempts([session.idHash], []),
      sweepAttempts(1000, 900),
    ],
  ],
  [
    'console-list',
    [
      fetch(7, projects, 4711),
      list(7, projects, { ...page, ids: [1, 2], among: [{ field: 'status', values: ['ACTIVE', 'ON_HOLD'] }] }),
      listIds(7, projects, {
        ...page,
        days: [{ field: 'start_date', from: '2026-01-01', to: '2026-12-31' }],
        sort: [{ field: 'name', descending: false }],
      }),
    ],
  ],
  [
    'history',
    [
      historyOfRecord(7, 'projects', 4711, page),
      countHistory(7, 'projects', 4711),
      recentHistory(7, [projects, workers], 10),
      removalsOf(7, ['projects'], page),
      countRemovals(7, ['projects']),
    ],
  ],
  [
    'changes',
    [
      changesAfter([projects, estimates], asked),
      changedCompanies([7, 8], { epoch: 1, pos: '800' }),
      markHorizon(60),
      sweepMarks(30, 1000),
      horizonNow(),
      seeIdentity(),
      advanceEpoch(),
    ],
  ],
  [
    'home',
    [
      projectsByStatus(7),
      estimatesWaiting(7),
      expiring(7, 'insurance_expires_on', '2026-01-01', 5),
      serviceDue(7, '2026-01-01', 5),
      hoursToApprove(7),
      draftInvoices(7),
    ],
  ],
  [
    'office',
    [
      insertCompany(company),
      findCompany(7),
      lockCompany(7),
      updateCompany(company),
      recountPlaces(7, 'projects'),
      countLive(7, 'projects'),
      insertAccount(7, person),
      accountsOf(7),
      companyOfAccount(8),
      lockAccount(7, 8),
      updateAccount(7, { ...person, id: 8, disabled: false }, null),
      nextTokenId(),
      insertToken(7, { ...token, id: 9 }),
      lockTokens(7),
      activeToken(7),
      revokeActiveToken(7),
      setAllowlist(7, []),
      noteOffice(author, { records: 'tokens', recordId: 9, action: 'shown', changes: null }),
    ],
  ],
  [
    'demo',
    [
      lockDemo(),
      demoCompanies(),
      demoAccounts(),
      noteDemoAccount(7, 8, { sealed: null, closed: false }),
      forgetDemoAccount(7, 8),
      demoWasRemoved(),
      noteDemoRemoved(),
      useOfDemo(7, ['projects']),
      holdCompany(7),
      tablesOfCompanies(),
      deleteCompany(7, ['projects']),
    ],
  ],
  [
    'seal',
    [
      holdKeys(),
      fenceKeys(),
      lockRotation(),
      sealedRows(sealedPlace, { companyId: 7, id: 9 }, 100),
      sealAnew(sealedPlace, { company_id: 7, id: 9, sealed: answer.fingerprint }, answer.fingerprint),
    ],
  ],
  ['health', [serverFacts(), newestSealed()]],
  [
    'restore',
    [
      lockRemoval(7, 1),
      markRestored(7, 1),
      hiddenBy(7, workers, 1, [2]),
      takenMeanwhile(7, projects, 'code', [2]),
      holdLive(7, 'clients', [3]),
      unhide(author, 'projects', [2], 3),
      stillEmpty(7, workers, 'supervisor_id', [4]),
    ],
  ],
  [
    'calls',
    [
      listCalls(7, { status: 200, route: 'clients', outcome: 'ok' }, page),
      countCalls(7, { status: 200 }),
      findCall(7, 1),
      useByDay(7, 30),
      lastUse(7, 9, new Date(0)),
      companiesWithOldCalls(400, 0, 100),
      sweepCalls(7, 400, 1000),
    ],
  ],
  [
    'webhooks',
    [
      firstSince(7, new Date(0)),
      lockWebhooks(7),
      webhooksOf(7),
      findWebhook(7, 3),
      holdWebhook(7, 3),
      nextWebhookId(),
      insertWebhook(7, { ...webhook, id: 3, sealed: answer.fingerprint, cursor: place }),
      updateWebhook(7, 3, webhook),
      rotateSecret(7, 3, { sealed: answer.fingerprint, previous: answer.fingerprint, until: new Date(0) }),
      secretsOf(7, 3, new Date(0)),
      disableWebhook(7, 3, 'by_hand', new Date(0)),
      beginWebhookAt(7, 3, place),
      deleteWebhook(7, 3),
      failingWebhooks(7),
      claimWebhooks(
        { companyId: 7, id: 3 },
        { claim: webhookClaim.claim, now: new Date(0), leaseSeconds: 45, most: 9 },
      ),
      settleWebhook(webhookClaim, webhookProgress, 45),
      markResync(webhookClaim, 2, new Date(0)),
      releaseWebhook(webhookClaim),
      giveUpWebhook(webhookClaim, 'gone', new Date(0)),
    ],
  ],
  [
    'webhook-attempts',
    [
      insertAttempt(attempted),
      attemptsOf(7, 3, { failedAlone: true, limit: 50, offset: 0 }),
      countAttempts(7, 3, false),
      findAttempt(7, 1),
      sweepWebhookAttempts(30, 1000),
    ],
  ],
]
