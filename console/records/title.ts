import { definitionOf, registry } from '#registry/records/index.ts'

/** What people call a record: the field that its definition names, else its number. */
export function titleOf(kind: string, record: { readonly [field: string]: unknown } | undefined): string {
  const field = definitionOf(registry, kind)?.title ?? 'name'
  const title = record?.[field]
  return title === null || title === undefined || title === '' ? `#${record?.id ?? ''}` : String(title)
}
