import type { JsonObject } from '#registry/json.ts'
import { definitionOf, registry } from '#registry/records/index.ts'
import { operator } from '../service/actor.ts'
import { changeRecord, createRecord } from '../service/write-record.ts'
import type { Transaction } from '../store/database.ts'

/** Whoever writes the records of the demo, through the same services as everybody else. */
export type Hand = {
  /** Makes records of a kind and returns their ids, in order. They are sent without waiting for one another. */
  make(kind: string, bodies: readonly JsonObject[]): Promise<number[]>
  /** Makes a record for each name; returns what finds its id. */
  makeNamed<Name extends string>(
    kind: string,
    names: readonly Name[],
    rest?: JsonObject,
  ): Promise<(name: Name) => number>
  /** Makes papers and takes each through its states, so that its history shows them. */
  makePapers(kind: string, papers: readonly Paper[]): Promise<number[]>
  change(kind: string, id: number, body: JsonObject): Promise<void>
}

/** A record that begins as a draft, and the states that follow. */
export type Paper = { body: JsonObject; states: readonly string[] }

/** The states on the way from a draft to `last`, which leads through `middle`. */
export const statesTo = (last: string, middle: string): string[] =>
  last === 'DRAFT' ? [] : last === middle ? [middle] : [middle, last]

export function handOf(transaction: Transaction, companyId: number): Hand {
  const actor = operator(companyId)
  const make = async (kind: string, bodies: readonly JsonObject[]): Promise<number[]> => {
    const definition = definitionNamed(kind)
    const records = await Promise.all(bodies.map((body) => createRecord(transaction, actor, definition, body)))
    return records.map(({ id }) => id)
  }
  const change = async (kind: string, id: number, body: JsonObject): Promise<void> => {
    await changeRecord(transaction, actor, definitionNamed(kind), id, body, undefined)
  }
  return {
    make,
    change,
    async makeNamed(kind, names, rest = {}) {
      const bodies = names.map((name) => ({ name, ...rest }))
      return finder(names, await make(kind, bodies))
    },
    async makePapers(kind, papers) {
      const bodies = papers.map(({ body }) => body)
      const ids = await make(kind, bodies)
      const moves = papers.flatMap(({ states }, index) =>
        states.map((status, step) => ({ id: ids[index] as number, status, step })),
      )
      for (const step of new Set(moves.map((move) => move.step))) {
        const now = moves.filter((move) => move.step === step)
        await Promise.all(now.map(({ id, status }) => change(kind, id, { status })))
      }
      return ids
    },
  }
}

function definitionNamed(kind: string) {
  const definition = definitionOf(registry, kind)
  if (!definition) throw new Error(`the registry has no ${kind}`)
  return definition
}

/** Finds the id that belongs to a name. */
export function finder<Name extends string>(names: readonly Name[], ids: readonly number[]): (name: Name) => number {
  const known = new Map(names.map((name, index) => [name, ids[index]]))
  return (name) => {
    const id = known.get(name)
    if (id === undefined) throw new Error(`the demo has no ${name}`)
    return id
  }
}

/** The element of a list that goes round and round. */
export function turn<T>(list: readonly T[], index: number): T {
  const element = list[index % list.length]
  if (element === undefined) throw new Error('the list is empty')
  return element
}
