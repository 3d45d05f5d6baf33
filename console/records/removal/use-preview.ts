import { useEffect, useState } from 'react'
import type { RecordDeleted } from '#derive/console/answers.ts'
import type { WritePlan } from '#registry/refusals.ts'
import { ask, isRefused, type Refused } from '../../client/ask.ts'

type State = { preview?: RecordDeleted; plan?: WritePlan | undefined; blocked?: Refused; error?: unknown }

/** What deleting a record would do, asked of the service without doing it. */
export function usePreview(resource: string, id: number | string): State {
  const [state, setState] = useState<State>({})
  useEffect(() => {
    const aborter = new AbortController()
    ask('records.delete', { records: resource, id, query: { dry_run: 1 }, signal: aborter.signal }).then(
      ({ data, plan }) => setState({ preview: data, plan }),
      (error) => {
        if (aborter.signal.aborted) return
        setState(isRefused(error, 'delete_blocked') ? { blocked: error } : { error })
      },
    )
    return () => aborter.abort()
  }, [resource, id])
  return state
}
