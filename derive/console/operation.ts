import type { JsonObject } from '#registry/json.ts'
import type { Action } from '#registry/permissions.ts'

/** An operation of the console as data: its path, the permission, the request and the response. */
export type ConsoleOperation = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path under the root, with `{id}` for one object. A path with `{records}` exists for every resource. */
  path: string
  /** A permission, or the action needed on the resource. `session` is any account; `nobody` needs none. */
  needs: string | { records: Action }
  /** The word of a definition that the operation is about: it exists only for resources that have the word. */
  word?: 'sums' | 'list' | 'paper'
  /** The parameters of the query. If absent for records, they follow from the definition of the resource. */
  query?: readonly string[]
  /** `a record` is an object that a definition checks, `a picture` the bytes of a PNG or JPEG. */
  body?: Shape | 'a record' | 'a picture'
  /** Limits of a body that is larger than a form. */
  bodyMax?: { bytes: number; values: number }
  /** The status of a success, if it is not 200; 204 has no data. */
  success?: 201 | 204
  /** True if the response has a secret. Its compressed size would reveal parts of it, so it is never compressed. */
  showsSecret?: true
  /**
   * True if a GET exports data and notes that. A page of another site could make the browser of a signed-in person
   * export, so it is refused there.
   */
  exports?: true
  /** True if it works while the disk of the database is full: it takes rights away, or only reads. */
  needsNoRoom?: true
}

/** Carries the type of a response's data; nothing of it exists at run time. */
export type AnswerType<Data> = { readonly answers?: { data: Data } }

/** The type of a member of a body. Bodies of the console's own operations are small, so a word is enough. */
export type MemberType = 'text' | 'texts' | 'flag' | 'id' | 'count' | 'object' | 'objects'

/** The members of a body. A member whose type ends with a question mark may be absent, as may an object of members. */
export type Shape = { readonly [name: string]: MemberType | `${MemberType}?` | Shape }

type ValueOf = {
  text: string
  texts: string[]
  flag: boolean
  id: number
  count: number
  object: JsonObject
  objects: JsonObject[]
}

/** A body of this shape. */
export type Members<S extends Shape> = {
  [name in keyof S as S[name] extends MemberType ? name : never]: ValueOf[S[name] & MemberType]
} & {
  [name in keyof S as S[name] extends MemberType ? never : name]?: S[name] extends `${infer Plain extends MemberType}?`
    ? ValueOf[Plain]
    : S[name] extends Shape
      ? Members<S[name]>
      : never
}
