import { readWriteId } from '../../records/actor.ts'
import { type UndoSummary, undo as undoing } from '../../records/undo.ts'
import type { WriteHandler } from '../handler.ts'
import { createResponse } from '../response.ts'

export const undo: WriteHandler =
  ({ success }) =>
  (companyId, { params: { write_id = '' } }, { dryRun }) => {
    // A text that is no id of a write names no write.
    const writeId = readWriteId(write_id) ?? ''
    return {
      ...undoing(companyId, writeId),
      respond({ records, remaining, effect }: UndoSummary) {
        const data = { write_id: writeId, undone: !dryRun, dry_run: dryRun, records, remaining }
        return { ...createResponse(success, data), effects: [effect] }
      },
    }
  }
