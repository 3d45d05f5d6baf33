import { useNotify, useRefresh } from 'react-admin'
import { ask } from '../../client/ask.ts'
import { errorText } from '../../texts/refused.ts'
import { useTexts } from '../../texts/texts.tsx'

/** Takes writes back, the newest first; the notice that says so has a way back again. */
export function useUndo() {
  const texts = useTexts()
  const notify = useNotify()
  const refresh = useRefresh()
  return async function undo(writeIds: readonly string[]): Promise<void> {
    const undone: string[] = []
    try {
      for (const id of writeIds.toReversed()) {
        for (let remaining = 1; remaining > 0; ) {
          const { data, writeId } = await ask('writes.undo', { id })
          remaining = data.remaining
          if (writeId !== null) undone.push(writeId)
        }
      }
      notify(texts.common.undone, { type: 'success', undo: () => void undo(undone) })
    } catch (error) {
      notify(errorText(error, texts), { type: 'error' })
    }
    refresh()
  }
}
