import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { type AgentSettings, agentDefaults, agentPath } from '#registry/agents.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { setAgents } from '#server/service/agents.ts'
import { send, type TestResponse } from '../stage/http.ts'
import type { Company, Stage } from '../stage/stage.ts'

/** Agents of a company: by a client of the protocol, and by raw messages. */

export const revisions = ['2026-07-28', '2025-11-25', '2025-06-18'] as const
export type Revision = (typeof revisions)[number]

/** Switches agents on with these settings, or off. */
export const setAgentsOf = (stage: Stage, { actor }: Company, settings: Partial<AgentSettings> | null = {}) =>
  stage.inTransaction((transaction) => setAgents(transaction, actor, settings && { ...agentDefaults, ...settings }))

export type ToolAnswer = {
  isError: boolean
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  data: any
  text: string
}

/** Opens a client of the protocol; its tools are used by name. */
export async function openAgent(
  stage: Stage,
  company: Company,
  { revision = revisions[0], elicits }: { revision?: Revision; elicits?: () => JsonObject } = {},
) {
  const isModern = revision === revisions[0]
  const client = new Client(
    { name: 'test-agent', version: '1.2' },
    {
      capabilities: elicits ? { elicitation: { form: {} } } : {},
      ...(isModern
        ? { versionNegotiation: { mode: { pin: revision } } }
        : { supportedProtocolVersions: [revision], versionNegotiation: { mode: 'legacy' as const } }),
    },
  )
  if (elicits) client.setRequestHandler('elicitation/create', async () => elicits() as never)
  const url = new URL(stage.url + agentPath)
  const requestInit = { headers: { Authorization: `Bearer ${company.token}`, 'User-Agent': 'old-agent/7' } }
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }))
  return {
    client,
    use: async (name: string, given: { [argument: string]: Json } = {}): Promise<ToolAnswer> => {
      const result = await client.callTool({ name, arguments: given })
      const [{ text }] = result.content as unknown as [{ text: string }]
      return { isError: result.isError === true, data: result.structuredContent, text }
    },
    close: () => client.close(),
  }
}
export type Agent = Awaited<ReturnType<typeof openAgent>>

const meta = {
  'io.modelcontextprotocol/protocolVersion': revisions[0],
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '0' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

type Raw = {
  headers?: { readonly [name: string]: string }
  token?: string | null
  method?: string
  raw?: string
  /** Members beside the arguments. */
  extra?: JsonObject
}

/** Sends a message as it is, with what the newest revision wants of headers unless others are given. */
export function sendRaw(
  stage: Stage,
  company: Company,
  rpc: string,
  params: JsonObject = {},
  { headers = {}, token = company.token, method = 'POST', raw }: Raw = {},
): Promise<TestResponse> {
  const body = raw ?? JSON.stringify({ jsonrpc: '2.0', id: 1, method: rpc, params: { ...params, _meta: meta } })
  const all = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': revisions[0],
    'Mcp-Method': rpc,
    ...(typeof params.name === 'string' ? { 'Mcp-Name': params.name } : {}),
    ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
    ...headers,
  }
  return send(stage.url, {
    method,
    path: agentPath,
    headers: Object.entries(all).filter(([, value]) => value !== ''),
    ...(method === 'GET' ? {} : { body }),
  })
}

/** Uses a tool by a raw message. */
export async function useRaw(
  stage: Stage,
  company: Company,
  name: string,
  given: JsonObject,
  options: Raw = {},
): Promise<ToolAnswer> {
  const answer = await sendRaw(stage, company, 'tools/call', { name, arguments: given, ...options.extra }, options)
  if (answer.body?.result === undefined) throw new Error(`${name}: ${answer.status} ${answer.text}`)
  const { isError = false, structuredContent, content } = answer.body.result
  return { isError, data: structuredContent, text: content[0].text }
}
