import { type CompanyHistory, type History, hasSucceeded } from './history.ts'

type Trial = { what: string; count(company: CompanyHistory): number }

const calls = (what: string, isOne: (call: CompanyHistory['calls'][number]) => boolean): Trial => ({
  what,
  count: (company) => company.calls.filter(isOne).length,
})
const keys = ({ calls }: CompanyHistory): number => new Set(calls.flatMap(({ key }) => key ?? [])).size
const sum = (lists: Iterable<{ length: number }>): number => [...lists].reduce((total, { length }) => total + length, 0)

/** What of a history each rule looks at, by the name of the rule. */
export const trials: { readonly [rule: string]: Trial } = {
  'one effect a key': { what: 'keys', count: keys },
  'one effect a call': calls('creates', (call) => call.method === 'POST' && call.record !== null && hasSucceeded(call)),
  'nothing lost': calls(
    'writes that were answered with success',
    (call) => call.method !== 'GET' && hasSucceeded(call),
  ),
  'nothing unasked': { what: 'changes', count: ({ feed }) => feed.length },
  'a replay is the first answer': calls('replays', ({ replayed }) => replayed),
  'one company': { what: 'changes', count: ({ feed }) => feed.length },
  'versions without gap or fork': { what: 'changes', count: ({ feed }) => feed.length },
  'lists = feed = history': { what: 'records', count: ({ byRecord }) => byRecord.size },
  tombstones: {
    what: 'ends of records',
    count: ({ feed }) => feed.filter(({ action }) => action === 'deleted' || action === 'erased').length,
  },
  'no older answer': calls('reads of a record', (call) => call.method === 'GET' && call.version !== null),
  'If-Match': calls('calls with If-Match', ({ ifMatch }) => ifMatch !== undefined),
  'If-Plan': calls('calls with If-Plan', ({ ifPlan }) => ifPlan !== undefined),
  'undo leaves what was before': calls(
    'undos',
    (call) => /^\/v1\/writes\/.*\/undo$/.test(call.path) && hasSucceeded(call),
  ),
  references: calls('deletions', (call) => call.method === 'DELETE' && hasSucceeded(call)),
  'plan limit': calls('creates that the plan refused', ({ status }) => status === 402),
  followers: { what: 'changes told', count: ({ told }) => sum(told.values()) },
  webhooks: {
    what: 'messages',
    count: ({ endpoints }) => sum([...endpoints.values()].map(({ deliveries }) => deliveries)),
  },
  revocation: calls('calls that were refused as unauthorized', ({ status }) => status === 401),
}

/** How often a history tries each rule. */
export const countTrials = ({ companies }: History): { [rule: string]: number } =>
  Object.fromEntries(
    Object.entries(trials).map(([rule, { count }]) => [
      rule,
      companies.reduce((total, company) => total + count(company), 0),
    ]),
  )
