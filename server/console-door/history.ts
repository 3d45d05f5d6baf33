import type { Definition } from '#registry/definition.ts'
import { Refusal } from '#registry/refusals.ts'
import { countHistory, type HistoryRow, historyOfRecord } from '#sql/records/history.ts'
import { recordId } from '../walk/read-intent.ts'
import type { ConsoleRoute } from './asked.ts'
import { readPage, readParameters } from './paging.ts'
import { page } from './reply.ts'

/** Who changed a record, what and when. A deleted record has its history still. */
export const historyOf =
  ({ name }: Definition): ConsoleRoute['answer'] =>
  async (asked) => {
    const wanted = readPage(readParameters(asked, ['limit', 'offset']))
    const { companyId } = asked.session().actor
    const id = recordId(asked)
    const [rows, [count]] = await asked.world.database.transaction(({ run }) =>
      Promise.all([
        run<HistoryRow>(historyOfRecord(companyId, name, id, wanted)),
        run<{ total: number }>(countHistory(companyId, name, id)),
      ]),
    )
    // Every record has at least the line of its creation.
    if (!count || count.total === 0) throw new Refusal('not_found')
    return page(rows.map(shownLine), { total: count.total, ...wanted })
  }

/** A line as it is shown, without the records' own columns. */
export const shownLine = ({ id, at, door, token_label, action, changes, ...row }: HistoryRow) => ({
  id,
  at,
  who: whoOf(row),
  door,
  token_label,
  issuer: issuerOf(row),
  action,
  changes,
})

/** Whoever did it, where it was somebody with an account. */
export const whoOf = ({ account_id, account_name }: { account_id: number | null; account_name: string | null }) =>
  account_id === null ? null : { account_id, name: account_name }

/** Whoever issued the token that did it: it acted for the account, and he could make it act. */
export const issuerOf = ({ issuer_id, issuer_name }: Pick<HistoryRow, 'issuer_id' | 'issuer_name'>) =>
  whoOf({ account_id: issuer_id, account_name: issuer_name })
