import { useNotify, useRefresh } from 'react-admin'
import { ask } from '../../client/ask.ts'
import { errorText } from '../../texts/refused.ts'
import { useTexts } from '../../texts/texts.tsx'

/** Brings back what a deletion took, as far as that is possible still. */
export function useRestore() {
  const texts = useTexts()
  const notify = useNotify()
  const refresh = useRefresh()
  return async ({ title, removal }: { title: string; removal: number }) => {
    try {
      await ask('removals.restore', { id: removal })
      notify(texts.removals.restored(title), { type: 'success' })
      refresh()
      return true
    } catch (error) {
      notify(errorText(error, texts), { type: 'error' })
      return false
    }
  }
}
