import { jsonType } from '../walk/answer.ts'
import type { Reply } from '../walk/call.ts'

/** What the console answers: the same envelopes as /v1. Nothing of it is kept by a cache. */

export const ok = (data: unknown): Reply => json(200, { data })

export const created = (data: unknown): Reply => json(201, { data })

export type Meta = { total: number; limit: number; offset: number }

export const page = (data: readonly unknown[], meta: Meta): Reply => json(200, { data, meta })

/** A whole list, which nobody pages through. */
export const whole = (data: readonly unknown[]): Reply =>
  page(data, { total: data.length, limit: data.length, offset: 0 })

export const nothing = (): Reply => ({ status: 204, headers: { 'Cache-Control': 'no-store' }, body: '' })

const json = (status: number, body: object): Reply => ({
  status,
  headers: { 'Content-Type': jsonType, 'Cache-Control': 'no-store' },
  body: JSON.stringify(body),
})
