import { undo as undoing } from '../../service/undo.ts'
import type { WriteHandler } from '../handler.ts'
import { answer, answered } from './answered.ts'

export const undo: WriteHandler =
  ({ success }) =>
  (companyId, { params: { write_id = '' } }, { dryRun }) => {
    const writeId = uuid.test(write_id) ? write_id.toLowerCase() : ''
    return answered(undoing(companyId, writeId), ({ records, remaining, effect }) => {
      const data = { write_id: writeId, undone: !dryRun, dry_run: dryRun, records, remaining }
      return { ...answer(success, data), effects: [effect] }
    })
  }

/** What is no id of a write names none. */
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
