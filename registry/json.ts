/** A JSON value. Records, bodies and examples consist of nothing else. */
export type Json = null | boolean | number | string | Json[] | JsonObject
export type JsonObject = { [member: string]: Json }

/** A JSON Schema of the 2020-12 dialect, which OpenAPI 3.1 uses as it is. */
export type JsonSchema = { readonly [keyword: string]: unknown }

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns an object's own member, so that no name reaches its prototype. */
export const memberOf = <Value>(object: { readonly [name: string]: Value }, name: string): Value | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined

/** Returns whether two values are equal. An absent one equals null. */
export const isSameJson = (one: Json = null, other: Json = null): boolean =>
  one === other || (typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other))
