import { useNotify, useRefresh } from 'react-admin'
import { ask, Refused } from '../../client/ask.ts'
import { errorText } from '../../texts/refused.ts'
import { useTexts } from '../../texts/texts.tsx'

type Deletion = { resource: string; id: number; title: string; removal?: number }

/** Takes back the latest deletion of a record, or a certain one. */
export function useRestore() {
  const texts = useTexts()
  const notify = useNotify()
  const refresh = useRefresh()
  return async ({ resource, id, title, removal }: Deletion) => {
    try {
      const wanted = removal ?? (await latest(resource, id))
      await ask('removals.restore', { id: wanted })
      notify(texts.removals.restored(title), { type: 'success' })
      refresh()
      return true
    } catch (error) {
      notify(errorText(error, texts), { type: 'error' })
      return false
    }
  }
}

async function latest(resource: string, id: number): Promise<number> {
  const { data } = await ask('removals.list', { query: { limit: 100 } })
  const removal = data.find(
    ({ records, record_id, restored_at }) => records === resource && record_id === id && restored_at === null,
  )
  if (!removal) throw new Refused(404, { code: 'not_found' })
  return removal.id
}
