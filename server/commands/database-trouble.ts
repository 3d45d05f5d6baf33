import { withoutStop } from '#derive/format-printable.ts'
import { asFault, Fault } from '../store/faults.ts'

/** Formats why the database could not be used and what to do. Returns undefined for any other error. */
export function databaseTrouble(error: unknown): string | undefined {
  const known = (error ?? {}) as KnownError
  const { code = '', path, severity, syscall, message } = known
  const reason = withoutStop(message || code)
  if (severity !== undefined)
    return (refused[code] ?? refused[code.slice(0, 3)] ?? refused[code.slice(0, 2)] ?? formatOther)(reason)
  if (isOfTls.test(code)) return certificateTrouble(known, reason)
  const driver = ofDriver.find(([words]) => words.test(reason))
  if (driver !== undefined) return driver[1](reason)
  // An error with a path is about a file, unless its system call is that of a Unix socket.
  if (path !== undefined && !onTheWay.includes(syscall ?? '')) return undefined
  return asFault(error) instanceof Fault || onTheWay.includes(syscall ?? '') ? formatUnreachable(reason) : undefined
}

type KnownError = {
  code?: string
  path?: string
  syscall?: string
  severity?: string
  message?: string
  host?: string
  cert?: { subjectaltname?: string; subject?: { CN?: string } }
}

const onTheWay = ['connect', 'getaddrinfo', 'read', 'write']

/** Error codes of certificate checks by OpenSSL and by Node. */
const isOfTls =
  /CERT|_CRL|^CRL_|^ERR_(SSL|TLS)_|^EPROTO$|^HOSTNAME_MISMATCH$|^UNABLE_TO_VERIFY_|^INVALID_(CA|PURPOSE)$|^PATH_LENGTH_EXCEEDED$|_ISSUER_PUBLIC_KEY$/

function certificateTrouble({ code = '', host, cert }: KnownError, reason: string): string {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID' || code === 'HOSTNAME_MISMATCH') {
    const names = cert?.subjectaltname ?? cert?.subject?.CN ?? 'another name'
    return `The certificate of the database is for ${names} and not for ${host ?? 'the host of DATABASE_URL'}: name the host in DATABASE_URL as its certificate does.`
  }
  if (/EXPIRED|NOT_YET_VALID/.test(code))
    return `The certificate of the database is not valid at this time (${reason}): renew it, or set the clocks by NTP.`
  if (!/^E/.test(code))
    return `The certificate of the database is not trusted (${reason}): name the file of the authority that signed it by sslrootcert in DATABASE_URL.`
  return `TLS with the database failed (${reason}): see that DATABASE_URL names PostgreSQL and that its TLS is set up.`
}

const formatUnreachable = (reason: string): string =>
  `The database cannot be reached (${reason}): see that it runs and that DATABASE_URL is right.`

const formatOther = (reason: string): string => `The database refused (${reason}).`

/** Messages of errors of the driver that have no code. */
const ofDriver: readonly [words: RegExp, sentence: (reason: string) => string][] = [
  [
    /server does not support SSL/i,
    (reason) => `The database speaks no TLS (${reason}): switch it on there, or leave sslmode out of DATABASE_URL.`,
  ],
  [
    /password must be a/i,
    (reason) => `The database asks for a password (${reason}): give it in DATABASE_URL or by DATABASE_PASSWORD_FILE.`,
  ],
  [/SASL/, formatUnreachable],
]

/** Formats the advice for a user who may not create tables in a schema. */
export const mayNotCreate = (schema: string): string =>
  `The user of DATABASE_URL may not create tables in the schema "${schema}": make it the owner of the database, or give it "grant create on schema ${schema}".`

/** Messages by SQLSTATE or its class. */
const refused: { readonly [code: string]: (reason: string) => string } = {
  '28': (reason) =>
    `The database refused the sign-in (${reason}): correct the user in DATABASE_URL, and the password there or in DATABASE_PASSWORD_FILE.`,
  '3D': (reason) => `The database is not there (${reason}): create it, or correct its name in DATABASE_URL.`,
  '42501': (reason) => {
    const schema = reason.split('for schema ')[1]?.replaceAll('"', '')
    return schema
      ? mayNotCreate(schema)
      : `The database does not permit this (${reason}): make the user of DATABASE_URL the owner of its database.`
  },
  '0A': (reason) => `The database cannot do this (${reason}): use PostgreSQL 15 or later with its contrib extensions.`,
  '53': (reason) => `The database has no room (${reason}): give it more.`,
  '53300': (reason) =>
    `The database has no connection left (${reason}): raise its limit, or lower DATABASE_CONNECTIONS.`,
  '57P': (reason) => `The database is stopping or starting (${reason}): try again in a moment.`,
  '57P03': (reason) => `The database is starting (${reason}): try again in a moment.`,
  '55P03': () => 'Another transaction holds what this needs: try again in a moment.',
  '57014': () => 'The database took longer than STATEMENT_TIMEOUT_MS allows: try again, or raise it.',
  '58': (reason) =>
    `The database cannot use its disk (${reason}): look at the log of PostgreSQL, and mend or change the disk.`,
  '55000': formatReadOnly,
  '25006': formatReadOnly,
}

function formatReadOnly(reason: string): string {
  return `The database takes no writes (${reason}): set DATABASE_URL to the primary server.`
}
