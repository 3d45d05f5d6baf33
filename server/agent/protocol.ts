import { instructions } from '#derive/agent/describe.ts'
import { listTools, readArguments, type ToolName, toolNamed, toolsTtlMs } from '#derive/agent/tools.ts'
import { agentPath } from '#registry/agents.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { servedResources } from '#registry/resources/index.ts'
import { version } from '../config/config.ts'
import type { FailureResponder } from '../http/failure-log.ts'
import type { ApiResponse } from '../pipeline/call.ts'
import { CallRefusedError } from './calls.ts'
import type { Agent, Message } from './request.ts'
import { changes, describe, find, get } from './tools/read.ts'
import { apply, preview, status } from './tools/write.ts'

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

const tools: { readonly [name in ToolName]: (agent: Agent, given: JsonObject) => Promise<JsonObject> } = {
  describe,
  find,
  get,
  changes,
  preview,
  apply,
  status,
}

/** The result of a tool in the form of the protocol. Texts of records are data in it, and nothing else. */
type ToolResult = {
  structuredContent: JsonObject
  content: { type: 'text'; text: string }[]
  isError?: true
}

/** Runs a tool; undefined without a tool of the name. A refusal is a result too: the agent can correct its call. */
async function runTool(
  agent: Agent,
  failed: FailureResponder,
  name: string,
  sent: Json | undefined,
): Promise<ToolResult | undefined> {
  const tool = toolNamed(servedResources, name)
  if (!tool) return undefined
  try {
    return resultOf(await tools[tool.name](agent, readArguments(tool, sent)))
  } catch (error) {
    const problem =
      error instanceof CallRefusedError ? error.problem : failed(error, agent.requestId, `mcp.${name}`).problem
    return { ...resultOf(problem as unknown as JsonObject), isError: true }
  }
}

const resultOf = (said: JsonObject): ToolResult => ({
  structuredContent: said,
  content: [{ type: 'text', text: JSON.stringify(said) }],
})
