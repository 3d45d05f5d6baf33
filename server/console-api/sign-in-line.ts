import { createHmac } from 'node:crypto'
import { Refusal } from '#registry/refusals.ts'
import type { Session } from '../service/session.ts'
import type { AdmittedRequest } from './operation-request.ts'

/** What the log says of a sign-in: who, from where, and what came of it. Decisions, Console. */
export function signInLine(
  { app: { log }, client: { peer, forwardedFor }, requestId }: AdmittedRequest,
  address: string,
  key: string,
) {
  const line = {
    ...{ request_id: requestId, peer: peer ?? null, address_key: addressKey(key, address) },
    ...(forwardedFor === null ? {} : { forwarded_for: forwardedFor }),
  }
  return {
    succeeded: ({ key, row }: Session): void =>
      log.info({ ...line, account_id: row.account_id, company_id: key.companyId }, 'signed in'),
    /** A fault has a line of its own. */
    failed: (error: unknown): void => {
      if (error instanceof Refusal) log.info({ ...line, code: error.code }, 'sign-in refused')
    },
  }
}

/** The same for the same address, and nothing that the address can be found by without the service's key. */
const addressKey = (key: string, address: string): string =>
  createHmac('sha256', key).update(`sign-in address:${address.trim().toLowerCase()}`).digest('hex').slice(0, 16)
