import type { Definition } from '#registry/definition.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { useFormat } from '../texts/format.ts'

/** What people call a record: the field that its definition names, else its number. */
export function titleOf(resource: string, record: { readonly [field: string]: unknown } | undefined): string {
  const field = definitionOf(registry, resource)?.title ?? 'name'
  const title = record?.[field]
  return title === null || title === undefined || title === '' ? `#${record?.id ?? ''}` : String(title)
}

/** A record's title as it is written in the reader's language: a day where the title is one. */
export function useTitleText({ name, title, fields }: Definition) {
  const format = useFormat()
  return (record: { readonly [field: string]: unknown }): string => {
    const value = record[title]
    return fields[title]?.kind === 'date' && typeof value === 'string' ? format.day(value) : titleOf(name, record)
  }
}
