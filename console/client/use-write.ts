import { useCallback, useRef } from 'react'
import { type ConsoleOperationName, consoleOperations } from '#derive/console/operations.ts'
import { addressOf, type ConsoleResponse, isRefused, type RequestArguments, send } from './ask.ts'

/**
 * Sends what a form or a button changes. A write keeps its key until it has succeeded, for as long as the form is there:
 * when an answer was lost and somebody tries again, what was done is not done twice.
 */
export function useWrite() {
  const keys = useRef(new Map<string, string>())
  return useCallback(
    async <Name extends ConsoleOperationName>(
      name: Name,
      ...given: RequestArguments<Name>
    ): Promise<ConsoleResponse<Name>> => {
      const [method, address] = [consoleOperations[name].method, addressOf(name, ...given)]
      const target = `${method} ${address}`
      const key = keys.current.get(target) ?? newKey()
      try {
        const answer = await send<ConsoleResponse<Name>>(method, address, { ...given[0], key })
        // What comes next is something new, even where it looks like a try from before.
        keys.current.clear()
        return answer
      } catch (error) {
        // An earlier try is stored. A change is held against its tag and may go on; a create stays refused.
        const isOver = method !== 'POST' && isRefused(error, 'idempotency_key_reuse')
        if (isOver) keys.current.delete(target)
        else keys.current.set(target, key)
        throw error
      }
    },
    [],
  )
}

/** `crypto.randomUUID` is there under HTTPS and on localhost alone. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
