import type { ImportResult, LookUpResult } from '#derive/console/responses.ts'
import { parseMarked } from '#derive/import/marked-name.ts'
import { matchFieldsOf } from '#derive/import/targets.ts'
import { isWhole } from '#derive/visible.ts'
import type { Definition } from '#registry/definition.ts'
import { equalKey } from '#registry/equal.ts'
import { referenceOf } from '#registry/fields/index.ts'
import type { ReferenceField } from '#registry/fields/reference.ts'
import { trimInvisible } from '#registry/invisible.ts'
import type { JsonObject } from '#registry/json.ts'
import { importRowsMax, lookedUpMax, namesakesMax } from '#registry/limits.ts'
import { invalidField } from '#registry/refusals.ts'
import { type TitleRow, titlesOf } from '#sql/records/history.ts'
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
  if (reference) return findNamed(transaction, companyId, reference, values)
  const matched = matchFieldsOf(definition)
  if (!matched.includes(name))
    throw invalidField('field', 'not_allowed', `must be a reference or one of ${matched.join(', ')}`)
  if (field?.unique) {
    const rows = await transaction.run<HolderRow>(holdersOf(companyId, definition, name, values))
    return rows.flatMap(({ place, holder }) =>
      holder === null ? [] : [{ place: Number(place) - 1, id: holder, title: null, also: null }],
    )
  }
  const rows = await transaction.run<NamesakeRow>(
    sameValues(companyId, definition, name, { texts: values, most: namesakesMax }),
  )
  return rows.map((row) => ({ ...row, place: row.place - 1 }))
}

/** Finds records by names, which may have behind them what tells their record apart, as exports write it. */
async function findNamed(
  transaction: Transaction,
  companyId: number,
  reference: ReferenceField,
  values: readonly string[],
): Promise<LookUpResult[]> {
  const texts = values.map(normalizeName)
  const findByName = (names: readonly string[]) =>
    findNamesakes(transaction, companyId, reference, names).then((rows) => Map.groupBy(rows, ({ place }) => place))
  const namesakesOf = await findByName(texts)
  const markedNames = texts.map((text, place) => {
    const name = parseMarked(text)
    // A text with an id means that record, whichever is called so.
    return name && ('id' in name || !namesakesOf.has(place)) ? name : undefined
  })
  const ids = markedNames.flatMap((name) => (name && 'id' in name ? [name.id] : []))
  const titles = ids.length > 0 ? await readTitles(transaction, companyId, reference, ids) : new Map<number, string>()
  const marks = markedNames.map((name) => (name && 'also' in name ? name.also : ''))
  const bearers = marks.some((mark) => mark !== '') ? await findByName(marks) : new Map<number, LookUpResult[]>()
  return texts.flatMap((_, place): LookUpResult[] => {
    const name = markedNames[place]
    const rows = namesakesOf.get(place) ?? []
    if (!name) return rows
    const isCalled = (title: string | null | undefined): boolean => equalName(title ?? '') === equalName(name.title)
    if ('also' in name)
      return (bearers.get(place) ?? []).filter(
        (one) => isCalled(one.title) && equalName(one.also ?? '') === equalName(name.also),
      )
    return titles.has(name.id) && isCalled(titles.get(name.id))
      ? [{ place, id: name.id, title: name.title, also: null }]
      : rows
  })
}

/** Returns the live records with each name: the place of the name, from 0, and the record. */
async function findNamesakes(
  transaction: Transaction,
  companyId: number,
  { to, only }: ReferenceField,
  names: readonly string[],
): Promise<LookUpResult[]> {
  const asked = { texts: names, only, most: namesakesMax }
  const rows = await transaction.run<NamesakeRow>(namesakes(companyId, resourceNamed(to), asked))
  return rows.map((row) => ({ ...row, place: row.place - 1 }))
}

/** Returns the titles of the records that a reference leads to, live or not, by their ids. */
export async function readTitles(
  transaction: Transaction,
  companyId: number,
  { to }: ReferenceField,
  ids: readonly number[],
): Promise<Map<number, string>> {
  const rows = await transaction.run<TitleRow>(titlesOf(companyId, resourceNamed(to), ids))
  return new Map(rows.map(({ id, title }) => [id, normalizeName(title ?? '')]))
}

const normalizeName = (text: string): string => trimInvisible(text).normalize('NFC')
const equalName = (text: string): string => equalKey(normalizeName(text))
