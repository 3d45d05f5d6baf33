import { useEffect, useRef } from 'react'
import { useBlocker } from 'react-admin'
import { LeaveQuestion } from './leave-question.tsx'

/** Asks before what was typed is left behind; `release` lets the next step go, after saving. */
export function useUnsaved(isDirty: boolean) {
  const isReleased = useRef(false)
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      isDirty && !isReleased.current && currentLocation.pathname !== nextLocation.pathname,
  )

  useEffect(() => {
    if (!isDirty) return
    const warn = (event: BeforeUnloadEvent) => {
      if (!isReleased.current) event.preventDefault()
    }
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [isDirty])

  const question = blocker.state === 'blocked' && (
    <LeaveQuestion onLeave={() => blocker.proceed?.()} onStay={() => blocker.reset?.()} />
  )
  return {
    question,
    release: () => {
      isReleased.current = true
    },
  }
}

/** The same for what is only sometimes there. */
export const KeepUnsaved = () => useUnsaved(true).question
