import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { fieldOfIndex, uniqueFields } from '#sql/records/columns.ts'
import { type HolderRow, holdersOf } from '#sql/records/sets.ts'
import { conflict } from '#sql/statement.ts'
import { violatedIndex } from '../../store/faults.ts'
import { notUnique } from '../check-record.ts'
import { type Run, refusalOf, Undone, type WantedRow } from './run.ts'

type Writing = { row: WantedRow; values: JsonObject; id: number | null }

/**
 * A write of many that may meet a unique index: somebody else took a value between our read and our write. The whole
 * transaction is undone and looks again, which finds what was taken; where the same happens once more, the rows whose
 * values are taken by then are named.
 */
export async function uniquely<Row>(
  run: Run,
  definition: Definition,
  writing: readonly Writing[],
  write: () => Promise<Row[]>,
): Promise<Row[]> {
  const { transaction, actor, late, outcomes } = run
  try {
    return await write()
  } catch (error) {
    if (fieldOfIndex(definition, violatedIndex(error) ?? '') === undefined) throw error
    if (late.times++ === 0) throw conflict(error)
    transaction.undo()
    let named = 0
    for (const field of uniqueFields(definition)) {
      const given = writing.map(({ values }) => (typeof values[field] === 'string' ? values[field] : null))
      const rows = await transaction.run<HolderRow>(holdersOf(actor.companyId, definition, field, given))
      for (const { place, holder } of rows) {
        const { row, id } = writing[place - 1] as Writing
        if (holder === null || holder === id) continue
        outcomes[row.n] = refusalOf([notUnique(field)], [])
        named++
      }
    }
    throw named === 0 ? conflict(error) : new Undone()
  }
}
