import { useNotify, useRefresh } from 'react-admin'
import { ask, type Involved } from '../../door/ask.ts'
import { errorText } from '../../texts/refused.ts'
import { useTexts } from '../../texts/texts.tsx'

/** A deletion that can be taken back. */
export type Removal = {
  id: number
  at: string
  who: { account_id: number; name: string } | null
  door: string
  token_label: string | null
  issuer: { account_id: number; name: string } | null
  records: string
  record_id: number
  title: string
  mode: 'soft' | 'hard'
  went: Involved[]
  restored_at: string | null
}

/** Takes back the latest deletion of a record, or a certain one. */
export function useRestore() {
  const texts = useTexts()
  const notify = useNotify()
  const refresh = useRefresh()
  return async ({ kind, id, title, removal }: { kind: string; id: number; title: string; removal?: number }) => {
    try {
      const wanted = removal ?? (await latest(kind, id))
      await ask('POST', `/removals/${wanted}/restore`)
      notify(texts.removals.restored(title), { type: 'success' })
      refresh()
      return true
    } catch (error) {
      notify(errorText(error, texts), { type: 'error' })
      return false
    }
  }
}

async function latest(kind: string, id: number): Promise<number | undefined> {
  const { data } = await ask<Removal[]>('GET', '/removals?limit=100')
  return data.find(
    ({ records, record_id, restored_at }) => records === kind && record_id === id && restored_at === null,
  )?.id
}
