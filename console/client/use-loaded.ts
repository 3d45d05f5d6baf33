import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useLogoutIfAccessDenied } from 'ra-core'
import { useEffect, useId } from 'react'
import type { AnswerOf, ConsoleOperationName } from '#derive/console/operations.ts'
import type { FromService } from '../texts/foreign.ts'
import { addressOf, type ConsoleResponse, isUnauthorized, type RequestArguments, send } from './ask.ts'

export type LoadResult<Name extends ConsoleOperationName> = ReturnType<typeof useLoaded<Name>>

/** Loads a reading operation, and loads it again when its arguments change. The former answer stays meanwhile. */
export function useLoaded<Name extends ConsoleOperationName>(name: Name, ...request: RequestArguments<Name>) {
  const address = addressOf(name, ...request)
  const { data, error, refetch } = useQuery({
    // Each component has its own: a form keeps the record that it began with while a dialog above it loads the newest.
    queryKey: [useId(), address],
    queryFn: ({ signal }) => send<ConsoleResponse<Name>>('GET', address, { signal }),
    placeholderData: keepPreviousData,
    ...{ gcTime: 0, staleTime: 'static', retry: false, networkMode: 'always' },
  })
  const signOutIfEnded = useLogoutIfAccessDenied()
  useEffect(() => {
    if (error) signOutIfEnded(error)
  }, [error, signOutIfEnded])

  const answer = error ? undefined : data
  return {
    answer,
    data: answer?.data as FromService<AnswerOf<Name>> | undefined,
    error: error && !isUnauthorized(error) ? error : undefined,
    reload: refetch,
  }
}
