import { readArguments, type ToolName, toolNamed } from '#derive/agent/tools.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { servedResources } from '#registry/resources/index.ts'
import type { FailureResponder } from '../http/failure-log.ts'
import { CallRefusedError } from './calls.ts'
import type { Agent } from './request.ts'
import { changes, describe, find, get } from './tools/read.ts'
import { apply, preview, status } from './tools/write.ts'

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
export type ToolResult = {
  structuredContent: JsonObject
  content: { type: 'text'; text: string }[]
  isError?: true
}

/**
 * Runs a tool. Returns undefined if no tool has this name. A refusal is a result too: the agent can correct its call.
 */
export async function runTool(
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
      error instanceof CallRefusedError ? error.problem : JSON.parse(failed(error, agent.requestId, `mcp.${name}`).body)
    return { ...resultOf(problem), isError: true }
  }
}

const resultOf = (said: JsonObject): ToolResult => ({
  structuredContent: said,
  content: [{ type: 'text', text: JSON.stringify(said) }],
})
