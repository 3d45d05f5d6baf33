import { inLine } from '#derive/format-printable.ts'
import { agentClientMax } from '#registry/agents.ts'
import { isObject, type Json, type JsonObject } from '#registry/json.ts'
import { formatStorable } from '../pipeline/masked-response.ts'

const clientInfo = 'io.modelcontextprotocol/clientInfo'

/** Returns what a client says it is, in its message or, in older revisions, in `User-Agent`; nobody checks it. */
export function clientOf(message: JsonObject, rawHeaders: readonly string[]): string | null {
  const named = nameIn(message) ?? headerNamed('user-agent', rawHeaders)
  const text = inLine(formatStorable(named ?? '')).trim()
  return text === '' ? null : [...text].slice(0, agentClientMax).join('')
}

function nameIn({ params }: JsonObject): string | undefined {
  const info = memberOf(memberOf(params, '_meta'), clientInfo)
  const [name, version] = [memberOf(info, 'name'), memberOf(info, 'version')]
  if (typeof name !== 'string') return undefined
  return typeof version === 'string' ? `${name} ${version}` : name
}

const memberOf = (value: Json | undefined, name: string): Json | undefined =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined

const headerNamed = (name: string, rawHeaders: readonly string[]): string | undefined =>
  rawHeaders.find((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name)
