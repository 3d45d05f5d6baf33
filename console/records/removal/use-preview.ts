import { useEffect, useState } from 'react'
import { type Answer, ask, isRefused, type Refused } from '../../door/ask.ts'
import type { Preview } from './preview.ts'

type State = { preview?: Preview; blocked?: Refused; error?: unknown }

/** What deleting a record would do, asked of the service without doing it. */
export function usePreview(kind: string, id: number | string): State {
  const [state, setState] = useState<State>({})
  useEffect(() => {
    const aborter = new AbortController()
    ask<Preview>('DELETE', `/records/${kind}/${id}?dry_run=1`, { signal: aborter.signal }).then(
      ({ data }: Answer<Preview>) => setState({ preview: data }),
      (error) => {
        if (aborter.signal.aborted) return
        setState(isRefused(error, 'delete_blocked') ? { blocked: error } : { error })
      },
    )
    return () => aborter.abort()
  }, [kind, id])
  return state
}
