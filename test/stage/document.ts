import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { JsonObject } from '#registry/json.ts'
import { type Answer, send, type Wire } from './http.ts'
import { eventually } from './wait.ts'

/**
 * The served OpenAPI document as a judge: an answer that it does not describe fails the test that got it. Ajv is not
 * what the service itself checks with. The document leaves answers open, because members may be added; what this service
 * answers today is all there, so to the judge they are closed.
 */
export async function conforms(base: string, { method, path }: Wire, answer: Answer): Promise<void> {
  const judge = await judgeOf(base)
  const operation = judge.find(method, path.split('?')[0] as string)
  if (!operation || method === 'OPTIONS' || answer.status === 405) return
  const response = operation.responses[answer.status] ?? operation.responses[`${Math.trunc(answer.status / 100)}XX`]
  if (!response)
    throw new Error(`${method} ${path} answered ${answer.status}, which the document does not know: ${answer.text}`)
  const wrong = response.wrong(answer, method, fieldsOf(path))
  if (wrong)
    throw new Error(
      `${method} ${path} ${answer.status} differs from the document: ${wrong}\n${answer.text.slice(0, 2000)}`,
    )
}

type Judge = { find(method: string, path: string): { responses: { [status: string]: Described } } | undefined }
type Described = { wrong(answer: Answer, method: string, fields: Fields): string | undefined }

/** The fields that were asked for, where not all were. */
type Fields = readonly string[] | undefined

const fieldsOf = (path: string): Fields => new URLSearchParams(path.split('?')[1]).get('fields')?.split(',')

const judges = new Map<string, Promise<Judge>>()

/**
 * Returns the judge of the service at this address, and keeps it once there is one. A stage asks for it when it is opened,
 * because a service under load may refuse a request for the document as any other.
 */
export function judgeOf(base: string): Promise<Judge> {
  const known = judges.get(base)
  if (known) return known
  const read = readJudge(base)
  judges.set(base, read)
  read.catch(() => judges.delete(base))
  return read
}

async function readJudge(base: string): Promise<Judge> {
  const { status, body, text } = await eventually(async () => {
    const answer = await send(base, { method: 'GET', path: '/v1/openapi.json' })
    if (answer.status === 503) throw new Error(`The document to check with is refused: ${answer.text}`)
    return answer
  })
  if (status !== 200) throw new Error(`There is no document to check with: ${text}`)
  return makeJudge(body)
}

type Document = {
  components: { schemas: { [name: string]: JsonObject } }
  paths: { [path: string]: { [method: string]: { responses: { [status: string]: Response | { $ref: string } } } } }
}
type Response = {
  content?: { [type: string]: { schema: JsonObject } }
  headers?: { [name: string]: { required?: boolean; $ref?: string } }
}

function makeJudge(open: Document): Judge {
  const document = closed(open)
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false, validateSchema: false })
  ajv.addSchema(document, 'document')
  const resolve = <T>(value: T | { $ref: string }): T =>
    typeof value === 'object' && value !== null && '$ref' in value
      ? resolve(pointed(document, value.$ref) as T)
      : (value as T)

  const described = new Map<string, { responses: { [status: string]: Described } }>()
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { responses }] of Object.entries(methods)) {
      const entries = Object.entries(responses).map(([status, response]) => {
        const at = `document#/paths/${path.replaceAll('~', '~0').replaceAll('/', '~1')}/${method}/responses/${status}`
        return [
          status,
          describedBy(ajv, resolve<Response>(response), '$ref' in response ? `document${response.$ref}` : at, resolve),
        ]
      })
      described.set(`${method.toUpperCase()} ${path}`, { responses: Object.fromEntries(entries) })
    }
  }
  return {
    find: (method, path) => {
      const verb = method === 'HEAD' ? 'GET' : method
      const isOf = (template: string) => fits(template, `${verb} ${path}`)
      return described.get(`${verb} ${path}`) ?? described.get([...described.keys()].find(isOf) ?? '')
    },
  }
}

/** Whether a path is one of those that a path with `{parameters}` stands for. */
function fits(template: string, path: string): boolean {
  const [parts, given] = [template.split('/'), path.split('/')]
  return (
    parts.length === given.length &&
    parts.every((part, at) => (part.startsWith('{') ? given[at] !== '' : part === given[at]))
  )
}

function describedBy(
  ajv: Ajv2020,
  response: Response,
  at: string,
  resolve: <T>(value: T | { $ref: string }) => T,
): Described {
  const checks = new Map<string, ValidateFunction>()
  const schemaAt = (type: string) => `${at}/content/${type.replaceAll('~', '~0').replaceAll('/', '~1')}/schema`
  const required = Object.entries(response.headers ?? {})
    .filter(([, header]) => resolve<{ required?: boolean }>(header as { $ref: string }).required)
    .map(([name]) => name.toLowerCase())
  return {
    wrong({ headers, text, body }, method, fields) {
      const missing = required.find((name) => headers[name] === undefined)
      if (missing) return `the header ${missing} is missing`
      const type = headers['content-type']?.split(';')[0]
      if (method === 'HEAD' || (!response.content && text === '')) return undefined
      if (!type || !response.content?.[type]) return `the content type ${type} is not described`
      if (!type.includes('json')) return undefined
      const kind = type === 'application/json' && fields ? `only ${fields}` : type
      if (!checks.has(kind)) {
        const { schema } = response.content[type]
        const compiled =
          kind === type ? ajv.getSchema(schemaAt(type)) : ajv.compile(sparse(resolve, schema, fields ?? []))
        checks.set(kind, compiled ?? ajv.compile({ $ref: schemaAt(type) }))
      }
      const check = checks.get(kind) as ValidateFunction
      return check(body) ? undefined : ajv.errorsText(check.errors)
    },
  }
}

/** The document with every object that it leaves open closed. */
function closed(document: Document): Document {
  const close = ([name, schema]: [string, JsonObject]) => [
    name,
    'properties' in schema && !('additionalProperties' in schema) ? { ...schema, additionalProperties: false } : schema,
  ]
  const schemas = Object.fromEntries(Object.entries(document.components.schemas).map(close))
  return { ...document, components: { ...document.components, schemas } }
}

/** An envelope of records with these fields and the id, and no others: the one exception to what always comes. */
function sparse(resolve: <T>(value: T | { $ref: string }) => T, schema: JsonObject, fields: readonly string[]) {
  type Envelope = { properties: { data: JsonObject } }
  const envelope = resolve<JsonObject>(schema) as unknown as Envelope
  const { data } = envelope.properties
  const record = resolve<JsonObject>((data.items ?? data) as JsonObject)
  const names = [...new Set(['id', ...fields.map((name) => name.trim())])]
  const properties = Object.fromEntries(names.map((name) => [name, (record.properties as JsonObject)[name]]))
  const only = { ...record, properties, required: names }
  const whole = {
    ...envelope,
    properties: { ...envelope.properties, data: data.items ? { ...data, items: only } : only },
  }
  return JSON.parse(JSON.stringify(whole).replaceAll('"#/', '"document#/'))
}

const pointed = (document: Document, ref: string): unknown =>
  ref
    .replace(/^#\//, '')
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    // biome-ignore lint/suspicious/noExplicitAny: a pointer leads anywhere
    .reduce((value: any, part) => value[part], document)
