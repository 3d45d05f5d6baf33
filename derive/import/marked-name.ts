/** A title with what tells its record from others of the same title, as an export writes it and an import reads it. */

/** The title of a record, and its id or the value of a unique field. */
export type MarkedName = { title: string; id: number } | { title: string; also: string }

/** Returns "Twin Ltd (RT-8)" or "Twin Ltd (#17)". */
export const formatMarked = (name: MarkedName): string =>
  `${name.title} (${'id' in name ? `#${name.id}` : name.also})`.trimStart()

/** Parses such a text. Returns undefined if nothing in parentheses stands at its end. */
export function parseMarked(text: string): MarkedName | undefined {
  if (!text.endsWith(')')) return undefined
  const [, titleOfId, id] = /^(.*?) ?\(#(\d{1,15})\)$/s.exec(text) ?? []
  if (titleOfId !== undefined) return { title: titleOfId, id: Number(id) }
  const at = text.lastIndexOf(' (')
  return at < 0 ? undefined : { title: text.slice(0, at), also: text.slice(at + 2, -1) }
}
