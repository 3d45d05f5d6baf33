import { type DocumentOptions, errorsPath } from './openapi.ts'
import { type DataRoute, isDataRoute, type Route } from './routes.ts'
import { formatName, inCode } from './words.ts'

/** Returns the API as a page for language models (llmstxt.org): its purpose, documents, safe writes, operations. */
export function llms(routes: readonly Route[], { base, errorsPage = errorsPath }: DocumentOptions): string {
  const documents = routes.filter((route) => !isDataRoute(route))
  return `# Plumbline API

> The records of a contractor, over HTTP and JSON. Every call has \`Authorization: Bearer <token>\`; the token decides the company, and its scopes what is allowed.

## Documents

${documents.map(({ path, summary }) => `- [${summary}](${new URL(path, base).href})`).join('\n')}
- [Every refusal by its code, and what to do about it](${new URL(errorsPage, base).href})

## Write safely

- Send \`Idempotency-Key\`, a new UUID for each operation, with every write, and the same one with a retry: nothing is done twice.
- \`X-Dry-Run: 1\` checks a write in full and writes nothing. Its \`plan.hash\` in \`If-Plan\` lets the call do exactly that.
- \`If-Match\` with the \`ETag\` of the record keeps you from overwriting somebody else's change.
- The \`X-Write-Id\` of an answer names the write, which can be taken back.
- Decide by the \`code\` of a refusal, never by its words. Repeat 429 and 503 after \`Retry-After\`.
- Never guess a field or a parameter: what is not known is refused by name.

## Operations

${operationsOf(routes.filter(isDataRoute)).join('\n')}
`
}

/** Lists the operations of every resource once. */
function operationsOf(routes: readonly DataRoute[]): string[] {
  const resources = [...new Set(routes.flatMap(({ definition }) => definition?.name ?? []))]
  const byOperation = Map.groupBy(routes, ({ method, path }) => `${method} ${path}`)
  const lines = commonOperations([...byOperation.keys()], resources).map((operation) => {
    const [route] = byOperation.get(operation.replace('<records>', resources[0] ?? '')) ?? []
    const isCommon = operation.includes('<records>')
    return `- \`${operation}\`: ${isCommon ? formatName(route?.operation ?? '') : route?.summary}`
  })
  return [`\`<records>\` is one of ${inCode(resources)}.`, '', ...lines]
}

/** Returns operations as method and path, one of every resource once, with `<records>` for the resource. */
export function commonOperations(operations: readonly string[], resources: readonly string[]): string[] {
  const all = new Set(operations)
  const common = operations.map((operation) => {
    const resource = resources.find((name) => operation.split('/').includes(name))
    const withName = (name: string): string => operation.replace(`/${resource}`, `/${name}`)
    return resource !== undefined && resources.every((name) => all.has(withName(name)))
      ? withName('<records>')
      : operation
  })
  return [...new Set(common)]
}
