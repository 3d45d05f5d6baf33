import { agentDefaults } from '#registry/agents.ts'
import { agentWithCaller } from '#sql/records/agents.ts'
import { holdAgents, selectAgents, updateAgents } from '#sql/system/companies.ts'
import {
  companiesWithOldPreviews,
  companiesWithTold,
  countPreviews,
  decidePreview,
  emptyPreviews,
  endPreviews,
  forgetTold,
  hourOfAgents,
  insertPreview,
  judgedPreview,
  latestPreviews,
  letWait,
  previewRoom,
  settlePreview,
  shownPreview,
  sweepPreviews,
  takeHourTurn,
  takeTurn,
  waitingPreviews,
} from '#sql/system/previews.ts'
import { ask, type Topic } from './examples.ts'

const id = '0192f3a1-5c1e-7b3a-9d43-6f0c1c2f8a55'
const plan = { hash: 'sha256-h', total: 0, changes: [], would_delete: [], would_keep: [] }
const preview = {
  id,
  token_id: 9,
  client: 'agent',
  why: 'asked for',
  call: { operations: [] },
  hash: plan.hash,
  plan,
  expires_at: '2026-03-02T00:00:00Z',
}

/** Statements of the settings of agents, and of their previews. */
export const ofTheAgents: readonly Topic[] = [
  ['agents', [agentWithCaller(ask), selectAgents(7), holdAgents(7), updateAgents(7, agentDefaults)]],
  [
    'previews',
    [
      takeTurn(7),
      previewRoom(7, null),
      insertPreview(7, preview),
      judgedPreview(7, id, false),
      judgedPreview(7, id, true),
      letWait(7, id),
      decidePreview(7, id, { state: 'approved', accountId: 8 }),
      decidePreview(7, id, { state: 'declined', accountId: 8 }),
      settlePreview(7, id, { writeId: id, results: [], recordsAlone: 3 }),
      takeHourTurn(7),
      hourOfAgents(7),
      shownPreview(7, id),
      latestPreviews(7, 100),
      waitingPreviews(7),
      endPreviews(7),
      emptyPreviews(7),
      companiesWithTold(0, 1000),
      forgetTold(7, 1000),
      companiesWithOldPreviews(400, 0, 1000),
      sweepPreviews(7, 400, 1000),
      countPreviews(),
    ],
  ],
]
