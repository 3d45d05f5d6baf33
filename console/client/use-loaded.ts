import { useLogoutIfAccessDenied } from 'ra-core'
import { useCallback, useEffect, useState } from 'react'
import type { AnswerOf, ConsoleOperationName } from '#derive/console/operations.ts'
import type { FromService } from '../texts/foreign.ts'
import { addressOf, type ConsoleResponse, type RequestArguments, send } from './ask.ts'

export type LoadResult<Name extends ConsoleOperationName> = ReturnType<typeof useLoaded<Name>>

/** Loads a reading operation, and loads it again when its arguments change. */
export function useLoaded<Name extends ConsoleOperationName>(name: Name, ...given: RequestArguments<Name>) {
  const address = addressOf(name, ...given)
  const [state, setState] = useState<{ address?: string; answer?: ConsoleResponse<Name>; error?: Error }>({})
  const signOutIfEnded = useLogoutIfAccessDenied()

  const load = useCallback(
    async (signal?: AbortSignal) => {
      try {
        const answer = await send<ConsoleResponse<Name>>('GET', address, { signal })
        setState({ address, answer })
      } catch (error) {
        if (signal?.aborted || (await signOutIfEnded(error))) return
        setState({ address, error: error as Error })
      }
    },
    [address, signOutIfEnded],
  )

  useEffect(() => {
    const aborter = new AbortController()
    load(aborter.signal)
    return () => aborter.abort()
  }, [load])

  const { answer, error } = state
  return {
    answer,
    data: answer?.data as FromService<AnswerOf<Name>> | undefined,
    error: state.address === address ? error : undefined,
    reload: load,
  }
}
