import type { Definition } from '#registry/definition.ts'
import { Refusal } from '#registry/refusals.ts'
import { type HolderRow, holdersOf } from '#sql/records/sets.ts'
import type { Transaction } from '../store/database.ts'

/** The live record with an external reference. */
export async function idOfReference(
  transaction: Transaction,
  companyId: number,
  definition: Definition,
  reference: string,
): Promise<number> {
  const [id] = await idsOfReferences(transaction, companyId, definition, [reference])
  if (id === null || id === undefined) throw new Refusal('not_found')
  return id
}

/** The same of many; null where there is none. */
export async function idsOfReferences(
  transaction: Transaction,
  companyId: number,
  definition: Definition,
  references: readonly (string | undefined)[],
): Promise<(number | null)[]> {
  const given = references.map((reference) => reference?.trim() ?? null)
  const rows = await transaction.run<HolderRow>(holdersOf(companyId, definition, 'external_ref', given))
  const holders = new Map(rows.map(({ place, holder }) => [place, holder]))
  return references.map((_, index) => holders.get(index + 1) ?? null)
}
