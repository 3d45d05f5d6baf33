import type { Json } from '#registry/json.ts'
import type { Work } from '../../service/work.ts'
import { type Answer, envelope } from '../answer.ts'

/** Work that ends in its envelope. Whether it stays done is decided by who carries it out. */
export const answered = <T>({ prefetch, execute }: Work<T>, say: (done: T) => Answer): Work<Answer> => ({
  prefetch,
  execute: async (transaction, actor, seen) => say(await execute(transaction, actor, seen)),
})

export const answer = (status: number, data: { [member: string]: Json }, headers: Answer['headers'] = {}): Answer => ({
  status,
  code: null,
  headers,
  body: envelope(data),
})
