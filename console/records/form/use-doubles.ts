import { useQueries, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import type { Double } from '#derive/import/importer.ts'
import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { ask } from '../../client/ask.ts'
import { useMe } from '../../me/me.tsx'
import { asForeign, type ForeignText } from '../../texts/foreign.ts'

type FormDouble = Double<ForeignText> & { id: number }

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
  const noticeKeys = useRef(new Set<string>())
  const fields = may(records, 'VIEW') ? alike.filter((field) => typeof changes[field] === 'string') : []
  const queries = fields.map((field) => {
    const value = changes[field] as string
    return {
      queryKey: ['doubles', records, field, value],
      queryFn: async (): Promise<FormDouble[]> => {
        const { data } = await ask('records.look-up', { records, body: { field, values: [value] } })
        return data.map(({ id, title }) => ({ field, id, title: title ?? asForeign(value) }))
      },
      enabled: left.has(field),
      ...{ staleTime: 60_000, retry: false, networkMode: 'always' as const },
    }
  })
  const othersOf = (answers: readonly (readonly FormDouble[] | undefined)[]): FormDouble[] =>
    answers.flatMap((doubles = []) => doubles.filter((double) => double.id !== id))
  const doubles = othersOf(useQueries({ queries }).map(({ data }) => data))
  const keysOf = (some: readonly FormDouble[]): string[] => some.map((double) => JSON.stringify(double))

  return {
    /** The doubles to show now. */
    doubles,
    /** Returns whether there are doubles that no notice has shown since the form was opened. A look-up that fails has none. */
    async hasUnseenDoubles(): Promise<boolean> {
      const answers = await Promise.all(
        queries.map(({ enabled: _, ...query }) => client.fetchQuery(query).catch(() => undefined)),
      )
      const keys = keysOf(othersOf(answers))
      const isUnseen = keys.some((key) => !noticeKeys.current.has(key) && !keysOf(doubles).includes(key))
      for (const key of keys) noticeKeys.current.add(key)
      return isUnseen
    },
  }
}
