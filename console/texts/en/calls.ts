import { refusals } from '#registry/refusals.ts'
import { createCountFormat } from '../count.ts'

const formatCount = createCountFormat('en')

/** The outcomes of a call. */
export const outcomes: { [outcome: string]: string } = {
  ok: 'Answered',
  refused: 'Refused',
  replayed: 'Replayed',
  dry_run: 'Dry-run',
}

/** The texts of the log of calls. */
export const calls = {
  none: 'No calls match',
  noneLead: 'Calls appear here within a second. Change the filters if you expect some.',
  matching: (count: number) => formatCount(count, { one: '# call', other: '# calls' }),
  time: 'Time',
  route: 'Route',
  status: 'Status',
  code: 'Code',
  about: 'About',
  duration: 'Duration',
  peer: 'From',
  client: 'Claims to be',
  marks: 'Remarks',
  dryRun: 'Dry-run',
  replayed: 'Replayed',
  oldToken: 'Old token',
  counted: 'Counted',
  token: 'Token',
  record: 'Record',
  operations: 'Operations',
  request: 'Request',
  outcome: 'Outcome',
  outcomes,
  any: 'Any',
  fromDay: 'From',
  toDay: 'To',
  dayHint: 'Days are those of UTC.',
  copyAddress: 'Copy the address of this page',
  open: (time: string) => `Open the call of ${time}`,
  one: (method: string, path: string) => `${method} ${path}`,
  all: 'All calls',
  gate: 'Refused by',
  gates: {
    token: 'the check of the token',
    address: 'the list of allowed addresses',
    scope: 'the rights of the token',
    'add-on': 'the add-ons of the company',
  } as { [gate: string]: string },
  advice: 'What to do',
  advices: Object.fromEntries(Object.entries(refusals).map(([code, { advice }]) => [code, advice])) as {
    [code: string]: string
  },
  tokenGone:
    'The token was rotated, revoked or at its end before this call. Give the integration that made it the active token.',
  accountDisabled: 'The account behind the token is disabled. Enable it, or issue a token from another account.',
  lacking: {
    neither: (scope: string) => `Neither the token nor its account holds ${scope}.`,
    token: (scope: string) => `The token does not hold ${scope}; its account does.`,
    account: (scope: string) => `The token holds ${scope}, but its account does not.`,
    none: (scope: string) => `By now the token and its account hold ${scope}.`,
  },
  changeScopes: 'Change what the token may do',
  problems: 'What is wrong',
  sent: 'Request',
  answer: (status: number) => `Answer: ${status}`,
  masked: 'Fields that not everybody sees are masked.',
  cut: 'Only the beginning is kept.',
  leftOut: (bytes: string) =>
    `The body is not kept: it was refused unread, is too long, or cannot be told apart (${bytes} bytes).`,
  notKept:
    'What was said is not kept of this call: the switch is off, its time is over, or there was too much at once.',
  hidden: (permission: string) => `What was said is shown to those who hold ${permission}.`,
  curl: 'As curl',
  copyCurl: 'Copy as curl',
  curlHint: 'Put the token into a variable TOKEN first; it is nowhere in this line.',
  repeat: 'Send again as dry-run',
  repeatLead:
    'Checked as it would be now, for you instead of the token. Nothing is written, and it does not count as a call.',
  notRepeatable: {
    read: 'Only the create, update or delete of a record by its id can be sent again.',
    not_whole: 'It cannot be sent again, because its request is not kept whole.',
    not_held: 'It cannot be sent again by you: you lack its right.',
  },
  repeated: {
    well: (status: number) => `It would succeed now (${status}).`,
    refused: (status: number) => `It would be refused now (${status}).`,
  },
  failures: 'What fails',
  failuresLead: 'Refusals of the last seven days, alike ones together.',
  noFailures: 'Nothing was refused in the last seven days.',
  failure: (count: number, since: string) =>
    formatCount(count, { one: `once, ${since}`, other: `# times since ${since}` }),
  on: 'on',
  showFailures: (what: string) => `Show calls: ${what}`,
  lastFailure: 'Open the last one',
  keeping: 'What calls say',
  keepingLead: (days: number) =>
    `Requests and answers are kept for ${formatCount(days, { one: '# day', other: '# days' })}, up to 16 KiB of each and not of every call when there are many. Sensitive fields are masked, tokens never kept.`,
  keepingNever: 'Whoever runs the service has decided that nothing of it is kept.',
  keepingSwitch: 'Keep requests and answers',
  keepingOn: 'What calls say is kept from now on.',
  keepingOff: 'What calls say is not kept any more, and what there was is removed.',
}
