import { registry } from '#registry/resources/index.ts'
import { clusterRow } from '#sql/cluster.ts'
import { resourcesWithAmounts } from '#sql/records/amounts.ts'
import { meWithCaller } from '#sql/records/me.ts'
import { prefetchForCreate, prefetchForUpdate } from '#sql/records/prefetch.ts'
import { tagWithin } from '#sql/records/tags.ts'
import { equalRecords } from '#sql/records/twins.ts'
import {
  accountsOf,
  accountsOfOneAddress,
  companyOfAccount,
  findAccount,
  insertAccount,
  lockAccount,
  otherOfAddress,
  rightsOfAuthor,
  updateAccount,
} from '#sql/system/accounts.ts'
import {
  auditBefore,
  auditOfPerson,
  companiesWithOldAudit,
  countAudit,
  eraseAuditOf,
  listAudit,
  sweepAudit,
} from '#sql/system/audit.ts'
import { batchAnswer, batchAnswers, lockBatch, storeBatchAnswer } from '#sql/system/batch-responses.ts'
import { beginWrite } from '#sql/system/begin-write.ts'
import {
  companiesWithUnwanted,
  findDetails,
  insertDetails,
  keepsDetails,
  sweepDetails,
  sweepDetailsOf,
  switchDetails,
} from '#sql/system/call-details.ts'
import { callersOf, deadIntegrations, failuresOf } from '#sql/system/call-groups.ts'
import { countCalls, findCall, listCalls, useByDay } from '#sql/system/call-list.ts'
import { selectCaller, tokenSource } from '#sql/system/caller.ts'
import { companiesWithOldCalls, insertCalls, lastUse, settleCall, sweepCalls } from '#sql/system/calls.ts'
import { changedCompanies, horizonNow, markFor, markHorizon, sweepMarks } from '#sql/system/changes.ts'
import {
  companiesAfter,
  findCompany,
  insertCompany,
  listCompaniesById,
  lockCompany,
  lockCompanyWhole,
  selectTimeZone,
  shareCompany,
  updateCompany,
} from '#sql/system/companies.ts'
import { endBackends, liftTransactionTimeout, selectBackend } from '#sql/system/connection.ts'
import {
  deleteCompany,
  demoAccounts,
  demoCompanies,
  demoWasRemoved,
  forgetDemoAccount,
  holdCompany,
  insertDemoAccount,
  insertDemoRemoval,
  lockDemo,
  tablesOfCompanies,
  useOfDemo,
} from '#sql/system/demo.ts'
import { newestSealed, serverFacts } from '#sql/system/health.ts'
import {
  extendImport,
  forgetMended,
  holdImport,
  insertImport,
  lastOfWrite,
  latestImports,
  moveImport,
} from '#sql/system/imports.ts'
import { closeGate, passGate, takeSums, takeValues, takeValuesOfWrite } from '#sql/system/locks.ts'
import { advanceEpoch, appendAudit, appendChanges, selectIdentity } from '#sql/system/log.ts'
import { chooseLogo, deleteUnusedLogos, findLogo, insertLogo } from '#sql/system/logos.ts'
import {
  callsOfPerson,
  deleteDetails,
  emptyAnswers,
  emptyAttempts,
  forgetPassword,
  noteErasure,
  sessionsOfPerson,
} from '#sql/system/persons.ts'
import {
  countLive,
  holdPlan,
  releaseSlots,
  setSlots,
  slotsUsed,
  takeSlots,
  takeSlotsOrFail,
} from '#sql/system/quota.ts'
import { addToRowCount, compactRowCounts, usageOfCompanies } from '#sql/system/row-counts.ts'
import { fenceKeys, holdKeys, lockRotation, sealAnew, sealedRows } from '#sql/system/seal.ts'
import {
  deleteSession,
  deleteSessionById,
  deleteSessionsOf,
  endPlainName,
  holdAccount,
  insertSession,
  selectSession,
  sessionSource,
  sessionsOf,
  sweepSessions,
  touchSession,
} from '#sql/system/sessions.ts'
import { candidatesFor, countAttempt, forgiveAttempts, passwordOf, sweepAttempts } from '#sql/system/sign-in.ts'
import { claimKeys, deleteStoredResponses, storeResponses, sweepAnswers } from '#sql/system/stored-responses.ts'
import {
  activeToken,
  insertToken,
  nextTokenId,
  revokeActiveToken,
  setAllowlist,
  setTokenScopes,
} from '#sql/system/tokens.ts'
import {
  answer,
  ask,
  author,
  callRow,
  company,
  details,
  key,
  page,
  person,
  projects,
  sealedPlace,
  session,
  type Topic,
  token,
} from './examples.ts'
import { ofTheWebhooks } from './webhooks.ts'

