import type { JsonObject } from '#registry/json.ts'
import { etagExample, exampleId } from '../examples.ts'
import { type DataRoute, isWrite } from '../routes.ts'
import type { PathParameter } from './operation.ts'

/** The call in one programming language. */
export type Sample = { lang: string; label: string; source: string }

/**
 * Returns the call as a program should send it. A page that makes samples of parameters would leave out the
 * Idempotency-Key, or send the key of an example again and again. The key is made on a line of its own, so a repeated
 * call sends the same one.
 */
export function samplesOf(route: DataRoute): Sample[] {
  const call = callOf(route)
  return [
    { lang: 'Shell', label: 'curl', source: curl(call) },
    { lang: 'JavaScript', label: 'fetch', source: javascript(call) },
    { lang: 'Python', label: 'requests', source: python(call) },
  ]
}

type Call = { method: string; path: string; body: JsonObject | null; hasKey: boolean; hasTag: boolean }

/** A read shows its first parameter. An upsert sends no ETag, because it may create the record. */
function callOf(route: DataRoute): Call {
  const { method, path, pathParameters, parameters, body, conditional, makes } = route
  const filled = pathParameters.reduce((path, each) => path.replace(`{${each.name}}`, exampleOf(each)), path)
  const [first] = isWrite(route) ? [] : parameters
  return {
    method,
    path: first ? `${filled}?${first.name}=${first.example}` : filled,
    body: body ? (body.sampled ?? Object.values(body.examples)[0]?.value ?? null) : null,
    hasKey: isWrite(route),
    hasTag: isWrite(route) && conditional && makes === undefined,
  }
}

const exampleOf = ({ is }: PathParameter): string => encodeURIComponent(is === 'Id' ? exampleId : is.example)

const curl = ({ method, path, body, hasKey, hasTag }: Call): string =>
  lines([
    hasKey && 'KEY=$(uuidgen) # a retry sends the same one',
    hasTag && `ETAG='${etagExample}' # of the last answer about it`,
    [
      `curl ${method === 'GET' ? '' : `-X ${method} `}"$BASE_URL${path}" -H "Authorization: Bearer $TOKEN"`,
      hasKey && '  -H "Idempotency-Key: $KEY"',
      hasTag && '  -H "If-Match: $ETAG"',
      body && '  -H "Content-Type: application/json"',
      body && `  -d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`,
    ]
      .filter((line) => line)
      .join(' \\\n'),
  ])

const javascript = ({ method, path, body, hasKey, hasTag }: Call): string =>
  lines([
    hasKey && 'const key = crypto.randomUUID() // a retry sends the same one',
    hasTag && `const etag = '${etagExample}' // of the last answer about it`,
    `const answer = await fetch(\`\${process.env.BASE_URL}${path}\`, {`,
    method !== 'GET' && `  method: '${method}',`,
    '  headers: {',
    `    Authorization: \`Bearer \${process.env.TOKEN}\`,`,
    hasKey && "    'Idempotency-Key': key,",
    hasTag && "    'If-Match': etag,",
    body && "    'Content-Type': 'application/json',",
    '  },',
    body && `  body: JSON.stringify(${JSON.stringify(body)}),`,
    '})',
    'const { data } = await answer.json()',
  ])

const python = ({ method, path, body, hasKey, hasTag }: Call): string =>
  lines([
    `import os, ${hasKey ? 'uuid, ' : ''}requests`,
    hasKey && 'key = str(uuid.uuid4())  # a retry sends the same one',
    hasTag && `etag = '${etagExample}'  # of the last answer about it`,
    `answer = requests.${method.toLowerCase()}(`,
    `    os.environ["BASE_URL"] + "${path}",`,
    '    headers={',
    '        "Authorization": "Bearer " + os.environ["TOKEN"],',
    hasKey && '        "Idempotency-Key": key,',
    hasTag && '        "If-Match": etag,',
    '    },',
    body && `    json=${pythonOf(body)},`,
    ')',
    'data = answer.json()["data"]',
  ])

/** Returns the lines that are not empty. */
const lines = (all: readonly (string | false | null)[]): string => all.filter((line) => line).join('\n')

function pythonOf(value: unknown): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) return `[${value.map(pythonOf).join(', ')}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${pythonOf(member)}`)
  return `{${members.join(', ')}}`
}
