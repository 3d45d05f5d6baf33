import type { Definition } from '#registry/definition.ts'
import { registry } from '#registry/records/index.ts'
import type { BriefStatement } from './brief.ts'
import { holdCaller, seeCaller } from './caller.ts'
import { listCalls, useByDay } from './calls.ts'
import { historyOfRecord, recentHistory } from './history.ts'
import { claimKey, findAnswer, storeAnswer, sweepAnswers } from './idempotency.ts'
import { givePlaceBack, holdPlan, insertCalls, placesUsed, takePlace } from './metering.ts'
import { fetchWithCaller, type Listing, list, listIds, listWithCaller } from './read.ts'
import { erase, hide, noteRemoval, related, settle } from './remove.ts'
import { hiddenBy, holdLive, lockRemoval, stillEmpty, takenMeanwhile, unhide } from './restore.ts'
import { deleteSessionsOf, holdSession, seeSession, touchSession } from './session.ts'
import { countAttempt, credentialsByEmail } from './sign-in.ts'
import type { Statement } from './statement.ts'
import { foldTallies } from './tally.ts'
import { insertRecord, leadsTo, lockRecord, lookUp, updateRecord } from './write.ts'

/** What the derived statements look like, one of each: the goldens show their SQL, the bench their plans. */

export const ask = {
  companyId: 7,
  tokenHash: Buffer.from('00ff', 'hex'),
  scope: 'PROJECTS_VIEW',
  addOn: 'api',
  peer: '127.0.0.1',
}
const session = { companyId: 7, idHash: Buffer.from('00ff', 'hex') }
export const author = { companyId: 7, accountId: 8, tokenId: 9, door: 'api' }
export const page: Listing = { filters: {}, words: [], sort: [], limit: 50, offset: 0 }
const [projects, workers, , estimates] = registry as [Definition, Definition, Definition, Definition]

export const everyStatement: readonly (readonly [
  topic: string,
  statements: readonly (Statement | BriefStatement)[],
])[] = [
  ['caller', [seeCaller(ask), holdCaller(ask)]],
  ['fetch', [fetchWithCaller(ask, projects, 4711), fetchWithCaller(ask, projects, 4711, ['name'])]],
  [
    'list',
    [
      listWithCaller(ask, projects, page),
      listWithCaller(ask, projects, { ...page, offset: 90_000 }),
      listWithCaller(ask, projects, { ...page, filters: { status: 'ACTIVE' } }),
      listWithCaller(ask, projects, { ...page, words: ['wall'] }),
      listWithCaller(ask, projects, { ...page, filters: { status: 'ACTIVE', client_id: 3 }, words: ['wall', '50%'] }),
      listWithCaller(ask, projects, {
        ...page,
        sort: [{ field: 'name', descending: true }],
        updatedSince: '2026-01-01T00:00:00Z',
      }),
    ],
  ],
  [
    'write',
    [
      lockRecord(7, projects, 4711, 'update'),
      lockRecord(7, projects, 4711, 'delete'),
      insertRecord(author, workers, { name: 'Ada' }),
      updateRecord(author, estimates, 4711, { lines: [], notes: null }, { notes: ['a', null] }),
      lookUp(7, projects, { references: { client_id: 3, category_id: 4 }, uniques: { code: 'A' }, self: 4711 }),
      leadsTo(7, 'workers', 'supervisor_id', 1, 2),
    ],
  ],
  [
    'remove',
    [
      ...projects.removal.relations.map((relation) => related(7, relation, [4711])),
      noteRemoval(author, { records: 'projects', recordId: 1, mode: 'soft', title: 'T', went: {}, unlinked: [] }),
      hide(author, 'projects', [1, 2], 3),
      erase(author, estimates, 1, '{}'),
      settle(author, 'equipment', 'status', [1], { is: 'IN_USE' }, 'ACTIVE'),
      settle(author, 'equipment', 'project_id', [1], 'any', null),
    ],
  ],
  [
    'idempotency',
    [
      claimKey('42', ask),
      findAnswer(7, 'key'),
      storeAnswer(7, 'key', {
        fingerprint: Buffer.from('00', 'hex'),
        status: 201,
        body: '{}',
        location: null,
        etag: null,
      }),
      sweepAnswers(1000),
    ],
  ],
  [
    'metering',
    [
      insertCalls([]),
      foldTallies(1000),
      holdPlan(7),
      takePlace(7, 'projects', 25),
      placesUsed(7, 'projects'),
      givePlaceBack(7, 'projects', 1),
    ],
  ],
  ['session', [seeSession(session), holdSession(session), touchSession(session), deleteSessionsOf(7, 8, null)]],
  ['sign-in', [credentialsByEmail('ada@example.com'), countAttempt([session.idHash], 900)]],
  [
    'console-list',
    [
      list(7, projects, { ...page, ids: [1, 2], among: [{ field: 'status', values: ['ACTIVE', 'ON_HOLD'] }] }),
      listIds(7, projects, {
        ...page,
        days: [{ field: 'start_date', from: '2026-01-01', to: '2026-12-31' }],
        sort: [{ field: 'name', descending: false }],
      }),
      historyOfRecord(7, 'projects', 4711, page),
      recentHistory(7, [projects, workers], 10),
    ],
  ],
  [
    'restore',
    [
      lockRemoval(7, 1),
      hiddenBy(7, workers, 1, [2]),
      takenMeanwhile(7, 'projects', 'code', [2]),
      holdLive(7, 'clients', [3]),
      unhide(author, 'projects', [2]),
      stillEmpty(7, workers, 'supervisor_id', [4]),
    ],
  ],
  ['calls', [listCalls(7, { status: 200, route: 'clients', outcome: 'ok' }, page), useByDay(7, 30)]],
]
