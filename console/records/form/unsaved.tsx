import { useEffect, useRef } from 'react'
import { useBlocker } from 'react-admin'
import { useTexts } from '../../texts/texts.tsx'
import { AskFirst } from '../../ui/ask-first.tsx'

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
