import { staleCode } from '#sql/statement.ts'

/**
 * The failure of a dependency. A caller gets only the code; the cause is for the log. `outcome_unknown`: the connection
 * was lost while the commit was on its way.
 */
export class Fault extends Error {
  readonly code: 'unavailable' | 'outcome_unknown'
  constructor(code: 'unavailable' | 'outcome_unknown', cause: unknown) {
    super(code, { cause })
    this.name = 'Fault'
    this.code = code
  }
}

type CodedError = { code?: unknown; message?: unknown; constraint?: unknown; file?: unknown }

/** Messages of the driver for lost connections and time-outs, which carry no code. */
const lostConnection =
  /Connection terminated|timeout exceeded when trying to connect|timeout expired|not queryable|Client was closed|Query read timeout|terminating connection/i

/**
 * Messages of a coordinator that loses a server behind it during a transaction, as an internal error. Some are its own;
 * others are of its driver, without a code.
 */
const lostServer = [
  'connection marked as essential',
  'on at least one active node',
  'failed to prepare transaction',
  'terminating connection',
  'server closed the connection',
  'connection not open',
  'no connection to the server',
  'could not receive data from server',
  'could not send data to server',
]

/**
 * Codes of failures that pass. PostgreSQL: connection exceptions, refused sign-in, no such database, resources,
 * shutdown, start-up, time-outs of a statement, a lock, an idle or a whole transaction, read-only mode, a failing disk.
 * Node: sockets.
 */
const passing =
  /^(08...|28...|3D000|53...|57P0[1-5]|57014|55P03|25P0[34]|25006|58030|ECONNREFUSED|ECONNRESET|ENOENT|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN|EACCES)$/

/** Returns whether the disk is read-only. The code is that of a missing right; the source file differs. */
const isReadOnlyDisk = ({ code, file }: CodedError): boolean => code === '42501' && (file === 'md.c' || file === 'fd.c')

/** Returns an error of the database as a `Fault` if it is one, else the error itself. */
export function asFault(error: unknown): unknown {
  if (error instanceof Fault) return error
  const { code, message, file } = (error ?? {}) as CodedError
  const isFault =
    (typeof code === 'string' && passing.test(code)) ||
    isReadOnlyDisk({ code, file }) ||
    (code === undefined && typeof message === 'string' && lostConnection.test(message)) ||
    (code === 'XX000' && lostServer.some((text) => String(message).includes(text)))
  return isFault ? new Fault('unavailable', error) : error
}

/** Returns the code of a conflict between two transactions, or undefined. A retry of one of them passes. */
export const conflictCode = (error: unknown): string | undefined =>
  ['40001', '40P01', staleCode].find((code) => code === (error as CodedError | null)?.code)

export const isConflict = (error: unknown): boolean => conflictCode(error) !== undefined

/** Returns whether the connection itself is lost, not only the statement. */
export function isConnectionLost(error: unknown): boolean {
  const { code, message } = ((error instanceof Fault ? error.cause : error) ?? {}) as CodedError
  if (typeof code === 'string') return /^(08...|57P0[1-5]|25P0[34]|E[A-Z]+)$/.test(code)
  return typeof message === 'string' && lostConnection.test(message)
}

/** Returns the unique index that refused a write, or undefined. */
export function violatedIndex(error: unknown): string | undefined {
  const { code, constraint, message } = (error ?? {}) as CodedError
  if (code !== '23505') return undefined
  if (typeof constraint === 'string') return constraint
  // A coordinator forwards the message of a server, where the index of its part has a number behind the name.
  const [, index = ''] = String(message).split('"')
  return index.slice(0, index.lastIndexOf('_'))
}

/** Returns whether the plan had too few slots for a write that did not wait for the count. */
export const isPlanFull = (error: unknown): boolean => {
  const { code, column, message } = (error ?? {}) as CodedError & { column?: unknown }
  return code === '23502' && (column === 'used' || String(message).includes('"used"'))
}
