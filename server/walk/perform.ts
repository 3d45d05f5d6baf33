import type { Json } from '#registry/json.ts'
import type { Actor } from '../service/actor.ts'
import { type Listed, removeRecord } from '../service/remove-record.ts'
import { changeRecord, createRecord } from '../service/write-record.ts'
import type { Transaction } from '../store/database.ts'
import { type Answer, envelope, recordTag } from './answer.ts'
import type { Call } from './call.ts'
import { type Intent, recordId } from './read-intent.ts'

/** Does what a write asks for and says so in its envelope. Whether it stays done is decided by the caller. */
export async function perform(transaction: Transaction, actor: Actor, call: Call, intent: Intent): Promise<Answer> {
  const { definition, operation, success } = call.route
  const { dryRun, body, expected } = intent
  switch (operation) {
    case 'create': {
      const { id, version, json } = await createRecord(transaction, actor, definition, body)
      if (dryRun) return answer(200, { id: null, created: false, dry_run: true })
      const headers = { Location: `/v1/${definition.name}/${id}`, ETag: recordTag(version, json) }
      return { ...answer(success, { id, created: true, dry_run: false }, headers), recordId: id }
    }
    case 'update': {
      const { id, version, json, changed } = await changeRecord(
        transaction,
        actor,
        definition,
        recordId(call),
        body,
        expected,
      )
      const updated = changed.length > 0 && !dryRun
      // A dry-run leaves the record, and so its tag, as it is; it shows none.
      const headers = dryRun ? {} : { ETag: recordTag(version, json) }
      return answer(success, { id, updated, dry_run: dryRun, changed }, headers)
    }
    case 'delete': {
      const id = recordId(call)
      const { mode, wentAlong, kept } = await removeRecord(transaction, actor, definition, id, expected)
      const [along, stay] = [asJson(wentAlong), asJson(kept)]
      return answer(
        success,
        dryRun
          ? { id, deleted: false, dry_run: true, mode, would_delete: along, would_keep: stay }
          : { id, deleted: true, dry_run: false, mode, deleted_with: along, kept: stay },
      )
    }
    default:
      throw new Error(`${operation} is no write`)
  }
}

const answer = (status: number, data: { [member: string]: Json }, headers: Answer['headers'] = {}): Answer => ({
  status,
  code: null,
  headers,
  body: envelope(data),
})

const asJson = (groups: readonly Listed[]): Json => groups as readonly unknown[] as Json
