import { useEffect } from 'react'

/** Ctrl-K or Cmd-K searches everywhere; "/" goes to the search of the page, else does the same. */
export function useShortcuts(search: () => void): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const isEverywhere = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k'
      const isSlash = event.key === '/' && !event.ctrlKey && !event.metaKey && !isTyping(event.target)
      if (!isEverywhere && !isSlash) return
      event.preventDefault()
      const field = document.querySelector<HTMLInputElement>('input[type=search]')
      if (isSlash && field) field.focus()
      else search()
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [search])
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
