import { createServer, type IncomingMessage } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { Webhook } from 'standardwebhooks'

/**
 * Receives webhooks and keeps a copy of the records in a SQLite file. A message that comes twice changes nothing the
 * second time, and one is answered with success only when what it says is kept.
 *
 * WEBHOOK_SECRET=whsec_… node receiver.ts copy.sqlite 8787
 */
const [file = 'copy.sqlite', port = '8787'] = process.argv.slice(2)
const webhook = new Webhook(process.env.WEBHOOK_SECRET ?? '')
const database = new DatabaseSync(file)
database.exec(`create table if not exists copies (
  records text, record_id integer, version integer, is_gone integer, record text,
  primary key (records, record_id)
)`)
// Only what is newer counts. What was deleted stays as a version, so that nothing older brings it back.
const keep = database.prepare(`insert into copies values (?, ?, ?, ?, ?)
  on conflict do update set version = excluded.version, is_gone = excluded.is_gone, record = excluded.record
  where excluded.version > copies.version`)

type Message = { type: string; data: Change }
type Change = { action: string; records: string; record_id: number; version: number; record: object | null }

const server = createServer(async (request, response) => {
  const body = await read(request)
  let message: Message
  try {
    message = webhook.verify(body, request.headers as Record<string, string>) as Message
  } catch {
    response.writeHead(401).end()
    return
  }
  if (message.type !== 'webhooks.test') take(message.data)
  response.writeHead(204).end()
})

function take({ action, records, record_id, version, record }: Change): void {
  const isGone = action === 'deleted' || action === 'erased'
  keep.run(records, record_id, version, isGone ? 1 : 0, JSON.stringify(record))
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

server.listen(Number(port), '127.0.0.1', () => console.log(`receiving at ${JSON.stringify(server.address())}`))
