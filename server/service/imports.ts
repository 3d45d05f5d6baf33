import type { ImportResult, LookUpResult } from '#derive/console/responses.ts'
import { matchFieldsOf } from '#derive/import/targets.ts'
import { isWhole } from '#derive/visible.ts'
import type { Definition } from '#registry/definition.ts'
import { referenceOf } from '#registry/fields/index.ts'
import type { JsonObject } from '#registry/json.ts'
import { importRowsMax, lookedUpMax, namesakesMax } from '#registry/limits.ts'
import { invalidField } from '#registry/refusals.ts'
import { type NamesakeRow, namesakes, sameValues } from '#sql/records/namesakes.ts'
import { type HolderRow, holdersOf } from '#sql/records/sets.ts'
import {
  extendImport as extendStored,
  type ImportRow,
  insertImport,
  latestImports,
  type NewImport,
} from '#sql/system/imports.ts'
import type { Actor } from '../records/actor.ts'
import { holdUnfinished } from '../records/import-batch.ts'
import { resourceNamed } from '../records/remove.ts'
import type { Transaction } from '../store/database.ts'
import { auditFacts } from './audit-log.ts'

/** An import: one write whose batches run one after the other. Decisions, Import. */

/** Begins an import. Returns its id, which is that of the write. No record is written yet. */
export async function beginImport(transaction: Transaction, actor: Actor, given: NewImport): Promise<string> {
  if (given.rows < 1 || given.rows > importRowsMax) {
    throw invalidField('rows', 'out_of_range', `must be a whole number from 1 to ${importRowsMax}`)
  }
  await transaction.run(insertImport(actor, given))
  const facts = { resource: given.records, rows: given.rows, write_id: actor.writeId }
  await auditFacts(transaction, actor, { records: 'imports', action: 'import_begun', facts })
  return actor.writeId
}

/** Replaces the settings of an import of the actor, and adds rows behind its last one. */
export async function extendImport(
  transaction: Transaction,
  actor: Actor,
  definition: Definition,
  { writeId, ...change }: { writeId: string; settings: JsonObject; rows: number },
): Promise<void> {
  const { rows } = await holdUnfinished(transaction, actor, definition, writeId)
  if (change.rows < rows || change.rows > importRowsMax)
    throw invalidField('rows', 'out_of_range', `must be a whole number from ${rows} to ${importRowsMax}`)
  await transaction.run(extendStored(actor.companyId, writeId, change))
}

/** Returns the latest imports of these records, and those of a file, the newest first, and whether the actor began each. */
export async function listImports(
  transaction: Transaction,
  { companyId, accountId, lacksRights }: Actor,
  definition: Definition,
  fingerprint: string | undefined,
): Promise<ImportResult[]> {
  const rows = await transaction.run<ImportRow>(
    latestImports(companyId, definition.name, fingerprint ?? null, latestMax),
  )
  const seesWhole = isWhole(definition, lacksRights)
  return rows.map(({ account_id, records: _, ...row }) => {
    const own = account_id === accountId
    // The hash and the length of a file are of all its fields, and only its author goes on with it.
    const shown = { fingerprint: own ? row.fingerprint : null, same_file: row.same_file && (own || seesWhole) }
    const settings = Object.entries(row.settings).filter(([name]) => own || !ownSettings.includes(name))
    return { ...row, ...shown, own, settings: Object.fromEntries(settings) }
  })
}

/** Settings with texts of cells, of fields that others may not see. */
const ownSettings: readonly string[] = ['mended', 'words']

const latestMax = 10

/**
 * Finds records by values: of a reference those with these names, of a unique field the one with the value, of a title or a
 * field whose kind compares values all that have it.
 */
export async function lookUpValues(
  transaction: Transaction,
  companyId: number,
  definition: Definition,
  { field: name, values }: { field: string; values: readonly string[] },
): Promise<LookUpResult[]> {
  const field = Object.hasOwn(definition.fields, name) ? definition.fields[name] : undefined
  if (values.length > lookedUpMax) throw invalidField('values', 'too_long', `must be at most ${lookedUpMax} texts`)
  const reference = referenceOf(field)
  const matched = matchFieldsOf(definition)
  if (!reference && !matched.includes(name))
    throw invalidField('field', 'not_allowed', `must be a reference or one of ${matched.join(', ')}`)
  if (field?.unique) {
    const rows = await transaction.run<HolderRow>(holdersOf(companyId, definition, name, values))
    return rows.flatMap(({ place, holder }) =>
      holder === null ? [] : [{ place: Number(place) - 1, id: holder, title: null, also: null }],
    )
  }
  const asked = { texts: values, only: reference?.only, most: namesakesMax }
  const rows = await transaction.run<NamesakeRow>(
    reference
      ? namesakes(companyId, resourceNamed(reference.to), asked)
      : sameValues(companyId, definition, name, asked),
  )
  return rows.map((row) => ({ ...row, place: row.place - 1 }))
}
