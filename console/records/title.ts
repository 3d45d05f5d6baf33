import type { Definition } from '#registry/definition.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { asForeign, type ForeignText } from '../texts/foreign.ts'
import { useFormat } from '../texts/format.ts'

/** Returns the title of a record: the field that its definition names, else its number. */
export function titleOf(resource: string, record: { readonly [field: string]: unknown } | undefined): ForeignText {
  const field = definitionOf(registry, resource)?.title ?? 'name'
  const title = record?.[field]
  return asForeign(title === null || title === undefined || title === '' ? `#${record?.id ?? ''}` : String(title))
}

/** Returns the title of a record in the reader's language, which matters if the title is a day. */
export function useTitleText({ name, title, fields }: Definition) {
  const format = useFormat()
  return (record: { readonly [field: string]: unknown }): ForeignText => {
    const value = record[title]
    return fields[title]?.kind === 'date' && typeof value === 'string'
      ? asForeign(format.day(value))
      : titleOf(name, record)
  }
}
