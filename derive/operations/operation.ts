import type { Definition, Deprecation } from '#registry/definition.ts'
import type { Json, JsonObject, JsonSchema } from '#registry/json.ts'
import type { Refusal, RefusalCode } from '#registry/refusals.ts'
import type { AddOn } from '#registry/subscription.ts'
import type { Examples } from '../examples.ts'
import type { Parameter } from '../parameters.ts'
import type { HeaderComponent } from '../schemas/headers.ts'
import type { Collection } from './collection.ts'

/**
 * An operation answers every question about itself; routes, documents, collection and router put the answers together
 * and know no operation by name. What follows from an answer is not asked: a write takes X-Dry-Run and an
 * Idempotency-Key, whatever has a body can be refused for its size.
 */
export type Operation = DataOperation | DocumentOperation

type Methods = { read: 'GET'; write: 'POST' | 'PUT' | 'PATCH' | 'DELETE' }

/** A part of the documents; operations with one name stand together. */
export type Section = { name: string; about: string; remarks?: readonly string[] }

/** The members of every operation. */
type OperationFacts<Does extends keyof Methods> = {
  method: Methods[Does]
  /** The path, with `{name}` for a parameter. */
  path: string
  /** Its section in the documents. */
  section: Section
  summary: string
  deprecated?: Deprecation
}

/** A document about the API, which needs no token. */
export type DocumentOperation = OperationFacts<'read'> & {
  type: string
  /** Checks of the collection's script, beside status and type. */
  checks: readonly string[]
}

/** A call with a token. */
export type DataOperation<Does extends keyof Methods = keyof Methods> = OperationFacts<Does> & {
  /** The resource of the operation, if it has one. */
  definition?: Definition
  /** The description: a paragraph each, in Markdown. */
  description: readonly string[]
  /** The scopes, all of which are needed; null if any token will do. */
  scope: string | readonly string[] | null
  addOn?: AddOn
  /** Returns further needs, if they depend on the body. */
  needs?(body: Json): BodyNeeds
  success?: number
  /** `record` if the response has the id of a record, so that the documents link to it. */
  makes?: 'record'
  /** True if the response has the record itself when the caller prefers it. */
  represents?: true
  /** The parameters of the path, in its order. */
  pathParameters?: readonly PathParameter[]
  /** The parameters of the query. */
  parameters?: readonly Parameter[]
  body?: RequestBody | null
  /**
   * The refusals that the operation decides itself, in order. Those of the pipeline follow from its other members. With
   * `precondition_failed` it takes If-Match and If-None-Match.
   */
  refusals: readonly RefusalCode[]
  /** Examples of refusals that differ from the usual ones. */
  refused?: { readonly [code in RefusalCode]?: () => Refusal }
  /** The response with the status `success`. */
  answer: ResponseSpec
  /** Other responses by status. 304 follows from a condition on a read. */
  otherAnswers?: { readonly [status: string]: ResponseSpec }
  /** Its own types by name. */
  schemas?: JsonObject
  collection: Collection
}

/** The members that an operation leaves out if they have these values. */
export const usualFacts = {
  addOn: 'api',
  success: 200,
  pathParameters: [],
  parameters: [],
  body: null,
  refused: {},
  otherAnswers: {},
  schemas: {},
} as const satisfies Partial<DataOperation>

/** An operation with all of its members. */
export type CompleteOperation = DataOperation & Required<Pick<DataOperation, keyof typeof usualFacts>>

/** The scopes and add-ons that a body needs besides those of its route, and the permissions of its fields. */
export type BodyNeeds = { scopes: readonly string[]; addOns: readonly AddOn[]; rights: readonly string[] }

export type PathParameter = {
  name: string
  /** A component, or a parameter of its own. `field`: the field that it names; `write`: it names a write. */
  is: 'Id' | { about: string; schema: JsonSchema; example: string | number; field?: string; write?: true }
  /** The value that the collection sends, and its description. */
  sent: { value: string; about: string }
}

export type RequestBody = {
  description: string
  /** The name of the type. */
  schema: string
  /** The accepted media types, the best first. */
  types: readonly string[]
  examples: Examples
  /** The body that the collection sends. It can be sent repeatedly. */
  sent: Json
  /** The body of the sample code, if it is not the first example. */
  sampled?: JsonObject
  /** The limit, if it is larger than that of a record. */
  bytesMax?: number
  valuesMax?: number
}

export type ResponseSpec = {
  description: string
  headers: readonly HeaderComponent[]
  /** The name of the type. */
  schema: string
  examples: { readonly [name: string]: { summary: string; description: string; value: JsonObject } }
  /** True if the types of the records have the examples, instead of the response. */
  showsRecords?: true
}

/** An operation of every served resource, at the paths under `base`. */
export type ResourceOperation<Does extends keyof Methods = keyof Methods> = (
  definition: Definition,
  base: string,
) => OnResource<Does>

/** An operation of one resource with one scope. */
export type OnResource<Does extends keyof Methods = keyof Methods> = DataOperation<Does> & {
  definition: Definition
  scope: string
}

/** An operation on a field of a resource that refers to one without routes. */
export type ReferenceOperation = (definition: Definition, field: string, base: string) => OnReference

export type OnReference = OnResource<'read'> & { field: string }

/** An operation that exists once, independent of the resources. */
export type OwnOperation<Is extends Operation = Operation> = (base: string) => Is
