import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { JsonObject } from '#registry/json.ts'
import { send, type TestResponse, type Wire } from './http.ts'
import { eventually } from './wait.ts'

/**
 * The served OpenAPI document as a judge: an answer that it does not describe fails the test that got it. Ajv is not
 * what the service itself checks with. The document leaves answers open, because members may be added; what this service
 * answers today is all there, so to the judge they are closed.
 */
export function conforms({ all, client }: Judges, { method, path }: Wire, answer: TestResponse): void {
  const [plain, query] = path.split('?') as [string, string | undefined]
  if (method === 'OPTIONS' || answer.status === 405) return
  const { takesFields } = judged(all, { method, path, plain }, answer)
  // Of all others `views.test.ts` says that both views are the same.
  if (takesFields && !new URLSearchParams(query).has('fields')) judged(client, { method, path, plain }, answer)
}

function judged(
  judge: Judge,
  { method, path, plain }: Wire & { plain: string },
  answer: TestResponse,
): Partial<Operation> {
  const operation = judge.find(method, plain)
  if (!operation) return {}
  const response = operation.responses[answer.status]
  if (!response)
    throw new Error(`${method} ${path} answered ${answer.status}, which the document does not know: ${answer.text}`)
  const wrong = response.wrong(answer, method)
  if (wrong)
    throw new Error(
      `${method} ${path} ${answer.status} differs from the document: ${wrong}\n${answer.text.slice(0, 2000)}`,
    )
  return operation
}

type Judge = { find(method: string, path: string): Operation | undefined }
type Operation = { takesFields: boolean; responses: { [status: string]: DescribedResponse } }
type DescribedResponse = { wrong(answer: TestResponse, method: string): string | undefined }
/** Of both views of the document. */
export type Judges = { all: Judge; client: Judge }

/** The judges of the last documents, by their text: most services of a worker serve the same. */
const judges = new Map<string, Judge>()
const judgesMax = 4

/**
 * Returns the judge of the service at this address. A stage asks for it when it is opened, because a service under load may
 * refuse a request for the document as any other.
 */
export async function judgeOf(base: string): Promise<Judges> {
  const [all, client] = await Promise.all(['openapi', 'openapi-client'].map((name) => readDocument(base, name)))
  return { all: findJudge(all as string), client: findJudge(client as string) }
}

function findJudge(text: string): Judge {
  const judge = judges.get(text) ?? makeJudge(JSON.parse(text))
  judges.delete(text)
  judges.set(text, judge)
  for (const oldest of [...judges.keys()].slice(0, -judgesMax)) judges.delete(oldest)
  return judge
}

async function readDocument(base: string, name: string): Promise<string> {
  const { status, text } = await eventually(async () => {
    const answer = await send(base, { method: 'GET', path: `/v1/${name}.json` })
    if (answer.status === 503) throw new Error(`The document to check with is refused: ${answer.text}`)
    return answer
  })
  if (status !== 200) throw new Error(`There is no document to check with: ${text}`)
  return text
}

type Document = {
  components: { schemas: { [name: string]: JsonObject } }
  paths: { [path: string]: { [method: string]: OperationObject } }
}
type OperationObject = {
  parameters?: ({ name: string } | { $ref: string })[]
  responses: { [status: string]: Response | { $ref: string } }
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

  const described = new Map<string, Operation>()
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { parameters = [], responses }] of Object.entries(methods)) {
      const entries = Object.entries(responses).map(([status, response]) => {
        const at = `document#/paths/${path.replaceAll('~', '~0').replaceAll('/', '~1')}/${method}/responses/${status}`
        return [
          status,
          describedBy(ajv, resolve<Response>(response), '$ref' in response ? `document${response.$ref}` : at, resolve),
        ]
      })
      const takesFields = parameters.some((parameter) => resolve<{ name: string }>(parameter).name === 'fields')
      described.set(`${method.toUpperCase()} ${path}`, { takesFields, responses: Object.fromEntries(entries) })
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
): DescribedResponse {
  const checks = new Map<string, ValidateFunction>()
  const schemaAt = (type: string) => `${at}/content/${type.replaceAll('~', '~0').replaceAll('/', '~1')}/schema`
  const required = Object.entries(response.headers ?? {})
    .filter(([, header]) => resolve<{ required?: boolean }>(header as { $ref: string }).required)
    .map(([name]) => name.toLowerCase())
  return {
    wrong({ headers, text, body }, method) {
      const missing = required.find((name) => headers[name] === undefined)
      if (missing) return `the header ${missing} is missing`
      const type = headers['content-type']?.split(';')[0]
      if (method === 'HEAD' || (!response.content && text === '')) return undefined
      if (!type || !response.content?.[type]) return `the content type ${type} is not described`
      if (!type.includes('json')) return undefined
      if (!checks.has(type)) checks.set(type, ajv.getSchema(schemaAt(type)) ?? ajv.compile({ $ref: schemaAt(type) }))
      const check = checks.get(type) as ValidateFunction
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

const pointed = (document: Document, ref: string): unknown =>
  ref
    .replace(/^#\//, '')
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    // biome-ignore lint/suspicious/noExplicitAny: a pointer leads anywhere
    .reduce((value: any, part) => value[part], document)
