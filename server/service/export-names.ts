import { formatMarked } from '#derive/import/marked-name.ts'
import { isUnseen } from '#derive/visible.ts'
import type { Definition } from '#registry/definition.ts'
import { referenceOf } from '#registry/fields/index.ts'
import type { ReferenceField } from '#registry/fields/reference.ts'
import type { Json } from '#registry/json.ts'
import type { Actor } from '../records/actor.ts'
import { resourceNamed } from '../records/remove.ts'
import type { Database, Transaction } from '../store/database.ts'
import { lookUpValues, readTitles } from './imports.ts'

/**
 * Creates the names of the records that references lead to. A name is the title; if an import would not find its record
 * alone by that, it has behind it what tells the record from others. Each record is looked up once.
 */
export function createNames(
  database: Pick<Database, 'transaction'>,
  { companyId, lacksRights }: Pick<Actor, 'companyId' | 'lacksRights'>,
  definition: Definition,
) {
  const names = new Map<string, string>()
  const keyOf = (field: string, id: Json): string => `${field} ${id}`

  async function find(transaction: Transaction, field: string, reference: ReferenceField, ids: readonly number[]) {
    const titles = await readTitles(transaction, companyId, reference, ids)
    const nameById = (id: number): string => formatMarked({ title: titles.get(id) ?? '', id })
    // Whether other records have the title is nothing for an account that may not see them.
    if (isUnseen(resourceNamed(reference.to), lacksRights)) {
      for (const id of ids) names.set(keyOf(field, id), nameById(id))
      return
    }
    const lookUp = async (texts: readonly string[]) =>
      Map.groupBy(
        await lookUpValues(transaction, companyId, definition, { field, values: texts }),
        ({ place }) => place,
      )
    const isAlone = (found: readonly { id: number }[] | undefined, id: number): boolean =>
      found?.length === 1 && found[0]?.id === id

    const namesakes = await lookUp(ids.map((id) => titles.get(id) ?? ''))
    const ambiguousIds = ids.filter((id, place) => !isAlone(namesakes.get(place), id))
    for (const id of ids) names.set(keyOf(field, id), titles.get(id) ?? '')
    if (ambiguousIds.length === 0) return
    const markedNames = ambiguousIds.map((id) => {
      const title = titles.get(id) ?? ''
      const { also } = namesakes.get(ids.indexOf(id))?.find((one) => one.id === id) ?? { also: null }
      return also === null ? '' : formatMarked({ title, also })
    })
    const bearers = await lookUp(markedNames)
    for (const [place, id] of ambiguousIds.entries()) {
      const name = isAlone(bearers.get(place), id) ? markedNames[place] : undefined
      names.set(keyOf(field, id), name ?? nameById(id))
    }
  }

  return {
    /** Looks up the names of the records that values of a field lead to, at most as many as one look-up takes. */
    async read(field: string, values: readonly Json[]): Promise<void> {
      const ids = [...new Set(values)].filter(
        (id): id is number => typeof id === 'number' && !names.has(keyOf(field, id)),
      )
      const reference = referenceOf(definition.fields[field])
      if (reference && ids.length > 0)
        await database.transaction((transaction) => find(transaction, field, reference, ids))
    },
    of: (field: string, id: Json): string => names.get(keyOf(field, id)) ?? '',
  }
}
