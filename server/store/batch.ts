import type { Socket } from 'node:net'
import pg from 'pg'
import type { Statement } from '#sql/statement.ts'
import { noteBatchWritten } from './deadline.ts'

/** A statement of a batch, with callbacks for its rows and its failure. */
export type QueuedStatement = {
  statement: Statement
  /** `command` is the first word of PostgreSQL's command tag: INSERT, COMMIT … */
  answered(rows: unknown[], command: string): void
  /** `reached` is false if PostgreSQL reported the failure of an earlier statement: this one was not begun. */
  failed(error: unknown, reached: boolean): void
}

/**
 * Sends statements in one write, with a single Sync after the last. PostgreSQL answers when it has run the last, and
 * runs none after a failed one. Each query of the driver ends with a Sync of its own, which wakes both sides. This uses
 * the driver's interface for custom queries, and PostgreSQL's pipelining:
 * https://www.postgresql.org/docs/18/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
 * All statements of a batch share one deadline (`deadline.ts`): a limit that grew with their number would be none.
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
      const isReported = error instanceof pg.DatabaseError
      for (const [index, { answered, failed }] of batch.entries()) {
        const answer = answers[index]
        if (answer) answered(answer.rows, answer.command)
        else failed(error, !isReported || index === answers.length)
      }
    },
  }
  client.query(query as unknown as pg.Submittable)
}

type Columns = readonly { name: string; read: (text: string) => unknown }[]

/** The statements that each connection has prepared, with the columns that they return. */
const preparedOn = new WeakMap<pg.ClientBase, Map<string, Columns>>()

function preparedBy(client: pg.ClientBase): Map<string, Columns> {
  const known = preparedOn.get(client) ?? new Map<string, Columns>()
  preparedOn.set(client, known)
  return known
}

/** Converts all values before anything is written: half a batch would get no answer. Returns the error of a value. */
function prepareBatch(batch: readonly QueuedStatement[]): Value[][] | Error {
  try {
    return batch.map(({ statement }) => statement.values.map(prepareValue))
  } catch (error) {
    return error as Error
  }
}

function ask(connection: Connection, prepared: Map<string, Columns>, { name = '', text }: Statement, values: Value[]) {
  if (!prepared.has(name)) {
    // A batch that failed later may have prepared it. Closing an unknown statement is no error.
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

/** Converts a parameter for the protocol: to text, or to unchanged bytes. */
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): Value } }).utils

/** The interface that the driver requires of a query. Its own type declares only the first member. */
type Query = {
  submit(connection: Connection): Error | null
  handleRowDescription(message: { fields: { name: string; dataTypeID: number }[] }): void
  handleDataRow(message: { fields: (string | null)[] }): void
  handleCommandComplete(message: { text: string }): void
  handleReadyForQuery(): void
  handleError(error: unknown): void
}

/** The methods of the driver that a query calls. */
type Connection = {
  stream: Socket
  parse(message: { name: string; text: string; types: [] }): void
  describe(message: { type: 'S'; name: string }): void
  bind(message: { statement: string; values: Value[] }): void
  execute(message: object): void
  close(message: { type: 'S'; name: string }): void
  sync(): void
}
