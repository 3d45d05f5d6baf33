import { agentPath } from '#registry/agents.ts'
import type { JsonObject } from '#registry/json.ts'

/** Messages to /mcp as they are sent. */

const revision = '2026-07-28'
const meta = {
  'io.modelcontextprotocol/protocolVersion': revision,
  'io.modelcontextprotocol/clientInfo': { name: 'attacks', version: '0' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

export const mcp = { method: 'POST', path: agentPath } as const

export const agentHeaders = (token: string, tool: string): [string, string][] => [
  ['Content-Type', 'application/json'],
  ['Accept', 'application/json, text/event-stream'],
  ['MCP-Protocol-Version', revision],
  ['Mcp-Method', 'tools/call'],
  ['Mcp-Name', tool],
  ['Authorization', `Bearer ${token}`],
]

export const toolCall = (name: string, given: JsonObject): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given, _meta: meta } })
