import { useCallback, useEffect, useState } from 'react'
import { useLogoutIfAccessDenied } from 'react-admin'
import { type Answer, ask } from './ask.ts'

export type Loaded<Data> = {
  answer?: Answer<Data>
  data?: Data
  error?: Error
  isLoading: boolean
  reload(): Promise<void>
}

/** What the service says at `path`, asked again when the path changes; null asks nothing. */
export function useLoaded<Data>(path: string | null): Loaded<Data> {
  const [state, setState] = useState<{ path: string | null; answer?: Answer<Data>; error?: Error }>({ path: null })
  const signOutIfEnded = useLogoutIfAccessDenied()

  const load = useCallback(
    async (signal?: AbortSignal) => {
      if (path === null) return
      try {
        const answer = await ask<Data>('GET', path, { signal })
        setState({ path, answer })
      } catch (error) {
        if (signal?.aborted || (await signOutIfEnded(error))) return
        setState({ path, error: error as Error })
      }
    },
    [path, signOutIfEnded],
  )

  useEffect(() => {
    const aborter = new AbortController()
    load(aborter.signal)
    return () => aborter.abort()
  }, [load])

  const current = state.path === path ? state : { ...state, error: undefined }
  return {
    answer: current.answer,
    data: current.answer?.data,
    error: current.error,
    isLoading: path !== null && state.path !== path,
    reload: load,
  }
}
