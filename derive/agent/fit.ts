import { agentAnswerBytesMax, agentTextMax } from '#registry/agents.ts'
import { isObject, type Json, type JsonObject } from '#registry/json.ts'

/** Answers to agents are read whole by a model, so each has a size that it does not pass. */

/** What the messages around an answer take at most. */
const envelopeBytes = 768

/** An answer stands twice in its message: as JSON, and as text for clients that read only that. */
function bytesOf(answer: Json): number {
  const text = JSON.stringify(answer)
  return Buffer.byteLength(text) + Buffer.byteLength(JSON.stringify(text))
}

/** Cuts long texts, wherever they stand, and says of each how long it is. */
export function cutTexts(value: Json, most = agentTextMax): Json {
  if (typeof value === 'string') {
    const characters = value.length > most ? [...value] : []
    return characters.length > most
      ? `${characters.slice(0, most).join('')}… [cut: ${characters.length} characters]`
      : value
  }
  if (Array.isArray(value)) return value.map((item) => cutTexts(item, most))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cutTexts(member, most)]))
}

/** Whether the answer has room as it is. */
const fits = (answer: JsonObject): boolean => bytesOf(answer) <= agentAnswerBytesMax - envelopeBytes

/** Returns how many of the first rows have room in the answer, which is made with those that are left. */
export function rowsThatFit<Row>(rows: readonly Row[], answer: (rows: readonly Row[]) => JsonObject): number {
  let [least, most] = [0, rows.length]
  while (least < most) {
    const middle = Math.ceil((least + most) / 2)
    if (fits(answer(rows.slice(0, middle)))) least = middle
    else most = middle - 1
  }
  return least
}

/** Returns the value with shorter texts and lists, until `answer` of it has room. A list says how many items it has. */
export function shorten(value: Json, answer: (value: Json) => JsonObject): Json {
  let shorter = value
  for (let most = 64; !fits(answer(shorter)) && most > 0; most = Math.floor(most / 2))
    shorter = cutLists(cutTexts(value, most * 4), most)
  return shorter
}

function cutLists(value: Json, most: number): Json {
  if (Array.isArray(value)) {
    const items = value.slice(0, most).map((item) => cutLists(item, most))
    return value.length > most ? [...items, `[cut: ${value.length} items]`] : items
  }
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cutLists(member, most)]))
}
