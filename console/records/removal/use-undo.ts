import { useNotify, useRefresh } from 'react-admin'
import { useWrite } from '../../client/use-write.ts'
import { errorText } from '../../texts/refusal-text.ts'
import { useTexts } from '../../texts/texts.tsx'

/** Takes writes back, the newest first; the notice that says so has a way back again. */
export function useUndo() {
  const texts = useTexts()
  const write = useWrite()
  const notify = useNotify()
  const refresh = useRefresh()
  return async function undo(writeIds: readonly string[]): Promise<void> {
    const undone: string[] = []
    try {
      for (const id of writeIds.toReversed()) {
        for (let remaining = 1; remaining > 0; ) {
          const { data, writeId } = await write('writes.undo', { id })
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
