import { agentAnswerBytesMax, agentTextMax } from '#registry/agents.ts'
import { isObject, type Json, type JsonObject } from '#registry/json.ts'

/** Limits the size of answers to agents, because a model reads all of an answer. */

/** Largest size of the messages around an answer. */
const envelopeBytes = 768

/** Counts an answer twice: its message has it as JSON, and as text for clients that read only text. */
function bytesOf(answer: Json): number {
  const text = JSON.stringify(answer)
  return Buffer.byteLength(text) + Buffer.byteLength(JSON.stringify(text))
}

/** Cuts long texts at any depth, and appends the length of each. */
export const cutTexts = (value: Json): Json => cutValue(value, agentTextMax, Number.POSITIVE_INFINITY)

function cutValue(value: Json, textMax: number, itemsMax: number): Json {
  if (typeof value === 'string') {
    const characters = value.length > textMax ? [...value] : []
    return characters.length > textMax
      ? `${characters.slice(0, textMax).join('')}… [cut: ${characters.length} characters]`
      : value
  }
  const cut = (inner: Json): Json => cutValue(inner, textMax, itemsMax)
  if (Array.isArray(value)) {
    const items = value.slice(0, itemsMax).map(cut)
    return value.length > itemsMax ? [...items, `[cut: ${value.length} items]`] : items
  }
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cut(member)]))
}

/** True if the answer is within its limit. */
const isFitting = (answer: JsonObject): boolean => bytesOf(answer) <= agentAnswerBytesMax - envelopeBytes

/** Returns how many of the first rows fit into the answer. `answer` builds it from the rows that remain. */
export function rowsThatFit<Row>(rows: readonly Row[], answer: (rows: readonly Row[]) => JsonObject): number {
  const between = (least: number, most: number): number => {
    if (least === most) return least
    const middle = Math.ceil((least + most) / 2)
    return isFitting(answer(rows.slice(0, middle))) ? between(middle, most) : between(least, middle - 1)
  }
  return between(0, rows.length)
}

/** Returns the value with shorter texts and lists, so that `answer` of it fits. A list states how many items it has. */
export function shorten(value: Json, answer: (value: Json) => JsonObject): Json {
  const cutTo = (most: number): Json => cutValue(value, most * 4, most)
  if (isFitting(answer(value))) return value
  return cutTo([64, 32, 16, 8, 4, 2].find((most) => isFitting(answer(cutTo(most)))) ?? 1)
}
