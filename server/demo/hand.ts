import type { JsonObject } from '#registry/json.ts'
import { definitionOf, registry } from '#registry/records/index.ts'
import { operator } from '../service/actor.ts'
import { changeRecord, createRecord } from '../service/write-record.ts'
import type { Transaction } from '../store/database.ts'

/** Whoever writes the records of the demo, through the same services as everybody else. */
export type Hand = {
  /** Makes records of a kind and returns their ids, in order. They are sent without waiting for one another. */
  make(kind: string, bodies: readonly JsonObject[]): Promise<number[]>
  /** Changes the record of each id by its body. */
  change(kind: string, changes: readonly (readonly [id: number, body: JsonObject])[]): Promise<void>
}

export function handOf(transaction: Transaction, companyId: number): Hand {
  const actor = operator(companyId)
  return {
    make: async (kind, bodies) => {
      const records = await Promise.all(
        bodies.map((body) => createRecord(transaction, actor, definitionNamed(kind), body)),
      )
      return records.map(({ id }) => id)
    },
    change: async (kind, changes) => {
      await Promise.all(
        changes.map(([id, body]) => changeRecord(transaction, actor, definitionNamed(kind), id, body, undefined)),
      )
    },
  }
}

function definitionNamed(kind: string) {
  const definition = definitionOf(registry, kind)
  if (!definition) throw new Error(`the registry has no ${kind}`)
  return definition
}

/** The element of a list that goes round and round. */
export function turn<T>(list: readonly T[], index: number): T {
  const element = list[index % list.length]
  if (element === undefined) throw new Error('the list is empty')
  return element
}
