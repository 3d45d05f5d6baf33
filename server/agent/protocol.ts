import { instructions } from '#derive/agent/describe.ts'
import { listTools, toolsTtlMs } from '#derive/agent/tools.ts'
import { agentPath } from '#registry/agents.ts'
import type { Json } from '#registry/json.ts'
import { servedResources } from '#registry/resources/index.ts'
import { version } from '../config/config.ts'
import type { FailureResponder } from '../http/failure-log.ts'
import type { ApiResponse } from '../pipeline/call.ts'
import type { Agent, Message } from './request.ts'
import { runTool } from './run-tool.ts'

/**
 * Answers a message of the Model Context Protocol, in the revisions of its library. One has no sessions; older ones
 * answer one message as a stream that ends. The library is loaded by the first admitted request of an agent: it takes
 * 25 MB.
 */
export async function answerMessage(agent: Agent, failed: FailureResponder, message: Message): Promise<ApiResponse> {
  const { createMcpHandler, ProtocolError, ProtocolErrorCode, Server } = await import('@modelcontextprotocol/server')
  const createServer = () => {
    const server = new Server(
      { name: 'plumbline', title: 'Plumbline', version },
      {
        capabilities: { tools: {} },
        instructions,
        cacheHints: { 'tools/list': { ttlMs: toolsTtlMs, cacheScope: 'public' } },
      },
    )
    server.setRequestHandler('tools/list', async () => ({ tools: [...listTools(servedResources)] }))
    server.setRequestHandler('tools/call', async ({ params: { name, arguments: given } }) => {
      const result = await runTool(agent, failed, name, given as Json | undefined)
      if (result) return result
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${JSON.stringify(name.slice(0, 60))}.`)
    })
    return server
  }
  // Nothing is sent before a result, and there are no subscriptions: an answer always ends.
  const handler = createMcpHandler(createServer, { legacy: 'stateless', keepAliveMs: 0 })
  const response = await handler.fetch(
    new Request(agent.base + agentPath, { method: 'POST', headers: headersOf(agent) }),
    {
      parsedBody: message,
    },
  )
  const type = response.headers.get('content-type')
  return {
    status: response.status,
    headers: { 'Cache-Control': 'no-store', ...(type === null ? {} : { 'Content-Type': type }) },
    body: await response.text(),
  }
}

/** Returns whether the protocol reads a header. */
const isOfProtocol = (name: string): boolean => /^(accept|content-type|mcp-[a-z-]{1,40})$/i.test(name)

function headersOf({ rawHeaders }: Agent): Headers {
  const headers = new Headers()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string
    if (isOfProtocol(name)) headers.append(name, rawHeaders[index + 1] as string)
  }
  return headers
}
