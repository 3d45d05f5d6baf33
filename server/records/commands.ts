import type { BatchOp } from '#derive/batch-operation.ts'
import type { Definition } from '#registry/definition.ts'
import type { Json } from '#registry/json.ts'
import type { Command } from './command.ts'
import type { ExpectedVersion } from './expected.ts'
import { createRemoval, type PermissionCheck, type RemovalResult } from './remove.ts'
import { type UpsertResult, upsert } from './upsert.ts'
import { createOne, updateOne, type WriteEnding } from './write-record.ts'
import type { ChangeResult, WriteResult } from './write-set.ts'

/** A write of one record. The operation decides whether it is named by `id`, by its external reference, or not. */
export type RecordWrite = WriteEnding & {
  definition: Definition
  id: number
  reference: string
  body: Json
  expected: ExpectedVersion
  /** Checks the resources that are deleted along. */
  mayDo?: PermissionCheck | undefined
}

export type RecordResults = {
  create: WriteResult
  update: ChangeResult
  upsert: UpsertResult
  delete: RemovalResult
}

/** Returns the command of a write, by its operation. */
export const recordCommands: {
  readonly [op in BatchOp]: (companyId: number, wanted: RecordWrite) => Command<RecordResults[op]>
} = {
  create: (companyId, { definition, body, late, isFinal }) => createOne(companyId, definition, { body, late, isFinal }),
  update: (companyId, { definition, id, body, expected, late, isFinal }) =>
    updateOne(companyId, definition, { id, body, expected, late, isFinal }),
  upsert,
  delete: createRemoval,
}
