/**
 * Statements that are about no company, or about all of them, by the beginning of their names or, without one, of their texts.
 * Each is asked seldom, or of the coordinator alone.
 */
const unrouted: { readonly [why: string]: readonly string[] } = {
  'ids are drawn from the sequences of the coordinator': [
    ...['select nextval(', 'history.ids', 'papers.ids', 'workers.ids', 'removals.id'],
  ],
  'a lock that is about no row is taken on the coordinator, through which every call comes': [
    ...['tree.lock', 'gate.pass', 'gate.close', 'batch.lock', 'select pg_advisory_xact_lock'],
    'previews.turn',
    'previews.hour-turn',
    'select pg_try_advisory_xact_lock',
  ],
  'attempts are counted before there is a company': ['attempts.'],
  'who signs in names no company': ['logins.'],
  'the operator names an account, or nothing at all': [
    ...[
      'select company_id from accounts where id = ',
      'select company_id, id, sealed from tokens',
      'select quote_ident(',
      'accounts.twins',
      'records.twins',
    ],
    ...['select current_setting(', 'select identity = ', 'with newest as'],
  ],
  'the demo is looked for among all companies': [
    ...[
      'select id, name from companies where is_demo',
      'select d.company_id',
      'select exists (select from demo_removals)',
    ],
    ...['insert into demo_removals', 'select (select count(*)::int from ( select from accounts'],
  ],
  'keys are changed for all companies': ['select company_id, id as id, sealed as sealed from tokens'],
  'what is over is looked for among all companies, and removed from one after the other': [
    ...['select company_id, key::text as key from', 'select company_id, id::text as key from'],
    ...['select company_id, request_id::text as key from call_details where at', 'row-counts.next'],
    ...['calls.old-companies', 'audit.old-companies', 'call-details.unwanted-companies'],
    ...['previews.companies-with-told', 'previews.companies-with-old'],
    ...['webhook-attempts.sending-companies', 'webhook-attempts.deleted-companies', 'webhook-attempts.older'],
  ],
  'what earlier versions did not write is added to one company after the other': ['companies.after'],
  'it is about the session of a connection': [
    ...[
      'select pg_backend_pid() as pid',
      'select a.*',
      'select pid, backend_start::text',
      'select case when current_setting(',
    ],
  ],
  'the operator compares all companies': ['usage.of-companies', 'companies.list'],
  'calls of many companies are noted at once': ['calls.insert'],
  'all companies that wait are looked after by one statement': [
    ...['changes.of-companies', 'changes.mark', 'changes.sweep-company-marks', 'changes.horizons'],
    ...['webhooks.due', 'webhooks.figures', 'webhooks.claims', 'previews.count'],
  ],
}

/** Names that a company's own statement shares with the beginning of one of these. */
const routed = ['changes.mark-company']

export const beginnings = Object.values(unrouted).flat()

export const isUnrouted = ({ name, text }: { name?: string | undefined; text: string }): boolean =>
  beginningOf({ name, text }) !== undefined

/** Which of them it is. */
export function beginningOf({ name, text }: { name?: string | undefined; text: string }): string | undefined {
  const shown = (name ?? text).replace(/\s+/g, ' ').trim()
  return routed.includes(shown) ? undefined : beginnings.find((beginning) => shown.startsWith(beginning))
}
