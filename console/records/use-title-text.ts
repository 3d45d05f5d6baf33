import type { Definition } from '#registry/definition.ts'
import { useFormat } from '../texts/format.ts'
import { titleOf } from './title.ts'

/** A record's title as it is written in the reader's language: a day where the title is one. */
export function useTitleText({ name, title, fields }: Definition) {
  const format = useFormat()
  return (record: { readonly [field: string]: unknown }): string => {
    const value = record[title]
    return fields[title]?.kind === 'date' && typeof value === 'string' ? format.day(value) : titleOf(name, record)
  }
}
