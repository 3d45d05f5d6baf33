import type { Socket } from 'node:net'
import pg from 'pg'
import type { Statement } from '#sql/statement.ts'
import { noteBatchWritten } from './deadline.ts'

/** A statement of a batch, and who waits for its rows. */
export type QueuedStatement = {
  statement: Statement
  /** `command` is what PostgreSQL says it did: INSERT, COMMIT … */
  answered(rows: unknown[], command: string): void
  /** `reached` is false where PostgreSQL said that an earlier statement failed: then this one was not begun. */
  failed(error: unknown, reached: boolean): void
}

/**
 * Sends statements in one write and gets them answered in one: a single Sync follows all of them, so PostgreSQL answers
 * when it has run the last, and runs none after one that failed. The driver's own queries end with a Sync each, and
 * both sides wake up for each. This is the driver's interface for queries of one's own, and PostgreSQL's pipelining:
 * https://www.postgresql.org/docs/18/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
 * All statements of a batch share one deadline (`deadline.ts`): a bound that grew with their number would be none.
 */
export function sendBatch(client: pg.ClientBase, batch: readonly QueuedStatement[]): void {
  const answers: { rows: unknown[]; command: string }[] = []
  const prepared = preparedBy(client)
  let rows: unknown[] = []
  let described: Columns = []
  const now = (): Statement => (batch[answers.length] as QueuedStatement).statement
  const query: Query = {
    submit(connection) {
      const values = prepareBatch(batch)
      if (values instanceof Error) return values
      noteBatchWritten(client)
      connection.stream.cork()
      for (const [index, { statement }] of batch.entries()) ask(connection, prepared, statement, values[index] ?? [])
      connection.sync()
      connection.stream.uncork()
      return null
    },
    handleRowDescription({ fields }) {
      described = fields.map(({ name, dataTypeID }) => ({ name, read: client.getTypeParser(dataTypeID, 'text') }))
    },
    handleDataRow({ fields }) {
      rows.push(rowOf(prepared.get(now().name ?? '') ?? described, fields))
    },
    handleCommandComplete({ text }) {
      const { name } = now()
      if (name !== undefined && !prepared.has(name)) prepared.set(name, described)
      answers.push({ rows, command: text.split(' ', 1)[0] as string })
      rows = []
      described = []
    },
    handleReadyForQuery() {
      for (const [index, { rows, command }] of answers.entries()) batch[index]?.answered(rows, command)
    },
    handleError(error) {
      const told = error instanceof pg.DatabaseError
      for (const [index, { answered, failed }] of batch.entries()) {
        const answer = answers[index]
        if (answer) answered(answer.rows, answer.command)
        else failed(error, !told || index === answers.length)
      }
    },
  }
  client.query(query as unknown as pg.Submittable)
}

type Columns = readonly { name: string; read: (text: string) => unknown }[]

/** The statements that each connection has prepared, with the columns of what they return. */
const preparedOn = new WeakMap<pg.ClientBase, Map<string, Columns>>()

function preparedBy(client: pg.ClientBase): Map<string, Columns> {
  const known = preparedOn.get(client) ?? new Map<string, Columns>()
  preparedOn.set(client, known)
  return known
}

/** All values are made ready before anything is written: half a batch would never be answered. */
function prepareBatch(batch: readonly QueuedStatement[]): Value[][] | Error {
  try {
    return batch.map(({ statement }) => statement.values.map(prepareValue))
  } catch (error) {
    return error as Error
  }
}

function ask(connection: Connection, prepared: Map<string, Columns>, { name = '', text }: Statement, values: Value[]) {
  if (!prepared.has(name)) {
    // It may have been prepared by a batch that failed after that; closing what is not there is no error.
    if (name !== '') connection.close({ type: 'S', name })
    connection.parse({ name, text, types: [] })
    connection.describe({ type: 'S', name })
  }
  connection.bind({ statement: name, values })
  connection.execute({})
}

function rowOf(columns: Columns, fields: readonly (string | null)[]): unknown {
  const row: { [column: string]: unknown } = {}
  for (const [index, { name, read }] of columns.entries()) {
    const text = fields[index]
    row[name] = text === null || text === undefined ? null : read(text)
  }
  return row
}

type Value = string | Buffer | null

/** A parameter as the protocol carries it: text, or bytes as they are. */
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): Value } }).utils

/** What the driver asks of a query (its type declares only the first). */
type Query = {
  submit(connection: Connection): Error | null
  handleRowDescription(message: { fields: { name: string; dataTypeID: number }[] }): void
  handleDataRow(message: { fields: (string | null)[] }): void
  handleCommandComplete(message: { text: string }): void
  handleReadyForQuery(): void
  handleError(error: unknown): void
}

/** What a query asks of the driver. */
type Connection = {
  stream: Socket
  parse(message: { name: string; text: string; types: [] }): void
  describe(message: { type: 'S'; name: string }): void
  bind(message: { statement: string; values: Value[] }): void
  execute(message: object): void
  close(message: { type: 'S'; name: string }): void
  sync(): void
}
