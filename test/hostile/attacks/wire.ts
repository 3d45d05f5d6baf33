import { shotOf } from '../../../bench/load/wire.ts'
import type { Bytes } from '../toolkit.ts'

type More = { headers?: { readonly [name: string]: string }; body?: string }

/** A request as it goes over the wire. */
export const wire = (method: string, path: string, more: More = {}): Bytes =>
  shotOf({ method, path, ...more, expect: { status: 0 } }, 'localhost').bytes

export const bearer = (token: string): { Authorization: string } => ({ Authorization: `Bearer ${token}` })

export const json = { 'Content-Type': 'application/json' }

/** What the interface sends beside a sign-in. */
export const sameSite = { 'Sec-Fetch-Site': 'same-origin' }

/** A request whose body is announced, and of which only so much comes. */
export const unfinished = (
  path: string,
  headers: { readonly [name: string]: string },
  { announced, sent }: { announced: number; sent: number },
): Buffer =>
  Buffer.concat([
    Buffer.from(wire('POST', path, { headers: { ...json, ...headers, 'Content-Length': String(announced) } })),
    Buffer.alloc(sent, ' '),
  ])

export const megabyte = 2 ** 20

/** Again and again from the first. */
export const inTurn =
  (all: readonly Bytes[]) =>
  (index: number): Bytes =>
    all[index % all.length] as Bytes