const monthAgo = '2026-03-01T00:00:00.000Z'

/** Statements of the fixed tables. */
export const ofTheSystem: readonly Topic[] = [
  ['caller', [selectCaller(ask), rightsOfAuthor(author)]],
  ['me', [meWithCaller(['projects', 'workers'])(ask).alone()]],
  [
    'begin-write',
    [
      beginWrite(tokenSource(ask), [], null),
      beginWrite(tokenSource(ask), [key], prefetchForCreate(7, projects, [{ sent: { client_id: 3, code: 'A' } }])),
      beginWrite(tokenSource(ask), [key], prefetchForUpdate(7, projects, [{ id: 4711, sent: { client_id: 3 } }])),
      beginWrite(tokenSource(ask), [key], prefetchForCreate(7, projects, [{ sent: { client_id: 3 } }], false), false),
      beginWrite(
        tokenSource(ask),
        [],
        prefetchForUpdate(7, projects, [{ id: 4711, sent: { client_id: 3 } }], false),
        false,
      ),
      beginWrite(sessionSource(session), [], null),
      beginWrite(sessionSource(session), [key], prefetchForCreate(7, projects, [{ sent: { client_id: 3 } }])),
    ],
  ],
  [
    'locks',
    [
      passGate(7),
      closeGate(7),
      takeSums(7, ['1', '2']),
      takeValues(7, [{ key: '1', isShared: true }]),
      takeValuesOfWrite(tokenSource(ask), undefined, [{ key: '1', isShared: true }]),
      takeValuesOfWrite(tokenSource(ask), key, [{ key: '1', isShared: true }]),
      takeValuesOfWrite(sessionSource(session), undefined, [{ key: '1', isShared: true }]),
      takeValuesOfWrite(sessionSource(session), key, [{ key: '1', isShared: true }]),
    ],
  ],
  [
    'idempotency',
    [
      claimKeys([key], tokenSource(ask)),
      claimKeys([key], sessionSource(session)),
      storeResponses(7, [{ key: 'key', ...answer }]),
      storeResponses(7, [{ key: 'key', ...answer, record_id: 4711 }], tagWithin(projects)),
      deleteStoredResponses(7, ['key']),
      sweepAnswers(1000),
    ],
  ],
  [
    'imports',
    [
      insertImport(author, { records: 'clients', file_name: 'clients.csv', fingerprint: 'f', settings: {}, rows: 3 }),
      latestImports(7, 'clients', 'f', 10),
      holdImport(author, author.writeId),
      moveImport(7, author.writeId, { done: 2, created: 1, changed: 1 }),
      extendImport(7, author.writeId, { settings: {}, rows: 4 }),
      forgetMended(7),
      lastOfWrite(7, author.writeId),
    ],
  ],
  [
    'batch',
    [
      lockBatch('42'),
      batchAnswers(7, 'key'),
      batchAnswer(7, 'key', 3),
      ...storeBatchAnswer(7, 'key', { n: 3, body: '{}' }),
    ],
  ],
  [
    'metering',
    [
      insertCalls([]),
      settleCall(callRow),
      compactRowCounts(1000),
      addToRowCount(7, 'projects', 2),
      takeSlots(7, 'projects', 25, 2),
      takeSlotsOrFail(7, 'projects', 25, 2),
      slotsUsed(7, 'projects'),
      releaseSlots(7, 'projects', 1),
    ],
  ],
  [
    'session',
    [
      holdAccount(7, 8, null),
      insertSession(session, 8, { device: 'Browser', peer: '127.0.0.1', forwardedFor: null, plainName: true }),
      selectSession(session),
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
      candidatesFor('ada@example.com', { accountId: null, companyId: null }),
      passwordOf(7, 8),
      otherOfAddress(7, 'ada@example.com', 8),
      accountsOfOneAddress(20),
      equalRecords(20),
      countAttempt([session.idHash], 900),
      forgiveAttempts([session.idHash], []),
      sweepAttempts(1000, 900),
    ],
  ],
  [
    'settings',
    [
      insertCompany(company),
      findCompany(7),
      listCompaniesById(),
      selectTimeZone(7),
      findLogo(7, 'a'.repeat(64)),
      insertLogo(7, 'a'.repeat(64), { type: 'image/png', bytes: Buffer.alloc(1) }),
      chooseLogo(7, null),
      deleteUnusedLogos(7),
      lockCompany(7),
      lockCompanyWhole(7),
      resourcesWithAmounts(7, registry),
      updateCompany(company),
      countLive(7, 'projects'),
      setSlots(7, 'projects', 3),
      insertAccount(7, person),
      accountsOf(7),
      companyOfAccount(8),
      findAccount(7, 8),
      lockAccount(7, 8),
      updateAccount(7, { ...person, id: 8, disabled: false }, null),
      nextTokenId(),
      insertToken(7, { ...token, id: 9 }),
      activeToken(7),
      revokeActiveToken(7),
      setTokenScopes(7, 'L', []),
      setAllowlist(7, []),
      appendAudit(author, { records: 'tokens', recordId: 9, action: 'shown', changes: null }),
      appendChanges(author, { records: 'projects', action: 'created' }, [{ by: author, record_id: 4711, version: 1 }]),
    ],
  ],
  [
    'demo',
    [
      lockDemo(),
      demoCompanies(),
      demoAccounts(),
      insertDemoAccount(7, 8, { sealed: null, closed: false }),
      forgetDemoAccount(7, 8),
      demoWasRemoved(),
      insertDemoRemoval(),
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
  ['cluster', [clusterRow()]],
  ['plan', [holdPlan(7)]],
  [
    'log',
    [
      changedCompanies([{ companyId: 7, epoch: 1, pos: '800' }]),
      markHorizon(60),
      markFor(7),
      sweepMarks(30, 1000),
      horizonNow(),
      selectIdentity(),
      advanceEpoch(),
    ],
  ],
  [
    'connection',
    [
      selectBackend(30_000),
      liftTransactionTimeout(),
      endBackends([{ pid: 7, backend_start: '2026-01-01 00:00:00.000001+00' }]),
    ],
  ],
  ['health', [serverFacts(), newestSealed()]],
  [
    'calls',
    [
      listCalls(7, { status: 200, route: 'clients', outcome: 'ok' }, page),
      listCalls(7, { code: 'validation_failed', about: 'email', peer: '192.0.2.1', tokenId: 9 }, page),
      countCalls(7, { status: 200 }),
      findCall(7, 1),
      useByDay(7, 30),
      usageOfCompanies(30, 50),
      lastUse(7, 9, new Date(0)),
      companiesAfter(0, 1000),
      companiesWithOldCalls(400, 0, 100),
      sweepCalls(7, 400, 1000),
      failuresOf(7, { codes: ['unauthorized'], days: 7, most: 100, groups: 20 }),
      deadIntegrations(7, { hours: 24, most: 100, groups: 20 }),
      callersOf(7, 9, { hours: 24, most: 100, groups: 20 }),
    ],
  ],
  [
    'audit',
    [
      listAudit(7, {}, page),
      listAudit(7, { records: 'sessions', action: 'signed_in', actorId: 8, from: monthAgo, before: monthAgo }, page),
      auditBefore(7, {}, { place: '2026-03-31 12:00:00.123456+00', id: 4711 }, 500),
      countAudit(7, {}),
      companiesWithOldAudit(400, 0, 100),
      sweepAudit(7, 400, 1000),
      auditOfPerson(7, 8),
      eraseAuditOf(7, 8),
    ],
  ],
  [
    'call-details',
    [
      insertDetails([details]),
      findDetails(7, 'r'),
      keepsDetails(7),
      switchDetails(7, false),
      sweepDetails(7, 1000),
      companiesWithUnwanted(0, 100),
      sweepDetailsOf(7, 1000),
    ],
  ],
  [
    'persons-kept',
    [
      shareCompany(7),
      noteErasure(7),
      deleteDetails(7),
      emptyAttempts(7, 1000),
      emptyAnswers('answers', 7, { members: ['detail'], instead: 'gone' }, 1000),
      emptyAnswers('batch_answers', 7, { members: ['detail'], instead: 'gone' }, 1000),
      forgetPassword(7, 8),
      sessionsOfPerson(7, 8),
      callsOfPerson(7, 8, 100),
    ],
  ],
  ...ofTheWebhooks,
]
