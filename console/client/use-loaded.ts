import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useLogoutIfAccessDenied } from 'ra-core'
import { useEffect, useId } from 'react'
import type { AnswerOf, ConsoleOperationName } from '#derive/console/operations.ts'
import type { FromService } from '../texts/foreign.ts'
import { addressOf, type ConsoleResponse, isUnauthorized, type RequestArguments, send } from './ask.ts'

export type LoadResult<Name extends ConsoleOperationName> = ReturnType<typeof useLoaded<Name>>

/** Loads a reading operation, and loads it again when its arguments change. The former answer stays meanwhile. */
export const useLoaded = <Name extends ConsoleOperationName>(name: Name, ...request: RequestArguments<Name>) =>
  useAnswer<Name>(addressOf(name, ...request), 'static')

/** Loads a reading operation as `useLoaded` does, and loads it again after each write of records. */
export const useFigures = <Name extends ConsoleOperationName>(name: Name, ...request: RequestArguments<Name>) =>
  useAnswer<Name>(addressOf(name, ...request), Number.POSITIVE_INFINITY)

/** `staleTime`: only a query that is not static is loaded again after a write. */
function useAnswer<Name extends ConsoleOperationName>(address: string, staleTime: 'static' | number) {
  const { data, error, refetch } = useQuery({
    // Each component has its own: a form keeps the record that it began with while a dialog above it loads the newest.
    queryKey: [useId(), address],
    queryFn: ({ signal }) => send<ConsoleResponse<Name>>('GET', address, { signal }),
    placeholderData: keepPreviousData,
    ...{ gcTime: 0, staleTime, retry: false, networkMode: 'always' },
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
