import { raw } from 'sql-template-tag'
import type { Definition, PaperDefinition } from '#registry/definition.ts'
import { registry } from '#registry/resources/index.ts'
import { changesAfter } from '#sql/records/changes.ts'
import { changesWithCaller, historyWithCaller, nowWithCaller } from '#sql/records/changes-with-caller.ts'
import { recordsToFix } from '#sql/records/fixed.ts'
import {
  countHistory,
  countRemovals,
  countSettingsHistory,
  historyOfRecord,
  historyOfSettings,
  recentByToken,
  recentHistory,
  removalsOf,
  titlesOf,
} from '#sql/records/history.ts'
import {
  draftInvoices,
  estimatesWaiting,
  expiringSubcontractors,
  hoursToApprove,
  projectsByStatus,
  serviceDue,
} from '#sql/records/home.ts'
import { drawRecordIds, insertAgain, insertRecords } from '#sql/records/insert.ts'
import {
  holdInOrder,
  holdRelated,
  type LookUp,
  leadsTo,
  lockOrder,
  lockTree,
  referringBesides,
  relationsTo,
  seeRelated,
} from '#sql/records/lock-order.ts'
import { namesakes, sameValues } from '#sql/records/namesakes.ts'
import { invoicesPaidBefore, paymentsOfBefore } from '#sql/records/paid-before.ts'
import {
  appendMissingPapers,
  appendPapers,
  eraseAddressee,
  findPaper,
  markPaperSent,
  papersTo,
  recordsWithoutPaper,
} from '#sql/records/papers.ts'
import {
  eraseHistory,
  findPersons,
  historyOfPerson,
  lockPerson,
  recordsWithText,
  referringTo,
  removalsOfPerson,
  renameRemovals,
} from '#sql/records/persons.ts'
import { lookUp, prefetchForCreate, prefetchForDelete, prefetchForUpdate } from '#sql/records/prefetch.ts'
import {
  choicesWithCaller,
  fetch,
  fetchWithCaller,
  list,
  listIds,
  listWithCaller,
  totalsOf,
} from '#sql/records/read.ts'
import { fetchByReference, recordOfReference } from '#sql/records/reference.ts'
import { erase, insertRemoval, nextRemovalId, setColumns, softDelete } from '#sql/records/remove.ts'
import { holdLive, markRestored, removalsById, softDeletedBy, stillEmpty, undelete } from '#sql/records/restore.ts'
import { holdersOf, holdNumbers, holdSlots, nextNumbers, seenRecords } from '#sql/records/sets.ts'
import { losingRecords, sumsOfRecords, sumsOfValues } from '#sql/records/sums.ts'
import { tagsOf } from '#sql/records/tags.ts'
import { updateHeld } from '#sql/records/update.ts'
import { changedSince, changesOfWrite, holdUndo, moveUndo, plannedBy } from '#sql/records/written-changes.ts'
import { prefetchStatement } from '#sql/statement.ts'
import { appendRecords } from '#sql/system/log.ts'
import {
  ask,
  author,
  categories,
  changesRequest,
  clients,
  equipment,
  estimates,
  invoices,
  page,
  projects,
  type Topic,
  timeEntries,
  trades,
  workers,
} from './examples.ts'

/** Statements made from a definition. */
/** Returns the look-ups of a deletion of one record of each of these resources. */
const lookUps = (gone: readonly Definition[], known: readonly number[] = []): LookUp[] =>
  lockOrder(registry).flatMap((table) => {
    const finders = relationsTo(table).filter(({ owner }) => gone.some(({ name }) => name === owner))
    return finders.length > 0 ? [{ table, finders: finders.map((one) => ({ ...one, gone: [4711] })), known }] : []
  })

const two = ['Ada', 'Bo'].map((name, index) => ({ id: 4711 + index, by: author, values: { name } }))
const notesGo = [{ id: 4711, version: 3, by: author, values: { notes: null }, changes: { notes: ['a', null] } }]

const fixed = invoices as PaperDefinition
const late = { today: '2026-01-01', steps: [0, 1] }
const reader = { companyId: 7, lacksRights: [] }

