import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createStatementRunner } from './ask.ts'
import { columns } from './statements.ts'

/**
 * The floor: a bare server that no service on this stack can beat. It has no framework, no checks and no callers. The
 * company is in the path, one prepared statement does the work, and its JSON text is written unchanged.
 */

const ask = await createStatementRunner(process.env)

const server = createServer((request, response) => {
  const [, work = '', company, rest = ''] = (request.url as string).split('/')
  answer(work, Number(company), rest, request, response).catch((error: unknown) => {
    console.error(error)
    response.destroy()
  })
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }))
})
process.once('SIGTERM', () => process.exit(0))

async function answer(work: string, company: number, rest: string, request: IncomingMessage, response: ServerResponse) {
  switch (work) {
    case 'nothing':
      return write(response, 200, '{"data":null}')
    case 'fetch': {
      const [json] = await ask('fetch', [company, rest])
      return write(response, 200, `{"data":${json}}`)
    }
    case 'list':
    case 'filtered':
    case 'q': {
      const [total, json] = await ask(work, rest === '' ? [company] : [company, rest])
      return write(response, 200, `{"data":[${json}],"meta":{"total":${total},"limit":50,"offset":0}}`)
    }
    case 'update': {
      const { budget_minor } = await bodyOf(request)
      const [id] = await ask('update', [company, rest, budget_minor])
      return write(response, 200, `{"data":{"id":${id}}}`)
    }
    case 'create': {
      const body = await bodyOf(request)
      const values = columns.map(({ name, kind }) => (kind === 'address' ? JSON.stringify(body[name]) : body[name]))
      const [id] = await ask('create', [company, ...values])
      return write(response, 201, `{"data":{"id":${id}}}`)
    }
    case 'batch': {
      // The text is passed to the database unchanged: no service could insert the records with less work.
      const [count] = await ask('batch', [company, await textOf(request)])
      return write(response, 201, `{"data":${count}}`)
    }
    default:
      return write(response, 404, '')
  }
}

function write(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) })
  response.end(body)
}

const bodyOf = async (request: IncomingMessage): Promise<{ [name: string]: unknown }> =>
  JSON.parse(await textOf(request))

function textOf(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => {
      text += chunk
    })
    request.on('end', () => resolve(text))
    request.on('error', reject)
  })
}
