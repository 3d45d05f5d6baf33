/**
 * Rewrites the members of JSON objects in a text: one object, or many with commas between. Each is given its name and the
 * text of its value, and is left out where undefined is returned; what stays keeps its bytes and its place. The text is
 * JSON that PostgreSQL or `JSON.stringify` wrote, whose names are spelled as they are; throws if it ends too early.
 */
export function mapMembers(json: string, rewrite: (name: string, value: string) => string | undefined): string {
  let mapped = ''
  let from = 0
  for (let open = json.indexOf('{'); open >= 0; open = json.indexOf('{', from)) {
    const members: string[] = []
    let at = open + 1
    for (;;) {
      at = pastBlanks(json, at)
      if (json[at] === '}') break
      if (json[at] === ',') {
        at++
        continue
      }
      const nameEnd = pastString(json, at)
      const valueStart = pastBlanks(json, json.indexOf(':', nameEnd) + 1)
      const valueEnd = pastValue(json, valueStart)
      const value = rewrite(json.slice(at + 1, nameEnd - 1), json.slice(valueStart, valueEnd))
      if (value !== undefined) members.push(json.slice(at, valueStart) + value)
      at = valueEnd
    }
    mapped += `${json.slice(from, open)}{${members.join()}}`
    from = at + 1
  }
  return mapped + json.slice(from)
}

function pastValue(json: string, start: number): number {
  const first = json[start]
  if (first === '"') return pastString(json, start)
  if (first !== '{' && first !== '[') return pastPlain(json, start)
  let depth = 0
  for (let at = start; at < json.length; ) {
    const character = json[at]
    if (character === '"') {
      at = pastString(json, at)
      continue
    }
    at++
    if (character === '{' || character === '[') depth++
    if (character === '}' || character === ']') depth--
    if (depth === 0) return at
  }
  throw tooShort()
}

/** Skips a number or a word. */
function pastPlain(json: string, start: number): number {
  let at = start
  while (at < json.length && !',}] \n\t\r'.includes(json[at] as string)) at++
  return at
}

function pastString(json: string, start: number): number {
  if (json[start] !== '"') throw tooShort()
  for (let at = start + 1; at < json.length; at++) {
    if (json[at] === '\\') at++
    else if (json[at] === '"') return at + 1
  }
  throw tooShort()
}

function pastBlanks(json: string, start: number): number {
  let at = start
  while (at < json.length && ' \n\t\r'.includes(json[at] as string)) at++
  return at
}

const tooShort = (): Error => new Error('the text is no JSON object')
