import type { Action } from '#registry/permissions.ts'
import type { Shape } from './shape.ts'

/** An operation of the web interface, as data: where it is, who may ask, what is sent and what comes back. */
export type ConsoleOperation = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Under the root of all; with `{id}` where one of several is meant. One with `{records}` is there for every kind of record. */
  path: string
  /**
   * A permission, or for a kind of record the action that it needs there; `session` is anybody who is signed in, `nobody`
   * needs no session.
   */
  needs: string | { records: Action }
  /** The parameters of its query. Those of records follow from the definition of their kind. */
  query?: readonly string[] | 'of its kind'
  body?: Shape | 'a record'
  /** Of a success, where it is not 200; 204 has no data. */
  success?: 201 | 204
  /** Its answer has a secret in it, and is never compressed: how small it gets would tell of the secret. */
  showsSecret?: true
  answers?: Answers<unknown>
}

/** The type of the data of an answer. Nothing of it is there when the service runs. */
export type Answers<Data> = { readonly data?: Data }

export const answers = <Data>(): Answers<Data> => ({})
