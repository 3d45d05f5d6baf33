import { createHmac } from 'node:crypto'
import canonicalize from 'canonicalize'
import { visibleMembers } from '#derive/visible.ts'
import { isCompanyField } from '#registry/common.ts'
import type { Definition } from '#registry/definition.ts'
import { kindOf, referenceOf } from '#registry/fields/index.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { plannedChangesMax } from '#registry/limits.ts'
import { type Doubt, doubtful, type PlannedChange, type Preview, Refusal } from '#registry/refusals.ts'
import { registry } from '#registry/resources/index.ts'
import { type PlannedRow, plannedBy } from '#sql/records/written-changes.ts'
import { version } from '../config/config.ts'
import type { Transaction } from '../store/database.ts'
import { derivedKey, type SealingKeys } from '../store/seal.ts'
import type { Actor } from './actor.ts'
import { type Group, listedGroup, mergeGroups, resourceNamed } from './remove.ts'
import { type Rights, rightsOf } from './rights.ts'

/** The records that a command depends on, and its effects that the log does not show. */
export type Effect = {
  /** Records that its rules have read, each by the field that leads to it. */
  read?: readonly ReadRecord[]
  /** The day by which a rule has judged, `YYYY-MM-DD`. */
  today?: string | undefined
  /** A record that it created, and the fields of it that have a running number. */
  numbered?: { records: string; id: number; fields: readonly string[] }
  wouldDelete?: readonly Group[]
  wouldKeep?: readonly Group[]
  /** The problems that a person at the interface may accept. */
  doubts?: readonly Doubt[]
}

export type ReadRecord = { field: string; records: string; record: JsonObject | null }

/** All parts of a call that decide its effect: if one differs, the call does something else. */
export type PlannedCall = { method: string; path: string; body: Json; conditions: Json }

/** `after` is the last change of earlier batches of the same write, which do not count. */
type PlannedWork = { call: PlannedCall; effects: readonly Effect[]; after?: number | undefined }

/**
 * Ends successful work before its commit. Returns its preview and doubts if it is a dry-run. Else the work is rolled back
 * and refused if it has a doubt that is not accepted; with `ifPlan` unless its preview has that hash. Decisions, Plans
 * and Console.
 */
export async function concludeWork(
  transaction: Transaction,
  actor: Actor,
  keys: SealingKeys,
  { dryRun, ifPlan, ...work }: PlannedWork & { dryRun: boolean; ifPlan: string | undefined },
): Promise<DryRun | undefined> {
  const doubts = actor.accepts && work.effects.flatMap((effect) => effect.doubts ?? [])
  if (!dryRun && doubts?.some(({ code }) => !actor.accepts?.includes(code))) {
    transaction.undo()
    throw doubtful(doubts)
  }
  if (!dryRun && ifPlan === undefined) return undefined
  const plan = await createPreview(transaction, actor, keys, work)
  if (ifPlan !== undefined && ifPlan !== plan.hash) {
    transaction.undo()
    throw new Refusal('plan_changed', { plan })
  }
  return dryRun ? { plan, ...(doubts && { doubts }) } : undefined
}

/** The outcome of a dry-run; `doubts` are those of a person at the interface. */
export type DryRun = { plan: Preview; doubts?: Doubt[] }

/**
 * Returns the changes that a transaction has written so far under its `writeId`, and a hash. The hash covers the
 * changes and all that they depend on. It is keyed, so that it reveals nothing that the caller may not see.
 */
export async function createPreview(
  transaction: Transaction,
  actor: Actor,
  keys: SealingKeys,
  { call, effects, after = 0 }: PlannedWork,
): Promise<Preview> {
  const { companyId, writeId } = actor
  const [rows, rights, key] = await Promise.all([
    transaction.run<PlannedRow>(plannedBy(registry, companyId, { writeId, after })),
    rightsOf(transaction, actor),
    keys.current(),
  ])
  const made = madeBy(rows)
  const changes = inOrder(foldRows(rows, effects, made))
  const wouldDelete = mergeGroups(effects.flatMap((effect) => withoutCreated(made, effect.wouldDelete)))
  const wouldKeep = mergeGroups(effects.flatMap((effect) => withoutCreated(made, effect.wouldKeep)))
  const read = effects.map((effect) => readBefore(made, effect.read)) as readonly unknown[] as Json
  const today = effects.find((effect) => effect.today !== undefined)?.today
  const whole = {
    company: companyId,
    call: { version, ...call },
    changes,
    read,
    would_delete: sortGroups(wouldDelete),
    would_keep: sortGroups(wouldKeep),
    ...(today === undefined ? {} : { today }),
  }
  const hash = createHmac('sha256', derivedKey(key, `plans of company ${companyId}`)).update(canonicalize(whole) ?? '')
  const listed = deletionsFirst(changes, wouldDelete)
  return {
    hash: `sha256-${hash.digest('base64url')}`,
    total: changes.length,
    changes: listed.slice(0, plannedChangesMax).map((change) => shownTo(rights, actor, change)),
    would_delete: wouldDelete.map(listedGroup),
    would_keep: wouldKeep.map(listedGroup),
  }
}

/**
 * The change of one record. `version` is the one before the write. A new record has neither version nor id: the real
 * call will draw another id.
 */
type Change = Omit<PlannedChange, 'fields'> & { version: number | null; fields: JsonObject }

