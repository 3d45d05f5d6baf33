import { isObject, type Json, type JsonObject } from '#registry/json.ts'

const encoder = new TextEncoder()
const encoded = new WeakMap<object, Uint8Array>()

/** Caches the encoded text of a part that goes into many documents and does not change. */
export function keepBytes<Part extends JsonObject>(part: Part): Part {
  encoded.set(part, encoder.encode(JSON.stringify(part)))
  return part
}

/** How deep cached parts are looked for: an operation or a schema is three levels below its document. */
const levels = 3

/** Returns the JSON of a document as chunks of UTF-8: the cached parts, and the text between them. */
export function jsonBytes(document: JsonObject): Uint8Array[] {
  const pieces: Uint8Array[] = []
  let text = ''
  const write = (value: Json, depth: number): void => {
    const known = isObject(value) ? encoded.get(value) : undefined
    if (known) {
      pieces.push(encoder.encode(text), known)
      text = ''
    } else if (!isObject(value) || depth === 0) {
      text += JSON.stringify(value)
    } else {
      const members = Object.entries(value).filter(([, member]) => member !== undefined)
      for (const [index, [name, member]] of members.entries()) {
        text += `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`
        write(member, depth - 1)
      }
      text += members.length === 0 ? '{}' : '}'
    }
  }
  write(document, levels)
  return [...pieces, encoder.encode(text)]
}
