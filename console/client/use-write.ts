import { useCallback, useRef } from 'react'
import { type ConsoleOperationName, consoleOperations } from '#derive/console/operations.ts'
import { addressOf, type ConsoleResponse, isRefused, type RequestArguments, send } from './ask.ts'

/**
 * Returns the function by which a form or a button writes. A write keeps its idempotency key until it has succeeded, as
 * long as the form is mounted. So a second try after a lost answer writes nothing twice.
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
        // The next write is a new one, even if it equals an earlier try.
        keys.current.clear()
        return answer
      } catch (error) {
        // An earlier try has succeeded. A change gets a new key, because its tag protects it; a create stays refused.
        const isOver = method !== 'POST' && isRefused(error, 'idempotency_key_reuse')
        if (isOver) keys.current.delete(target)
        else keys.current.set(target, key)
        throw error
      }
    },
    [],
  )
}

/** Returns a random key. `crypto.randomUUID` exists only under HTTPS and on localhost. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
