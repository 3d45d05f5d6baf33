import { DatabaseError } from 'pg'
import { expect, test } from 'vitest'
import { databaseTrouble } from '#server/commands/database-trouble.ts'
import { mistakeIn } from '#server/commands/mistake.ts'
import { asFault, Fault } from '#server/store/faults.ts'

/** What goes wrong between the service and its database is one sentence, with what to do. */

const ofServer = (code: string, message: string): Error =>
  Object.assign(new DatabaseError(message, message.length, 'error'), { code, severity: 'FATAL' })
const ofSystem = (code: string): Error => Object.assign(new Error(`connect ${code} 10.0.0.1:5432`), { code })
const ofTls = (code: string, more: object = {}): Error => Object.assign(new Error(`tls: ${code}`), { code, ...more })

test.for([
  ...['08000', '08001', '08003', '08004', '08006', '08P01', '28000', '28P01', '3D000', '53000', '53100', '53200'],
  ...['53300', '53400', '57P01', '57P02', '57P03', '57P04', '57P05', '57014', '55P03', '25P03', '42501', '0A000'],
  ...['25006', '55000', '58030'],
])('SQLSTATE %s is told in a sentence.', (code) => {
  const error = ofServer(code, 'what the server says')
  for (const one of [error, new Fault('unavailable', error)]) {
    expect(mistakeIn(one)).toMatch(/^(The database|Another transaction) .*\.$/)
    expect(mistakeIn(one)).not.toMatch(/should not happen|\n/)
  }
})

test.for([
  ...['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'EACCES'],
])('The error %s of a connection is told in a sentence, also where it says no call.', (code) => {
  expect(asFault(ofSystem(code))).toBeInstanceOf(Fault)
  expect(mistakeIn(ofSystem(code))).toMatch(/^The database cannot be reached \(connect /)
})

test.for([
  'Connection terminated unexpectedly',
  'timeout expired',
  'timeout exceeded when trying to connect',
  'Query read timeout',
  'Client was closed and is not queryable',
  'The server does not support SSL connections',
  'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string',
])('The driver’s "%s" is told in a sentence.', (message) => {
  expect(mistakeIn(new Error(message))).toMatch(
    /^The database (cannot be reached|speaks no TLS|asks for a password) \(/,
  )
})

test.for([
  ...['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN'],
  ...['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
  ...['CERT_SIGNATURE_FAILURE', 'CERT_REVOKED', 'CERT_REJECTED', 'CERT_UNTRUSTED', 'CERT_CHAIN_TOO_LONG'],
  ...['INVALID_CA', 'INVALID_PURPOSE', 'PATH_LENGTH_EXCEEDED', 'UNABLE_TO_GET_CRL', 'CRL_HAS_EXPIRED'],
  ...['ERR_TLS_CERT_ALTNAME_INVALID', 'HOSTNAME_MISMATCH', 'UNABLE_TO_DECRYPT_CERT_SIGNATURE'],
])('The code %s of TLS is told as one about the certificate.', (code) => {
  expect(mistakeIn(ofTls(code))).toMatch(/^The certificate of the database is /)
})

test.for(['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_TLS_HANDSHAKE_TIMEOUT'])(
  'The code %s is one of TLS.',
  (code) => {
    expect(mistakeIn(ofTls(code))).toMatch(/^TLS with the database failed /)
  },
)

test('A certificate of another host says whose it is and for whom it was asked.', () => {
  const error = ofTls('ERR_TLS_CERT_ALTNAME_INVALID', {
    host: 'db.example.com',
    cert: { subjectaltname: 'DNS:old.example' },
  })
  expect(mistakeIn(error)).toMatch(
    /^The certificate of the database is for DNS:old.example and not for db.example.com: /,
  )
})

test('Who may not create tables is told the schema and the grant.', () => {
  expect(databaseTrouble(ofServer('42501', 'permission denied for schema erp'))).toBe(
    'The user of DATABASE_URL may not create tables in the schema "erp": make it the owner of the database, or give it "grant create on schema erp".',
  )
})

test('A file is no database.', () => {
  expect(
    databaseTrouble(Object.assign(new Error('no'), { code: 'ENOENT', path: '/x', syscall: 'open' })),
  ).toBeUndefined()
})
