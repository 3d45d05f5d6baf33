import type { ImportResult, LookUpResult } from '#derive/console/responses.ts'
import type { Definition } from '#registry/definition.ts'
import { importRowsMax, lookedUpMax, namesakesMax } from '#registry/limits.ts'
import { invalidField, Refusal } from '#registry/refusals.ts'
import { type NamesakeRow, namesakes } from '#sql/records/namesakes.ts'
import { type HolderRow, holdersOf } from '#sql/records/sets.ts'
import {
  type HeldImport,
  holdImport,
  type ImportRow,
  insertImport,
  lastOfWrite,
  latestImports,
  type NewImport,
} from '#sql/system/imports.ts'
import { type Actor, readWriteId } from '../records/actor.ts'
import { resourceNamed } from '../records/remove.ts'
import type { Transaction } from '../store/database.ts'
import { auditTransfer } from './audit-log.ts'

/** An import is one write whose batches come one after the other. Decisions, Import. */

/** Its id names the write. Nothing is written yet but that there is one. */
export async function beginImport(transaction: Transaction, actor: Actor, given: NewImport): Promise<string> {
  if (given.rows < 1 || given.rows > importRowsMax) {
    throw invalidField('rows', 'out_of_range', `must be a whole number from 1 to ${importRowsMax}`)
  }
  await transaction.run(insertImport(actor, given))
  const facts = { resource: given.records, rows: given.rows, write_id: actor.writeId }
  await auditTransfer(transaction, actor, { records: 'imports', action: 'import_begun', facts })
  return actor.writeId
}

/** Returns the latest imports of these records, the newest first, and whether the actor began each. */
export async function listImports(
  transaction: Transaction,
  { companyId, accountId }: Actor,
  resource: string,
): Promise<ImportResult[]> {
  const rows = await transaction.run<ImportRow>(latestImports(companyId, resource, latestMax))
  return rows.map(({ account_id, records: _, ...row }) => ({ ...row, own: account_id === accountId }))
}

const latestMax = 10

/** Refused where the one who asks has begun no such import. */
export async function ownImport(
  transaction: Transaction,
  actor: Actor,
  { name }: Definition,
  writeId: string,
): Promise<HeldImport> {
  const [held] = readWriteId(writeId) === writeId ? await transaction.run<HeldImport>(holdImport(actor, writeId)) : []
  if (held?.records !== name) throw new Refusal('not_found', { detail: unknownImport })
  return held
}

const unknownImport = 'You have begun no import with this id here. Begin it anew with its file.'

/** Which rows of the file a batch settles: from where the import stands, to where it stands then. */
export type ImportPart = { writeId: string; from: number; to: number }

/**
 * The one who goes on with an import writes under its id, behind what it has written before. Held to the end of the
 * transaction, so that each row is settled once, also where two ask at once.
 */
export async function goOn(
  transaction: Transaction,
  actor: Actor,
  definition: Definition,
  { writeId, from, to }: ImportPart,
): Promise<{ actor: Actor; after: number }> {
  const held = await ownImport(transaction, actor, definition, writeId)
  if (held.undone) throw new Refusal('precondition_failed', { detail: takenBack })
  if (from < held.done || to <= from || to > held.rows) {
    const detail = `The first ${held.done} of its ${held.rows} rows are settled; this is about ${from + 1} to ${to}. Go on from there.`
    throw new Refusal('precondition_failed', { detail })
  }
  const [last] = await transaction.run<{ id: number }>(lastOfWrite(actor.companyId, writeId))
  return { actor: { ...actor, writeId }, after: last?.id ?? 0 }
}

const takenBack = 'The import was taken back, so nothing is added to it. Begin another one.'

/**
 * Who goes by the values of a column: of a reference the records that it may lead to, by their names; of a unique field
 * the record that has the value.
 */
export async function lookUpValues(
  transaction: Transaction,
  companyId: number,
  definition: Definition,
  { field: name, values }: { field: string; values: readonly string[] },
): Promise<LookUpResult[]> {
  const field = Object.hasOwn(definition.fields, name) ? definition.fields[name] : undefined
  if (values.length > lookedUpMax) throw invalidField('values', 'too_long', `must be at most ${lookedUpMax} texts`)
  if (field?.kind === 'reference') {
    const to = resourceNamed(field.to)
    const asked = { names: values, only: field.only, most: namesakesMax }
    const rows = await transaction.run<NamesakeRow>(namesakes(companyId, to, asked))
    return rows.map((row) => ({ ...row, place: row.place - 1 }))
  }
  if (!field?.unique)
    throw invalidField('field', 'not_allowed', `must be a reference or a unique field of ${definition.name}`)
  const rows = await transaction.run<HolderRow>(holdersOf(companyId, definition, name, values))
  return rows.flatMap(({ place, holder }) =>
    holder === null ? [] : [{ place: Number(place) - 1, id: holder, title: null, also: null }],
  )
}
