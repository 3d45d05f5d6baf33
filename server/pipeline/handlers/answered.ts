import type { Json } from '#registry/json.ts'
import { type Answer, envelope } from '../answer.ts'

export const answer = (status: number, data: { [member: string]: Json }, headers: Answer['headers'] = {}): Answer => ({
  status,
  code: null,
  headers,
  body: envelope(data),
})
