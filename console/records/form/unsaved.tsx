import { useEffect, useRef } from 'react'
import { useBlocker } from 'react-admin'
import { AskFirst } from '../../look/ask-first.tsx'
import { useTexts } from '../../texts/texts.tsx'

/** Asks before what was typed is left behind; `release` lets the next step go, after saving. */
export function useUnsaved(isDirty: boolean) {
  const isReleased = useRef(false)
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      isDirty && !isReleased.current && currentLocation.pathname !== nextLocation.pathname,
  )
  const { form } = useTexts()

  useEffect(() => {
    if (!isDirty) return
    const warn = (event: BeforeUnloadEvent) => {
      if (!isReleased.current) event.preventDefault()
    }
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [isDirty])

  const question = (
    <AskFirst
      open={blocker.state === 'blocked'}
      title={form.unsavedTitle}
      confirm={form.leave}
      cancel={form.stay}
      isDangerous
      onConfirm={() => blocker.proceed?.()}
      onClose={() => blocker.reset?.()}
    >
      {form.unsaved}
    </AskFirst>
  )
  return {
    question,
    release: () => {
      isReleased.current = true
    },
  }
}