function shownTo(rights: Rights, { lacksRights }: Actor, { records, id, action, fields }: Change): PlannedChange {
  const isOpen = rights(resourceNamed(records), 'VIEW') === undefined
  return { records, id, action, ...(isOpen ? { fields: visibleMembers(records, lacksRights, fields) } : {}) }
}

/** The place of each created record among the created ones: its id is drawn anew each time. */
type CreatedRecords = ReadonlyMap<string, number>

const nameOf = (records: string, id: Json): string => `${records} ${id}`

function madeBy(rows: readonly PlannedRow[]): CreatedRecords {
  const created = rows.filter(({ action }) => action === 'created')
  return new Map(created.map(({ records, record_id }, place) => [nameOf(records, record_id), place]))
}

/** Puts deletions first, and those that go along behind the others, so that a long preview shows which are named. */
function deletionsFirst(changes: readonly Change[], along: readonly Group[]): Change[] {
  const goingAlong = new Set(along.flatMap(({ records, ids }) => ids.map((id) => nameOf(records, id))))
  const rank = ({ records, id, action }: Change): number =>
    action !== 'deleted' && action !== 'erased' ? 2 : goingAlong.has(nameOf(records, id)) ? 1 : 0
  return changes.toSorted((one, other) => rank(one) - rank(other))
}

/** Drops created records from groups: they are among the changes. */
const withoutCreated = (made: CreatedRecords, groups: readonly Group[] = []): Group[] =>
  groups
    .map((group) => ({ ...group, ids: group.ids.filter((id) => !made.has(nameOf(group.records, id))) }))
    .filter(({ ids }) => ids.length > 0)

const readBefore = (made: CreatedRecords, read: readonly ReadRecord[] = []): readonly ReadRecord[] =>
  read.filter(({ records, record }) => !made.has(nameOf(records, record?.id ?? null)))

/** Returns one change a record, however many entries the log has of it. */
function foldRows(rows: readonly PlannedRow[], effects: readonly Effect[], made: CreatedRecords): Change[] {
  const byRecord = new Map<string, Change>()
  const numbered = new Map(
    effects.flatMap(({ numbered: one }) => (one ? [[nameOf(one.records, one.id), one.fields] as const] : [])),
  )
  for (const row of rows) {
    const { records, record_id, action, version } = row
    const place = nameOf(records, record_id)
    const known = byRecord.get(place)
    const definition = resourceNamed(records)
    const fields = withPlaces(definition, fieldsOf(definition, row, numbered.get(place)), made)
    if (known) {
      if (action !== 'changed') known.action = action
      if (known.version !== null || action !== 'changed') known.fields = mergeChanges(known.fields, fields)
      continue
    }
    const isNew = action === 'created'
    byRecord.set(place, {
      records,
      id: isNew ? null : record_id,
      version: isNew ? null : version - 1,
      action: action === 'changed' ? 'updated' : action,
      fields,
    })
  }
  return [...byRecord.values()]
}

/** Returns the fields of a change; of a new record those that are the same in every call. */
function fieldsOf(definition: Definition, { action, record, changes }: PlannedRow, numbered: readonly string[] = []) {
  if (action === 'changed') return (changes ?? {}) as JsonObject
  if (action !== 'created' || !record) return {}
  return Object.fromEntries(
    Object.entries(record)
      .filter(([name, value]) => value !== null && !isDrawn(definition, name) && !numbered.includes(name))
      .map(([name, value]): [string, Json] => [name, [null, value]]),
  )
}

/** Returns whether a field is no outcome of a write: an id, a time, or a field of the company. */
function isDrawn({ fields }: Definition, name: string): boolean {
  const field = fields[name]
  return !field || kindOf(field).drawn === true || isCompanyField(name)
}

/** Replaces references to created records by `{ "made": n }`. */
function withPlaces(definition: Definition, fields: JsonObject, made: CreatedRecords): JsonObject {
  if (made.size === 0) return fields
  return Object.fromEntries(
    Object.entries(fields).map(([name, change]): [string, Json] => {
      const field = referenceOf(definition.fields[name])
      if (!field || !Array.isArray(change)) return [name, change]
      return [
        name,
        change.map((id) => (made.has(nameOf(field.to, id)) ? { made: made.get(nameOf(field.to, id)) as number } : id)),
      ]
    }),
  )
}

/** Returns the first old and the last new value of each field. */
function mergeChanges(first: JsonObject, then: JsonObject): JsonObject {
  const next = Object.entries(then).map(([name, change]): [string, Json] => {
    const before = first[name] as Json[] | undefined
    return [name, before ? [before[0] as Json, (change as Json[])[1] as Json] : change]
  })
  return { ...first, ...Object.fromEntries(next) }
}

/** Sorts changes by resource and id; new records come last, in their own order. */
const inOrder = (changes: readonly Change[]): Change[] =>
  changes.toSorted(
    (one, other) =>
      Number(one.id === null) - Number(other.id === null) ||
      (one.id === null ? 0 : compare(one.records, other.records) || (one.id as number) - (other.id as number)),
  )

const sortGroups = (groups: readonly Group[]): Json =>
  groups
    .map(({ records, ids, effect = null }) => ({ records, effect, ids: ids.toSorted((one, other) => one - other) }))
    .toSorted((one, other) => compare(one.records, other.records) || compare(one.effect ?? '', other.effect ?? ''))

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
