import type { Json } from '#registry/json.ts'
import type { Command } from '../../service/command.ts'
import { type Answer, envelope } from '../answer.ts'

/** Work that ends in its envelope. Whether it stays done is decided by who carries it out. */
export const answered = <T>({ execute, ...command }: Command<T>, say: (done: T) => Answer): Command<Answer> => ({
  ...command,
  execute: async (transaction, actor, prefetched) => say(await execute(transaction, actor, prefetched)),
})

export const answer = (status: number, data: { [member: string]: Json }, headers: Answer['headers'] = {}): Answer => ({
  status,
  code: null,
  headers,
  body: envelope(data),
})
