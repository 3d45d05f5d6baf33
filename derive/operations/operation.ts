import type { AddOn } from '#registry/add-ons.ts'
import type { Definition, Deprecation } from '#registry/definition.ts'
import type { Json, JsonObject, JsonSchema } from '#registry/json.ts'
import type { Refusal, RefusalCode } from '#registry/refusals.ts'
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

export type Access = Operation['access']

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A part of the documents; operations with one name stand together. */
export type Section = { name: string; about: string; remarks?: readonly string[] }

/** What every operation says. */
type Documented = {
  method: Method
  /** With `{name}` where a parameter of the path stands. */
  path: string
  /** Where the documents put it. */
  section: Section
  summary: string
  deprecated?: Deprecation
}

/** A document about the API. Anyone who asks gets it, without a token. */
export type DocumentOperation = Documented & {
  access: 'public'
  type: string
  /** What the collection's script expects of it beside its status and its type. */
  checks: readonly string[]
}

/** A call with a token. */
export type DataOperation<Does extends 'read' | 'write' = 'read' | 'write'> = Documented & {
  access: Does
  /** The resource that it is about, if it is about one. */
  definition?: Definition
  /** What it does, a paragraph each, in Markdown. */
  description: readonly string[]
  /** All that are listed are needed; null where any token will do. */
  scope: string | readonly string[] | null
  addOn: AddOn
  /** What its body needs besides, where that depends on what is asked. */
  needs?(body: Json): BodyNeeds
  success: number
  /** Its answer has the id of a record, to which the documents lead on. */
  makes?: 'record'
  /** Its answer has the record itself, where the caller prefers it. */
  represents?: true
  /** Of the path, in its order. */
  pathParameters: readonly PathParameter[]
  /** Of the query. */
  parameters: readonly Parameter[]
  /** Whether it has a state that If-Match and If-None-Match can be about. */
  conditional: boolean
  body: RequestBody | null
  /** Those that it decides itself, in its order; those of the straight line come with what it is. */
  refusals: readonly RefusalCode[]
  /** Refusals that say something else here than everywhere. */
  refused: { readonly [code in RefusalCode]?: () => Refusal }
  /** What it answers with the status `success`. */
  answer: Answer
  /** What else it may answer, by status; 304 comes with a condition on a read. */
  otherAnswers: { readonly [status: string]: Answer }
  /** Types that are its own, by name. */
  schemas: JsonObject
  collection: Collection
}

/** The scopes and add-ons that a body needs besides those of its route, and the permissions of the fields that it names. */
export type BodyNeeds = { scopes: readonly string[]; addOns: readonly AddOn[]; rights: readonly string[] }

export type PathParameter = {
  name: string
  /** A component of the document, or a parameter of its own; `field` is the field of the record that it names it by; `write`: it names what was written. */
  is: 'Id' | { about: string; schema: JsonSchema; example: string | number; field?: string; write?: true }
  /** What the collection sends, and what it says of that. */
  sent: { value: string; about: string }
}

export type RequestBody = {
  description: string
  /** The name of its type. */
  schema: string
  /** What it may be sent as, the best first. */
  types: readonly string[]
  examples: Examples
  /** What the collection sends: a body that can be sent any number of times. */
  sent: Json
  /** What sample code sends, where it is not the first example. */
  sampled?: JsonObject
  /** Where it may be larger than a record. */
  bytesMax?: number
  valuesMax?: number
}

export type Answer = {
  description: string
  headers: readonly HeaderComponent[]
  /** The name of its type. */
  schema: string
  examples: { readonly [name: string]: { summary: string; description: string; value: JsonObject } }
  /** The document leaves its examples to the types of the records in it, which have one each. */
  showsRecords?: true
}

/** An operation that every served resource has, at the paths under `base`. */
export type ResourceOperation<Does extends 'read' | 'write' = 'read' | 'write'> = (
  definition: Definition,
  base: string,
) => OnResource<Does>

/** The same, said of one resource: it is about that and needs one scope. */
export type OnResource<Does extends 'read' | 'write' = 'read' | 'write'> = DataOperation<Does> & {
  definition: Definition
  scope: string
}

/** An operation on a field of a resource that refers to one without routes. */
export type ReferenceOperation = (definition: Definition, field: string, base: string) => OnReference

export type OnReference = OnResource<'read'> & { field: string }

/** An operation that is made once, whatever resources there are. */
export type OwnOperation<Is extends Operation = Operation> = (base: string) => Is
