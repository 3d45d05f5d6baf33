import { addDays } from '#registry/fields/day.ts'
import type { JsonObject } from '#registry/json.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { operator } from '../records/actor.ts'
import { createRecords } from '../records/create.ts'
import { updateOne as changing, runLocked } from '../records/write-record.ts'
import { noneLate, outcomeOf, shortSet } from '../records/write-set.ts'
import type { Transaction } from '../store/database.ts'

export type Seeder = ReturnType<typeof createSeeder>

/** A record that begins as a draft, and the states that follow. */
export type BusinessDocument = { body: JsonObject; states: readonly string[] }

/** Returns the states from a draft to `last`, by way of `middle`. */
export const statesTo = (last: string, middle: string): string[] =>
  last === 'DRAFT' ? [] : last === middle ? [middle] : [middle, last]

/** Returns functions that write the records of the demo, by the same services that write all records. */
export function createSeeder(transaction: Transaction, companyId: number) {
  const actor = operator(companyId)
  /** Creates records of a resource. Returns their ids, in order. */
  const make = async (resource: string, bodies: readonly JsonObject[]): Promise<number[]> => {
    const rows = bodies.map((body) => ({ body }))
    const set = shortSet(transaction, actor, noneLate())
    const outcomes = await createRecords(set, definitionNamed(resource), rows)
    return outcomes.map((outcome) => outcomeOf([outcome]).id)
  }
  const change = async (resource: string, id: number, body: JsonObject): Promise<void> => {
    await runLocked(
      transaction,
      actor,
      changing(companyId, definitionNamed(resource), { id, body, expected: undefined }),
    )
  }
  return {
    make,
    change,
    /** Creates a record for each name. Returns a function that finds its id. */
    async makeNamed<Name extends string>(resource: string, names: readonly Name[], rest: JsonObject = {}) {
      const bodies = names.map((name) => ({ name, ...rest }))
      return finder(names, await make(resource, bodies))
    },
    /** Creates documents and takes each through its states, so that its history shows them. */
    async makeDocuments(resource: string, documents: readonly BusinessDocument[]): Promise<number[]> {
      const bodies = documents.map(({ body }) => body)
      const ids = await make(resource, bodies)
      const moves = documents.flatMap(({ states }, index) =>
        states.map((status, step) => ({ id: ids[index] as number, status, step })),
      )
      for (const step of new Set(moves.map((move) => move.step))) {
        const now = moves.filter((move) => move.step === step)
        await Promise.all(now.map(({ id, status }) => change(resource, id, { status })))
      }
      return ids
    },
  }
}

function definitionNamed(resource: string) {
  const definition = definitionOf(registry, resource)
  if (!definition) throw new Error(`the registry has no ${resource}`)
  return definition
}

/** Returns a function that finds the id of a name. */
export function finder<Name extends string>(names: readonly Name[], ids: readonly number[]): (name: Name) => number {
  const known = new Map(names.map((name, index) => [name, ids[index]]))
  return (name) => {
    const id = known.get(name)
    if (id === undefined) throw new Error(`the demo has no ${name}`)
    return id
  }
}

/** Returns the element of an endlessly repeated list. */
export function turn<T>(list: readonly T[], index: number): T {
  const element = list[index % list.length]
  if (element === undefined) throw new Error('the list is empty')
  return element
}

/** Days counted from today, so that the work of the demo is always under way, and its documents lapse soon. */
export type Calendar = {
  /** Returns the day `offset` days from today. Negative ones are before today. */
  day(offset: number): string
  /** Returns that day, or the last working day before it. */
  workday(offset: number): string
  year: number
}

export function calendarFrom(today: string): Calendar {
  const day = (offset: number): string => addDays(today, offset)
  const isWorkday = (offset: number): boolean => ![0, 6].includes(new Date(day(offset)).getUTCDay())
  const workday = (offset: number): string => (isWorkday(offset) ? day(offset) : workday(offset - 1))
  return { day, workday, year: Number(today.slice(0, 4)) }
}