export const ofTheRecords: readonly Topic[] = [
  ['tags', [tagsOf(7, projects, [4711])]],
  ['fetch', [fetchWithCaller(ask, projects, 4711), fetchWithCaller(ask, projects, 4711, ['name'])]],
  [
    'list',
    [
      listWithCaller(ask, projects, page),
      listWithCaller(ask, projects, { ...page, offset: 90_000 }),
      listWithCaller(ask, projects, { ...page, filters: { status: 'ACTIVE' } }),
      listWithCaller(ask, projects, { ...page, words: ['wall'] }),
      listWithCaller(ask, clients, { ...page, words: ['+49', '221', '555010'] }),
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
    'narrowed',
    [
      listWithCaller(ask, projects, { ...page, ids: [4711, 4712] }),
      listWithCaller(ask, projects, { ...page, reference: 'A-1' }),
      listWithCaller(ask, projects, { ...page, among: [{ field: 'client_id', values: [3, 4] }] }),
      listWithCaller(ask, projects, { ...page, among: [{ field: 'status', values: ['ACTIVE', 'ON_HOLD'] }] }),
      listWithCaller(ask, projects, {
        ...page,
        words: ['wall'],
        among: [{ field: 'status', values: ['ACTIVE', 'ON_HOLD'] }],
      }),
      listWithCaller(ask, projects, {
        ...page,
        filters: { status: 'ACTIVE' },
        ranges: [{ field: 'start_date', from: '2026-01-01', to: '2026-03-31' }],
      }),
      listWithCaller(ask, projects, { ...page, ranges: [{ field: 'end_date', from: '2026-01-01' }] }),
      listWithCaller(ask, projects, {
        ...page,
        afterId: 4711,
        among: [{ field: 'client_id', values: [3, 4] }],
      }),
    ],
  ],
  [
    'walk',
    [
      listWithCaller(ask, projects, { ...page, afterId: 4711 }),
      listWithCaller(ask, projects, { ...page, afterId: 4711, filters: { client_id: 3 } }),
      listWithCaller(ask, projects, { ...page, afterId: 4711, words: ['wall'] }),
    ],
  ],
  [
    'choices',
    [
      choicesWithCaller(ask, trades, { ...page, afterId: 0 }),
      choicesWithCaller(ask, categories, { ...page, afterId: 0, filters: { kind: 'project' } }),
    ],
  ],
  ['reference', [prefetchStatement(recordOfReference(7, projects, 'A-1')), fetchByReference(ask, projects, 'A-1')]],
  [
    'prefetch',
    [
      prefetchStatement(prefetchForCreate(7, projects, [{ sent: { client_id: 3, category_id: 4, code: 'A' } }])),
      prefetchStatement(prefetchForCreate(7, projects, [{ sent: { client_id: 3 } }, { sent: { code: 'A' } }])),
      prefetchStatement(prefetchForUpdate(7, projects, [{ id: 4711, sent: { category_id: 4, code: 'A' } }])),
      prefetchStatement(prefetchForUpdate(7, projects, [{ id: 4711, sent: {} }])),
      prefetchStatement(prefetchForUpdate(7, workers, [{ id: 4711, sent: { supervisor_id: 4 } }])),
      prefetchStatement(prefetchForDelete(7, projects, 4711)),
      prefetchStatement(prefetchForDelete(7, workers, 4711)),
      lookUp(7, projects, { client_id: 3 }),
    ],
  ],
  ['tree', [lockTree(7, 'workers', 'supervisor_id'), leadsTo(7, 'workers', 'supervisor_id', 1, 2)]],
  [
    'sets',
    [
      holdInOrder(7, 'projects', [{ id: 1, hold: 'for update' }]),
      seenRecords(7, projects, [1, 2]),
      holdersOf(7, projects, 'code', ['A', null]),
      nextNumbers(7, 'estimates', 3),
      holdNumbers(7, ['estimates', 'invoices']),
      holdSlots(7, ['projects', 'workers']),
    ],
  ],
  [
    'insert',
    [
      drawRecordIds(workers, 2),
      ...insertRecords({ author, definition: workers, records: two }),
      ...insertRecords({ author, definition: workers, records: two, currency: 'EUR' }).slice(0, 1),
      ...insertAgain(author, estimates, { id: 4711, title: 'T' }, { version: 3, removalId: 3 }),
    ],
  ],
  [
    'update',
    [
      ...updateHeld({ author, definition: estimates, updates: notesGo, names: ['notes'], isShown: false }),
      ...updateHeld({ author, definition: estimates, updates: notesGo, names: ['notes'], isShown: true }).slice(0, 1),
    ],
  ],
  [
    'remove',
    [
      holdRelated(7, lookUps([projects])),
      holdRelated(7, lookUps([projects, estimates], [1])),
      seeRelated(7, lookUps([projects])),
      seeRelated(7, lookUps([projects, estimates])),
      referringBesides(7, 'workers', 'supervisor_id', { to: [4711], held: [4712] }),
      nextRemovalId(),
      insertRemoval(author, 3, {
        ...{ records: 'projects', recordId: 1, mode: 'soft', title: 'T' },
        ...{ cascaded: {}, unlinked: [] },
      }),
      ...softDelete(author, projects, [1, 2], 3),
      ...erase(author, estimates, { id: 1, held: '{}', removalId: 3 }),
      appendRecords(
        author,
        { action: 'deleted', removalId: 3 },
        { table: 'projects', ids: [1, 2], what: () => ({ version: raw('r.version + 1') }), name: 'projects.log-only' },
      ),
      ...setColumns(author, equipment, [{ column: 'worker_id', ids: [1], from: 'any', to: null }]),
      ...setColumns(author, equipment, [
        { column: 'status', ids: [1], from: { is: 'IN_USE' }, to: 'ACTIVE' },
        { column: 'project_id', ids: [1], from: 'any', to: null },
      ]),
    ],
  ],
  [
    'console-list',
    [
      fetch(7, projects, 4711),
      list(reader, projects, { ...page, ids: [1, 2], among: [{ field: 'status', values: ['ACTIVE', 'ON_HOLD'] }] }),
      listIds(reader, projects, {
        ...page,
        ranges: [{ field: 'start_date', from: '2026-01-01', to: '2026-12-31' }],
        sort: [{ field: 'name', descending: false }],
      }),
    ],
  ],
  [
    'totals',
    [
      totalsOf(reader, timeEntries, page, { totals: ['hours'] }, late),
      totalsOf(reader, invoices, { ...page, filters: { status: 'ISSUED' } }, invoices.list ?? {}, late),
    ],
  ],
  [
    'history',
    [
      historyOfRecord(7, 'projects', 4711, page),
      recentByToken(7, { records: 'projects', ids: [4711, 4712], tokenId: 9, besides: null }),
      titlesOf(7, projects, [4711, 4712]),
      countHistory(7, 'projects', 4711),
      recentHistory(7, [projects, workers], 10),
      removalsOf(7, ['projects'], page),
      historyOfSettings(7, ['tokens'], page),
      countSettingsHistory(7, ['tokens']),
      countRemovals(7, ['projects']),
    ],
  ],
  [
    'papers',
    [
      appendPapers(author, fixed, [{ id: 4711, by: author }]),
      appendMissingPapers(author, fixed, [{ id: 4711, by: author }]),
      findPaper(7, fixed, 4711),
      findPaper(7, fixed, 4711, 'now'),
      markPaperSent(7, fixed, 4711, { on: '2026-03-31', by: 'EMAIL' }),
      recordsWithoutPaper(7, fixed, { most: 500, after: 4711 }),
      papersTo(7, fixed, 3),
      eraseAddressee(7, 'invoices', [4711, 4712], { name: 'Erased client 3' }),
    ],
  ],
  [
    'sums',
    [
      sumsOfRecords(7, projects, Object.keys(projects.sums ?? {}), [4711]),
      sumsOfValues(7, projects, Object.keys(projects.sums ?? {}), [{ id: 4711 }]),
      losingRecords(7, projects, { states: ['ACTIVE', 'ON_HOLD'], most: 5 }),
      recordsToFix(7, timeEntries, { most: 500, after: 0 }),
      invoicesPaidBefore(7, 500, 0),
      paymentsOfBefore(7, [4711]),
    ],
  ],
  [
    'changes',
    [
      changesAfter([projects, estimates], changesRequest),
      changesWithCaller(ask, [projects, estimates], changesRequest),
      nowWithCaller(ask, [projects, estimates]),
      historyWithCaller(ask, projects, 4711, page),
      plannedBy([projects, estimates], 7, { writeId: author.writeId, after: 0 }),
      changesOfWrite(7, author.writeId),
      changedSince(7, 'projects', 4711, 2),
      removalsById(7, [1]),
      holdUndo(7, author.writeId),
      moveUndo(7, author.writeId, 4711),
    ],
  ],
  [
    'home',
    [
      projectsByStatus(7),
      estimatesWaiting(7),
      expiringSubcontractors(7, 'insurance_expires_on', '2026-01-01', 5),
      serviceDue(7, '2026-01-01', 5),
      hoursToApprove(7),
      draftInvoices(7),
    ],
  ],
  [
    'namesakes',
    [
      namesakes(7, projects, { texts: ['Quay'], most: 5 }),
      namesakes(7, clients, { texts: ['Quay'], only: { column: 'status', value: 'ACTIVE' }, most: 5 }),
      sameValues(7, clients, 'name', { texts: ['Quay'], most: 5 }),
      sameValues(7, clients, 'phone', { texts: ['+49 221 555010'], most: 5 }),
    ],
  ],
  [
    'restore',
    [
      markRestored(7, 1),
      softDeletedBy(7, 1, [
        { definition: workers, ids: [2] },
        { definition: clients, ids: [3] },
      ]),
      holdLive(7, 'clients', [3]),
      ...undelete(author, 'projects', [2], 3),
      stillEmpty(7, workers, 'supervisor_id', [4]),
    ],
  ],
  [
    'persons',
    [
      lockPerson(7, workers, 17),
      findPersons(7, workers, [17, 18]),
      historyOfPerson(7, 'workers', 17),
      eraseHistory(7, 'workers', 17, { name: 'Erased worker 17' }),
      removalsOfPerson(7, 'workers', 17),
      renameRemovals(7, [1], 'Erased worker 17'),
      referringTo(7, 'time_entries', 'worker_id', 17),
      recordsWithText(7, projects, ['Grace'], 20),
    ],
  ],
]
