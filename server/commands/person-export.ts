import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type PersonKind, personKinds } from '#registry/persons.ts'
import { auditOfPerson, type PersonAuditRow } from '#sql/system/audit.ts'
import { type AccountCallRow, type AccountSessionRow, callsOfPerson, sessionsOfPerson } from '#sql/system/persons.ts'
import { systemClock } from '../app.ts'
import { createComplete } from '../backup/create-complete.ts'
import { readPerson, readReferring, resourceOf } from '../service/persons.ts'
import type { Transaction } from '../store/database.ts'
import type { CommandContext } from './terminal.ts'
import { formatCompanyName, sayOf } from './with-app.ts'

/** Most listed calls of an account. Older calls are only counted, in the days of the company. */
const callsMax = 10_000

export const kindNamed = (name: string): PersonKind => personKinds.find((kind) => kind.name === name) as PersonKind

export const exportPerson = (
  context: CommandContext,
  name: string,
  id: number,
  { company: companyId, to }: { company: number; to?: string },
): Promise<void> =>
  sayOf(context, { company: companyId }, async ({ transaction, company }) => {
    const kind = kindNamed(name)
    const request = { companyId, kind, id }
    const { record, deletedAt, history, removals, papers } = await readPerson(transaction, request, false)
    const referring = await readReferring(transaction, request)
    const json = {
      ...{ company_id: companyId, kind: name, id, exported_at: systemClock.now().toISOString() },
      record,
      deleted_at: deletedAt,
      history: history.map(({ id: _, ...row }) => row),
      removals,
      papers: papers.map(({ id: _, ...paper }) => paper),
      referred_to_by: referring.map(({ records, field, ids }) => ({ records, field, ids })),
      ...(resourceOf(kind) ? {} : await accountParts(transaction, companyId, id)),
    }
    const text = JSON.stringify(json, null, 2)
    if (to === undefined) return { json, text }
    await createComplete({ to, ifTaken: 'name another file', remedy: 'name a file on another disk' }, (fresh) =>
      writeFile(fresh, `${text}\n`, { flag: 'wx', mode: 0o600, flush: true }),
    )
    return {
      json: { file: resolve(to), company_id: companyId, kind: name, id },
      text: `Wrote all that is kept of the ${kind.one} ${id} of ${formatCompanyName(company)} to ${resolve(to)}.`,
    }
  })

/** Reads the parts of an account. The sign-ins are the starts of its sessions. */
async function accountParts(transaction: Transaction, companyId: number, id: number) {
  const [sessions, audit, calls] = await Promise.all([
    transaction.run<AccountSessionRow>(sessionsOfPerson(companyId, id)),
    transaction.run<PersonAuditRow>(auditOfPerson(companyId, id)),
    transaction.run<AccountCallRow>(callsOfPerson(companyId, id, callsMax)),
  ])
  return { sessions, signed_in_at: sessions.map(({ created_at }) => created_at), audit, calls }
}
