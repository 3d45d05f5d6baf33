import { isObject, type Json, type JsonObject } from '#registry/json.ts'

const encoder = new TextEncoder()
const encoded = new WeakMap<object, Uint8Array>()
const [open, close] = [encoder.encode('{'), encoder.encode('}')]

/** Caches the encoded text of a part that goes into many documents and does not change. */
export function keepBytes<Part extends JsonObject>(part: Part): Part {
  encoded.set(part, encoder.encode(JSON.stringify(part)))
  return part
}

/**
 * Returns the JSON of a document as chunks of UTF-8: the cached parts, and the text between them. Cached parts are looked
 * for at three levels: an operation or a schema is that far below its document.
 */
export function jsonBytes(value: Json, levels = 3): Uint8Array[] {
  const known = isObject(value) ? encoded.get(value) : undefined
  if (known) return [known]
  if (!isObject(value) || levels === 0) return [encoder.encode(JSON.stringify(value))]
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  const chunks = members.flatMap(([name, member], index) => [
    encoder.encode(`${index === 0 ? '' : ','}${JSON.stringify(name)}:`),
    ...jsonBytes(member, levels - 1),
  ])
  return [open, ...chunks, close]
}
