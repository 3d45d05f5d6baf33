import { Duplex } from 'node:stream'
import type { StreamConnection } from './connect.ts'

/** The answer of PostgreSQL to a statement: columns with the ids of their types, rows as texts, and the command tag. */
export type RecordedAnswer = {
  columns: readonly (readonly [name: string, type: number])[]
  rows: readonly (readonly (string | null)[])[]
  did: string
}

/** Answers by the name of a statement, or by its text if it has none. */
export type RecordedRows = { readonly [statement: string]: RecordedAnswer }

/** Placeholder for the number of the connection, which differs for each. */
export const connectionPlace = '{connection}'

/**
 * Creates connections that replay the recorded answers of PostgreSQL in the messages of its protocol, whatever the
 * values are. A statement without a recording ends the connection.
 * https://www.postgresql.org/docs/18/protocol-message-formats.html
 */
export function createStandIn(recording: RecordedRows): StreamConnection {
  const answers = new Map(Object.entries(recording).map(([statement, answer]) => [statement, messagesOf(answer)]))
  let connections = 0
  return {
    ...{ host: 'nowhere', port: 0, user: 'nobody', database: 'none', ssl: false },
    stream: () => streamOf(answers, String(++connections)),
  }
}

type Answers = ReadonlyMap<string, { columns: Buffer; rows: (connection: string) => Buffer }>

function streamOf(answers: Answers, connection: string): Duplex {
  const parsed = new Map<string, string>()
  let bound = ''
  let queued: Buffer[] = []
  const answerOf = (statement: string) => {
    const answer = answers.get(statement)
    if (!answer) throw new Error(`no answer is recorded to ${statement}`)
    return answer
  }
  const queue = (...messages: Buffer[]): void => void queued.push(...messages)
  const take = (type: string, body: Buffer): void => {
    const names = stringsOf(body)
    if (type === 'startup') queue(signedIn)
    else if (type === 'P') {
      parsed.set(names[0] as string, names[0] || (names[1] as string))
      queue(parseComplete)
    } else if (type === 'B') {
      bound = parsed.get(names[1] as string) as string
      queue(bindComplete)
    } else if (type === 'D') {
      // The portal is always that of the last Bind.
      const name = names[0] as string
      queue(answerOf(name.startsWith('S') ? (parsed.get(name.slice(1)) as string) : bound).columns)
    } else if (type === 'E') queue(answerOf(bound).rows(connection))
    else if (type === 'C') queue(closeComplete)
    else if (type === 'Q') {
      const { columns, rows } = answerOf(names[0] as string)
      queue(columns, rows(connection))
    }
    if (!['startup', 'Q', 'S'].includes(type)) return
    const reply = Buffer.concat([...queued, ready])
    queued = []
    setImmediate(() => stream.push(reply))
  }
  const read = messageReader(take)
  const stream: Duplex = new Duplex({
    read() {},
    writev(chunks, done) {
      try {
        read(Buffer.concat(chunks.map(({ chunk }) => chunk)))
        done()
      } catch (error) {
        done(error as Error)
      }
    },
    final(done) {
      stream.push(null)
      done()
    },
  })
  const nothing = (): Duplex => stream
  const connect = (): Duplex => {
    process.nextTick(() => stream.emit('connect'))
    return stream
  }
  return Object.assign(stream, { connect, setNoDelay: nothing, setKeepAlive: nothing, ref: nothing, unref: nothing })
}

/**
 * Returns a function that parses messages of a client, or of a server if `isClient` is false. A client's first message
 * has no type.
 */
export function messageReader(take: (type: string, body: Buffer) => void, isClient = true) {
  let rest: Buffer = Buffer.alloc(0)
  let head = isClient ? 0 : 1
  return (chunk: Buffer): void => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    while (rest.length >= head + 4) {
      const end = head + rest.readUInt32BE(head)
      if (rest.length < end) return
      const message = rest
      rest = rest.subarray(end)
      take(head === 0 ? 'startup' : String.fromCharCode(message[0] as number), message.subarray(head + 4, end))
      head = 1
    }
  }
}

/** Returns the first two strings of a message. */
export const stringsOf = (body: Buffer): string[] => {
  const first = body.indexOf(0)
  return [body.toString('utf8', 0, first), body.toString('utf8', first + 1, body.indexOf(0, first + 1))]
}

function messagesOf({ columns, rows, did }: RecordedAnswer) {
  const end = message('C', text(did))
  const rowOf = (row: readonly (string | null)[]): Buffer => message('D', int16(row.length), ...row.map(bytesOf))
  const all = Buffer.concat([...rows.map(rowOf), end])
  const hasPlace = rows.some((row) => row.includes(connectionPlace))
  return {
    columns:
      columns.length === 0
        ? Buffer.concat([parameters, message('n')])
        : Buffer.concat([parameters, message('T', int16(columns.length), ...columns.map(columnOf))]),
    rows: (connection: string): Buffer =>
      hasPlace
        ? Buffer.concat([
            ...rows.map((row) => rowOf(row.map((value) => (value === connectionPlace ? connection : value)))),
            end,
          ])
        : all,
  }
}

function message(type: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body])
}

// A buffer takes the lowest eight bits of each number.
const int16 = (number: number): Buffer => Buffer.from([number >> 8, number])
const int32 = (number: number): Buffer => Buffer.from([number >> 24, number >> 16, number >> 8, number])
const text = (value: string): Buffer => Buffer.from(`${value}\0`)
const bytesOf = (value: string | null): Buffer => {
  if (value === null) return int32(-1)
  const bytes = Buffer.from(value)
  return Buffer.concat([int32(bytes.length), bytes])
}
/** Formats a column of no table, of any length, as text. */
const columnOf = ([name, type]: readonly [string, number]): Buffer =>
  Buffer.concat([text(name), int32(0), int16(0), int32(type), int16(-1), int32(-1), int16(0)])

const parameters = message('t', int16(0))
const ready = message('Z', Buffer.from('I'))
const signedIn = Buffer.concat([message('R', int32(0)), message('K', int32(0), int32(0))])
const [parseComplete, bindComplete, closeComplete] = [message('1'), message('2'), message('3')]
