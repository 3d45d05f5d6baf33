import { withoutStop } from './sentence.ts'

/** Why the database could not be used, as a sentence that says what to do; undefined where it is not about that. */
export function databaseTrouble(error: unknown): string | undefined {
  const { code = '', syscall, severity, message } = (error ?? {}) as Known
  const reason = withoutStop(message || code)
  if (severity !== undefined) return (refused[code] ?? refused[code.slice(0, 2)] ?? otherwise)(reason)
  if (syscall !== undefined && onTheWay.includes(syscall)) return unreachable(reason)
  return lost.test(reason) ? unreachable(reason) : undefined
}

type Known = { code?: string; syscall?: string; severity?: string; message?: string }

const onTheWay = ['connect', 'getaddrinfo', 'read', 'write']

/** What the driver says without a code. */
const lost =
  /timeout expired|timeout exceeded when trying to connect|Connection terminated|server does not support SSL|SASL|self-signed certificate/i

const unreachable = (reason: string): string =>
  `The database cannot be reached (${reason}): see that it runs and that DATABASE_URL is right.`

const otherwise = (reason: string): string => `The database refused (${reason}).`

/** By SQLSTATE or its class. */
const refused: { readonly [code: string]: (reason: string) => string } = {
  '28': (reason) => `The database refused the sign-in (${reason}): correct the user and the password in DATABASE_URL.`,
  '3D': (reason) => `The database is not there (${reason}): create it, or correct its name in DATABASE_URL.`,
  '42501': (reason) =>
    `The database does not permit this (${reason}): make the user of DATABASE_URL the owner of its database.`,
  '0A': (reason) => `The database cannot do this (${reason}): use PostgreSQL 15 or later with its contrib extensions.`,
  '53': (reason) => `The database has no room (${reason}): give it more, or lower DATABASE_CONNECTIONS.`,
  '57P': (reason) => `The database is stopping or starting (${reason}): try again in a moment.`,
  '57P03': (reason) => `The database is starting (${reason}): try again in a moment.`,
  '55P03': () => 'Another transaction holds what this needs: try again in a moment.',
  '57014': () => 'The database took longer than STATEMENT_TIMEOUT_MS allows: try again, or raise it.',
  '25006': (reason) => `The database takes no writes (${reason}): set DATABASE_URL to the primary server.`,
}
