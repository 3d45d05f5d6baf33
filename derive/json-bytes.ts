import { isObject, type Json, type JsonObject } from '#registry/json.ts'

const encoder = new TextEncoder()
const encoded = new WeakMap<object, Uint8Array>()

/** Keeps the encoded text of a part with it. It is for parts that go into many documents and do not change. */
export function kept<Part extends JsonObject>(part: Part): Part {
  encoded.set(part, encoder.encode(JSON.stringify(part)))
  return part
}

/** How far down kept parts are looked for: an operation or a schema stands three levels below its document. */
const levels = 3

/** What JSON.stringify makes of a document, in UTF-8 and in pieces: the parts that are kept, and what is between them. */
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
