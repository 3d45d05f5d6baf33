import type { Json } from '#registry/json.ts'
import type { Listed } from '#registry/refusals.ts'
import { type MayDo, removal } from '../service/remove-record.ts'
import type { Work } from '../service/work.ts'
import { change, creation } from '../service/write-record.ts'
import { type Answer, envelope, recordTag } from './answer.ts'
import type { Call } from './call.ts'
import { type Intent, recordId } from './read-intent.ts'

/**
 * The work that a write asks for, ending in its envelope. Whether it stays done is decided by who carries it out.
 * `mayDo` is asked for what goes along with a deletion; /v1 asks for the scope of its route and nothing more.
 */
export function perform(
  companyId: number,
  call: Call,
  { dryRun, body, expected }: Intent,
  mayDo?: MayDo,
): Work<Answer> {
  const { definition, operation, success } = call.route
  switch (operation) {
    case 'create':
      return answered(creation(companyId, definition, body), ({ id, version, json }) => {
        if (dryRun) return answer(200, { id: null, created: false, dry_run: true })
        const headers = { Location: `/v1/${definition.name}/${id}`, ETag: recordTag(version, json) }
        return { ...answer(success, { id, created: true, dry_run: false }, headers), recordId: id }
      })
    case 'update':
      return answered(
        change(companyId, definition, recordId(call), body, expected),
        ({ id, version, json, changed }) => {
          const updated = changed.length > 0 && !dryRun
          // A dry-run leaves the record, and so its tag, as it is; it shows none.
          const headers = dryRun ? {} : { ETag: recordTag(version, json) }
          return answer(success, { id, updated, dry_run: dryRun, changed }, headers)
        },
      )
    case 'delete': {
      const id = recordId(call)
      return answered(removal(companyId, { definition, id, expected, mayDo }), ({ mode, wentAlong, kept }) => {
        const [along, stay] = [asJson(wentAlong), asJson(kept)]
        return answer(
          success,
          dryRun
            ? { id, deleted: false, dry_run: true, mode, would_delete: along, would_keep: stay }
            : { id, deleted: true, dry_run: false, mode, deleted_with: along, kept: stay },
        )
      })
    }
    default:
      throw new Error(`${operation} is no write`)
  }
}

const answered = <T>({ look, carryOut }: Work<T>, say: (done: T) => Answer): Work<Answer> => ({
  look,
  carryOut: async (transaction, actor, seen) => say(await carryOut(transaction, actor, seen)),
})

const answer = (status: number, data: { [member: string]: Json }, headers: Answer['headers'] = {}): Answer => ({
  status,
  code: null,
  headers,
  body: envelope(data),
})

const asJson = (groups: readonly Listed[]): Json => groups as readonly unknown[] as Json
