import type { JsonObject } from '#registry/json.ts'
import type { Action } from '#registry/permissions.ts'

/** An operation of the console, as data: where it is, who may ask, what is sent and what comes back. */
export type ConsoleOperation = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Under the root of all; with `{id}` where one of several is meant. One with `{records}` is there for every resource. */
  path: string
  /**
   * A permission, or for a resource the action that it needs there; `session` is anybody who is signed in, `nobody`
   * needs no session.
   */
  needs: string | { records: Action }
  /** The parameters of its query. Where there are none here, those of records follow from the definition of their resource. */
  query?: readonly string[]
  body?: Shape | 'a record'
  /** Of a body that is larger than a form. */
  bodyMax?: { bytes: number; values: number }
  /** Of a success, where it is not 200; 204 has no data. */
  success?: 201 | 204
  /** Its answer has a secret in it, and is never compressed: how small it gets would tell of the secret. */
  showsSecret?: true
  /** Done while the disk of the database has no room for other writes: it takes rights away, or only reads. */
  needsNoRoom?: true
  /** What it answers. */
  data?: Data<unknown>
}

/** The type of the data of an answer, of which nothing is there when the service runs. */
export type Data<Type> = { readonly type?: Type }

export const of = <Type>(): Data<Type> => ({})

/** What a member of a body is: the bodies of the interface's own operations are small, so each says it in a word. */
export type Sort = 'text' | 'texts' | 'flag' | 'id' | 'count' | 'object' | 'objects'

/** The members of a body. Those with a question mark may be absent, and so may an object of members. */
export type Shape = { readonly [name: string]: Sort | `${Sort}?` | Shape }

type ValueOf = {
  text: string
  texts: string[]
  flag: boolean
  id: number
  count: number
  object: JsonObject
  objects: JsonObject[]
}

/** A body that has its shape. */
export type Members<S extends Shape> = {
  [name in keyof S as S[name] extends Sort ? name : never]: ValueOf[S[name] & Sort]
} & {
  [name in keyof S as S[name] extends Sort ? never : name]?: S[name] extends `${infer Plain extends Sort}?`
    ? ValueOf[Plain]
    : S[name] extends Shape
      ? Members<S[name]>
      : never
}
