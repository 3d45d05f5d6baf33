import { definitionOf, registry } from '#registry/resources/index.ts'

/** What people call a record: the field that its definition names, else its number. */
export function titleOf(resource: string, record: { readonly [field: string]: unknown } | undefined): string {
  const field = definitionOf(registry, resource)?.title ?? 'name'
  const title = record?.[field]
  return title === null || title === undefined || title === '' ? `#${record?.id ?? ''}` : String(title)
}
