import { useQueries, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import type { LookUpResult } from '#derive/console/responses.ts'
import type { Double } from '#derive/import/importer.ts'
import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { ask } from '../../client/ask.ts'
import { useMe } from '../../me/me.tsx'

/**
 * Finds the other records with a value that is to be written: those of the fields that are left for a notice, those of all
 * fields before the record is saved.
 */
export function useDoubles(
  { name: records, alike = [] }: Definition,
  id: unknown,
  changes: JsonObject,
  left: ReadonlySet<string>,
) {
  const { may } = useMe()
  const client = useQueryClient()
  const seen = useRef(new Set<string>())
  const compared = may(records, 'VIEW') ? alike.filter((field) => typeof changes[field] === 'string') : []
  const queries = compared.map((field) => {
    const value = changes[field] as string
    return {
      queryKey: ['doubles', records, field, value],
      queryFn: async (): Promise<Double[]> => {
        const { data } = await ask('records.look-up', { records, body: { field, values: [value] } })
        const found = data as unknown as LookUpResult[]
        return found.map((one) => ({ field, id: one.id, title: one.title ?? value }))
      },
      enabled: left.has(field),
      ...{ staleTime: 60_000, retry: false, networkMode: 'always' as const },
    }
  })
  const othersOf = (answers: readonly (readonly Double[] | undefined)[]): Double[] =>
    answers.flatMap((doubles = []) => doubles.filter((double) => 'id' in double && double.id !== id))
  const shown = othersOf(useQueries({ queries }).map(({ data }) => data))
  const keys = (doubles: readonly Double[]): string[] => doubles.map((double) => JSON.stringify(double))

  return {
    /** The doubles to show now. */
    doubles: shown,
    /** Returns whether there are doubles that no notice has shown since the form was opened. A look-up that fails has none. */
    async hasUnseenDoubles(): Promise<boolean> {
      const answers = await Promise.all(
        queries.map(({ enabled: _, ...query }) => client.fetchQuery(query).catch(() => undefined)),
      )
      const isUnseen = keys(othersOf(answers)).some((key) => !seen.current.has(key) && !keys(shown).includes(key))
      for (const key of keys(othersOf(answers))) seen.current.add(key)
      return isUnseen
    },
  }
}
