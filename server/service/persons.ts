import { type Definition, hasPaper, type PaperDefinition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { accounts, erasedValues, isPerson, type PersonKind, personalFields } from '#registry/persons.ts'
import { Refusal } from '#registry/refusals.ts'
import { registry } from '#registry/resources/index.ts'
import { addresseeOf, type PaperOfPersonRow, papersTo } from '#sql/records/papers.ts'
import {
  findPersons,
  historyOfPerson,
  lockPerson,
  type PersonHistoryRow,
  type PersonRemovalRow,
  type PersonRow,
  referringTo,
  removalsOfPerson,
} from '#sql/records/persons.ts'
import type { Transaction } from '../store/database.ts'
import { readAccount } from './account.ts'

/** The data of a person: the record, its history and its deletions. Decisions, Persons. */
export type Person = Awaited<ReturnType<typeof readPerson>>

/** Thrown when a person cannot be erased now. The message says what to do. */
export class NotErasable extends Error {
  override name = 'NotErasable'
}

export type PersonRequest = { companyId: number; kind: PersonKind; id: number }

/** `withBooks`: papers of the books are emptied too. */
export type ErasureRequest = PersonRequest & { withBooks?: boolean }

/** Reads all data of a person, locked until the transaction ends if `isLocked`. Throws if there is none. */
export async function readPerson(transaction: Transaction, { companyId, kind, id }: PersonRequest, isLocked: boolean) {
  const read = await readRecord(transaction, { companyId, kind, id }, isLocked)
  const [history, removals, papers] = await Promise.all([
    transaction.run<PersonHistoryRow>(historyOfPerson(companyId, kind.name, id)),
    transaction.run<PersonRemovalRow>(removalsOfPerson(companyId, kind.name, id)),
    readPapers(transaction, { companyId, kind, id }),
  ])
  return { kind, id, ...read, history, removals, papers }
}

/** Reads the papers that go to a person. Those of one definition are one statement. */
async function readPapers(
  transaction: Transaction,
  { companyId, kind, id }: PersonRequest,
): Promise<PaperOfPersonRow[]> {
  const papers = paperDefinitions
    .filter((definition) => addresseeOf(definition).name === kind.name)
    .map((definition) => transaction.run<PaperOfPersonRow>(papersTo(companyId, definition, id)))
  return (await Promise.all(papers)).flat()
}

const paperDefinitions: readonly PaperDefinition[] = registry.filter(hasPaper)

/** The record of a person with its version and time of deletion: null for a live one. An account has neither. */
type PersonRecord = { record: JsonObject; version: number | null; deletedAt: string | null }

async function readRecord(
  transaction: Transaction,
  { companyId, kind, id }: PersonRequest,
  isLocked: boolean,
): Promise<PersonRecord> {
  const definition = resourceOf(kind)
  if (!definition) {
    const account = await readAccount(transaction, companyId, id, isLocked)
    return { record: account, version: null, deletedAt: null }
  }
  const [row] = await transaction.run<PersonRow>(
    isLocked ? lockPerson(companyId, definition, id) : findPersons(companyId, definition, [id]),
  )
  if (!row) throw new Refusal('not_found', { detail: `The company has no ${kind.one} ${id}.` })
  const record = JSON.parse(row.json) as JsonObject
  if (!isPerson(definition, record)) throw new NotErasable(notAPerson(definition, record))
  return { record, version: row.version, deletedAt: row.deleted_at }
}

/** Returns the resource of a kind of person; accounts have none. */
export const resourceOf = ({ name }: PersonKind): Definition | undefined =>
  name === accounts.name ? undefined : registry.find((definition) => definition.name === name)

function notAPerson({ one, person }: Definition, record: JsonObject): string {
  const reasons = Object.entries(person === true ? {} : (person ?? {})).map(
    ([column, values]) => `its ${column} is ${String(record[column] ?? 'not set')} and not ${values.join(' or ')}`,
  )
  return `The ${one} ${String(record.id)} is not about a person: ${reasons.join(', ')}. Set that first if it is one.`
}

/** The ids of the records that refer to a person, by resource and field, live and deleted ones. */
export type ReferringIds = { records: string; field: string; ids: number[]; live: number }

export async function readReferring(
  transaction: Transaction,
  { companyId, kind, id }: PersonRequest,
): Promise<ReferringIds[]> {
  const relations = resourceOf(kind)?.removal.relations ?? []
  const found = await Promise.all(
    relations.map(async ({ records, by }) => {
      const rows = await transaction.run<{ id: number; live: boolean }>(referringTo(companyId, records, by, id))
      return { records, field: by, ids: rows.map((row) => row.id), live: rows.filter(({ live }) => live).length }
    }),
  )
  return found.filter(({ ids }) => ids.length > 0)
}

export type Remains = ReturnType<typeof remainsOf>

/**
 * Returns the data of a person that is still to be erased. Papers of the books stay by law, unless the request names
 * them too.
 */
export function remainsOf(
  { kind, id, record, history, removals, papers }: Person,
  { withBooks = false }: Pick<ErasureRequest, 'withBooks'>,
) {
  const erased = erasedValues(kind, id)
  const names = personalFields(kind).map(([name]) => name)
  const isGone = (name: string, value: unknown): boolean =>
    value === null || value === undefined || JSON.stringify(value) === JSON.stringify(erased[name])
  const inHistory = history.flatMap(({ changes, held }) =>
    names.flatMap((name) =>
      [...(changes?.[name] ?? []), held?.[name]].filter((value) => value !== undefined && !isGone(name, value)),
    ),
  )
  const differing = names.filter((name) => JSON.stringify(record[name]) !== JSON.stringify(erased[name]))
  const title = titleOf(kind, id)
  const titled = removals.filter((removal) => removal.title !== title)
  const named = papers.filter(({ content: { addressee } }) =>
    Object.entries(addressee ?? {}).some(([name, value]) => names.includes(name) && !isGone(name, value)),
  )
  const [staying, going] = [true, false].map((stays) =>
    named.filter(({ is_of_the_books }) => (is_of_the_books && !withBooks) === stays),
  ) as [PaperOfPersonRow[], PaperOfPersonRow[]]
  const inPapers = going.flatMap(({ content: { addressee } }) =>
    Object.entries(addressee ?? {}).flatMap(([name, value]) => (names.includes(name) ? [value] : [])),
  )
  const former = [
    ...[...differing.map((name) => record[name]), ...inHistory, ...inPapers],
    ...titled.map((removal) => removal.title),
  ]
  return {
    /** The papers that name the person and are to be emptied. */
    papers: going,
    /** The records of the books whose papers go on to name the person. */
    keptPapers: [...Map.groupBy(staying, ({ records }) => records)].map(([records, rows]) => ({
      records,
      ids: [...new Set(rows.map(({ record_id }) => record_id))],
    })),
    /** The personal fields of the record that are not erased yet, with their new values. */
    values: Object.fromEntries(differing.map((name) => [name, erased[name] ?? null])),
    isInHistory: inHistory.length > 0,
    /** The deletions whose title is a value of the person. */
    removalIds: titled.map((removal) => removal.id),
    /** All values that the person has had, each once. */
    former: [...new Set(former.filter((value) => value !== null))],
  }
}

/** Returns the title for the deletions of an erased person. */
export function titleOf(kind: PersonKind, id: number): string {
  const title = resourceOf(kind)?.title
  return String((title && erasedValues(kind, id)[title]) ?? `Erased ${kind.one} ${id}`)
}

/** Returns the members of an addressee in the papers of an erased person. */
export function erasedAddressee(kind: PersonKind, id: number): JsonObject {
  const members = resourceOf(kind)?.addressee ?? []
  return Object.fromEntries(Object.entries(erasedValues(kind, id)).filter(([name]) => members.includes(name)))
}

export const isErased = ({ values, isInHistory, removalIds, papers }: Remains): boolean =>
  Object.keys(values).length === 0 && !isInHistory && removalIds.length === 0 && papers.length === 0
