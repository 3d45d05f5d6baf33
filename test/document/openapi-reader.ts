import { Compile } from 'typebox/schema'
import { openapi } from '#derive/openapi.ts'
import type { Route } from '#derive/routes.ts'
import type { View } from '#derive/schemas/envelopes.ts'
import { about } from './registries.ts'

// biome-ignore lint/suspicious/noExplicitAny: the tests look everywhere into the document
export type Part = any

export const wholeDocumentOf = (routes: readonly Route[], view: View = 'all'): Part =>
  JSON.parse(JSON.stringify(openapi(routes, { ...about, view })))

/** The document with the responses that are components in the places that refer to them. */
export function documentOf(routes: readonly Route[], view: View = 'all'): Part {
  const document = wholeDocumentOf(routes, view)
  for (const methods of Object.values<Part>(document.paths)) {
    for (const operation of Object.values<Part>(methods)) {
      for (const [status, response] of Object.entries(operation.responses))
        operation.responses[status] = resolved(document, response)
    }
  }
  return document
}

/** What a reference leads to. */
export const resolved = (document: Part, part: Part): Part =>
  part?.$ref
    ? part.$ref
        .slice(2)
        .split('/')
        .reduce((value: Part, name: string) => value[name], document)
    : part

/** What is wrong with a value by a schema of the document; nothing where it is right. */
export function errorsOf(document: Part, schema: Part, value: unknown): unknown[] {
  const [ok, errors] = validatorOf(document, schema).Errors(value)
  return ok ? [] : errors
}

type Validator = ReturnType<typeof Compile>

/** Of each document by the text of the schema: hundreds of examples are of the same few, and compiling is slow. */
const validators = new WeakMap<object, Map<string, Validator>>()

function validatorOf(document: Part, schema: Part): Validator {
  const known = validators.get(document) ?? new Map<string, Validator>()
  validators.set(document, known)
  const text = JSON.stringify(schema)
  const validator = known.get(text) ?? Compile({ ...schema, components: document.components })
  known.set(text, validator)
  return validator
}

export type Operation = { path: string; method: string; operation: Part }

export const operationsOf = (document: Part): Operation[] =>
  Object.entries<Part>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )

/** Every place where a value stands beside its schema: bodies, answers, parameters. */
export function examplesOf(document: Part): { where: string; schema: Part; value: unknown }[] {
  return operationsOf(document).flatMap(({ operation }) => {
    const contents = [
      ['request', operation.requestBody?.content ?? {}],
      ...Object.entries<Part>(operation.responses).map(([status, { content }]) => [status, content ?? {}]),
    ]
    const inBodies = contents.flatMap(([where, content]) =>
      Object.entries<Part>(content).flatMap(([type, { schema, examples }]) =>
        named(document, `${operation.operationId} ${where} ${type}`, schema, examples),
      ),
    )
    const inParameters = (operation.parameters ?? []).flatMap((parameter: Part) => {
      const { name, schema, examples } = resolved(document, parameter)
      return named(document, `${operation.operationId} ${name}`, schema, examples)
    })
    return [...inBodies, ...inParameters]
  })
}

const named = (document: Part, where: string, schema: Part, examples: Part = {}) =>
  Object.entries(examples).map(([name, example]) => ({
    where: `${where} ${name}`,
    schema,
    value: resolved(document, example).value,
  }))
