import type { RefusalCode } from '#registry/refusals.ts'

/** Every exit code, with its meaning. A code keeps its meaning: scripts branch on it. */
export const exitCodes = {
  done: { code: 0, meaning: 'done' },
  failed: { code: 1, meaning: 'refused or failed: not found, a conflict, a problem that "doctor" found' },
  usage: {
    code: 2,
    meaning:
      'usage: an unknown command or option, an argument that is missing or not valid, a setting that is not valid',
  },
  unavailable: {
    code: 3,
    meaning: 'unavailable: the database cannot be reached or used, or it is unknown whether the change was made',
  },
  rowsRefused: { code: 4, meaning: 'rows refused: "import" would leave rows out' },
  stopped: { code: 130, meaning: 'stopped by Ctrl-C; "serve" answers what it accepted and ends with 0' },
} as const

export type Exit = keyof typeof exitCodes

/** Error codes that only commands have, with their exit codes. */
const ownCodes = {
  usage: 'usage',
  config_invalid: 'usage',
  file_not_found: 'failed',
  file_not_readable: 'failed',
  rows_refused: 'rowsRefused',
  failed: 'failed',
} as const satisfies { readonly [code: string]: Exit }

/** Refusals because something is unavailable, and not because the request is wrong. */
const unavailable: readonly RefusalCode[] = ['unavailable', 'overloaded', 'outcome_unknown']

/** The `code` of an error with `--json`: one of the API's refusals, or one of the command. It is never renamed. */
export type ErrorCode = RefusalCode | keyof typeof ownCodes

export const exitOf = (code: ErrorCode): Exit =>
  code in ownCodes
    ? ownCodes[code as keyof typeof ownCodes]
    : unavailable.includes(code as RefusalCode)
      ? 'unavailable'
      : 'failed'

/** Formats the table for `--help`. */
export const exitCodesHelp = [
  'Exit codes:',
  ...Object.values(exitCodes).map(({ code, meaning }) => `  ${String(code).padEnd(4)}${meaning}`),
].join('\n')
