/** What of PostgreSQL's protocol the scheduler has to know: where a message ends, what it asks, and how it is answered. */

/** What a service sends over a connection in one go. */
export type Asked = {
  /** The statements by name, or by the beginning of their text. */
  statements: string[]
  /** How many answers end with ReadyForQuery. */
  answers: number
  /** Whether it ends the session. */
  isFarewell: boolean
  /** The sessions that it ends, by process id. */
  ends: number[]
}

/** Reads what a service sends; all of it has come. `isFirst`: it begins with the start of a session. */
export function readAsked(bytes: Buffer, isFirst: boolean): Asked {
  const asked: Asked = { statements: [], answers: 0, isFarewell: false, ends: [] }
  let at = 0
  if (isFirst) {
    at = bytes.readInt32BE(0)
    asked.statements.push('session')
    asked.answers++
  }
  const unnamed: string[] = []
  while (at < bytes.length) {
    const kind = String.fromCharCode(bytes.readUInt8(at))
    const end = at + 1 + bytes.readInt32BE(at + 1)
    const body = bytes.subarray(at + 5, end)
    at = end
    if (kind === 'S' || kind === 'Q') asked.answers++
    if (kind === 'X') asked.isFarewell = true
    if (kind === 'Q') asked.statements.push(headOf(textAt(body, 0)))
    if (kind === 'P') {
      const name = textAt(body, 0)
      if (name === '') unnamed.push(textAt(body, 1))
    }
    if (kind === 'B') {
      const portal = textAt(body, 0)
      const name = textAt(body, Buffer.byteLength(portal) + 1)
      const text = name === '' ? (unnamed.at(-1) ?? '') : ''
      asked.statements.push(name === '' ? headOf(text) : name)
      if (text.includes('pg_terminate_backend')) asked.ends.push(...firstNumbers(body))
    }
  }
  return asked
}

const textAt = (body: Buffer, at: number): string => body.toString('utf8', at, body.indexOf(0, at))
const headOf = (text: string): string => text.trim().split(/\s+/).slice(0, 4).join(' ').slice(0, 40)

/** The numbers of the first array among the values. */
const firstNumbers = (body: Buffer): number[] =>
  ((/\{[\d,"]+\}/.exec(body.toString('latin1'))?.[0] ?? '').match(/\d+/g) ?? []).map(Number)

/** What PostgreSQL has answered. */
export type Answered = {
  /** Commands that are done, by their first word, and codes of errors. */
  said: string[]
  /** Answers that are complete. */
  complete: number
  /** The process that serves the connection, where it says so. */
  pid: number | undefined
}

/** Returns whether bytes of PostgreSQL end with ReadyForQuery. */
export const endsReady = (chunk: Buffer): boolean =>
  chunk.length >= 6 && chunk.at(-6) === 'Z'.charCodeAt(0) && chunk.readInt32BE(chunk.length - 5) === 5

/** Reads answers as they come in, in pieces. */
export function createAnswerReader(): (chunk: Buffer) => Answered {
  let rest: Buffer = Buffer.alloc(0)
  return (chunk) => {
    const answered: Answered = { said: [], complete: 0, pid: undefined }
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
      const kind = String.fromCharCode(rest.readUInt8(0))
      const body = rest.subarray(5, 1 + rest.readInt32BE(1))
      rest = rest.subarray(1 + rest.readInt32BE(1))
      if (kind === 'Z') answered.complete++
      if (kind === 'K') answered.pid = body.readInt32BE(0)
      if (kind === 'C') answered.said.push(textAt(body, 0).split(' ', 1)[0] as string)
      if (kind === 'E') answered.said.push(codeOf(body))
    }
    return answered
  }
}

const codeOf = (body: Buffer): string => /(?:^|\0)C([0-9A-Z]{5})\0/.exec(body.toString('latin1'))?.[1] ?? 'error'
