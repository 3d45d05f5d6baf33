import { useLocation } from 'ra-core'
import { useEffect, useRef } from 'react'
import { useLoaded } from '../client/use-loaded.ts'

/** Announces a decision, so that every count of waiting previews is reloaded. */
export const tellDecided = (): void => void window.dispatchEvent(new Event(decided))

const decided = 'plumbline:decided'

/** Returns the number of previews that wait for the account. Reloads it on every page and after every decision. */
export function useWaiting() {
  const { pathname } = useLocation()
  const { data, reload } = useLoaded('agents.waiting')
  const seen = useRef(pathname)
  useEffect(() => {
    if (seen.current !== pathname) void reload()
    seen.current = pathname
  }, [pathname, reload])
  useEffect(() => {
    const look = (): void => void reload()
    window.addEventListener(decided, look)
    return () => window.removeEventListener(decided, look)
  }, [reload])
  return data
}
